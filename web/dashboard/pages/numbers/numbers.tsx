import { useEffect, useMemo, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useAgentNames } from "../../app/use-agent-names.ts";
import { useList } from "../../app/use-list.ts";
import { hereWith, useQuery } from "../../app/use-query.ts";
import { useShownAgain } from "../../app/use-shown-again.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Code, Count, Foreign } from "../../ui/figures.tsx";
import { ChoiceFilter, Filters } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import type { Carrier } from "./model/carriers.ts";
import { numberStateOf, type PhoneNumber } from "./model/states.ts";
import { NumberActions } from "./number-actions.tsx";
import { type NumberAct, NumberDialogs } from "./number-dialogs.tsx";
import { OpenedNumber } from "./opened-number.tsx";
import "./numbers.css";

interface Props {
  /** Those that the person may see. */
  carriers: readonly Carrier[];
  /** How often numbers were imported: after each the list begins anew. */
  imports: number;
  onImport: (carrier: Carrier) => void;
}

/** All numbers of the account. */
export function Numbers({ carriers, imports, onImport }: Props) {
  const { query, change } = useQuery();
  const agents = useAgentNames();
  const { carrierId } = query;
  const { list, reload } = useList(`numbers ${carrierId}`, (page, signal) =>
    api.get("/phone-numbers", { query: { ...page, ...(carrierId !== undefined && { carrierId }) }, signal }),
  );
  const [changes, setChanges] = useState(0);
  const onDone = (): void => {
    reload();
    setChanges((count) => count + 1);
  };
  useShownAgain(onDone);
  useEffect(() => {
    if (imports > 0) onDone();
  }, [imports]);
  const [act, setAct] = useState<NumberAct>();
  const columns = useMemo(() => columnsOf({ carriers, agents, onAct: setAct }), [carriers, agents]);
  return (
    <>
      {query.number !== undefined && (
        <OpenedNumber
          key={query.number}
          id={query.number}
          changes={changes}
          carriers={carriers}
          agents={agents}
          onAct={setAct}
          onClose={() => change({ number: undefined })}
        />
      )}
      {carriers.length > 1 && (
        <Filters names={["carrierId"]}>
          <ChoiceFilter
            name="carrierId"
            label="Carrier"
            choices={carriers.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Filters>
      )}
      {!list.isReady && list.error === undefined && <Loading what="the numbers" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && <NoNumber carriers={carriers} onImport={onImport} />}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable label="Numbers" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
      <NumberDialogs act={act} agents={agents} onClose={() => setAct(undefined)} onDone={onDone} />
    </>
  );
}

interface Shown {
  carriers: readonly Carrier[];
  agents: ReadonlyMap<string, string>;
  onAct: (act: NumberAct) => void;
}

function columnsOf({ carriers, agents, onAct }: Shown): readonly Column<PhoneNumber>[] {
  const carrierOf = (number: PhoneNumber): Carrier | undefined => carriers.find(({ id }) => id === number.carrierId);
  return [
    {
      name: "number",
      title: "Number",
      width: 144,
      cell: ({ id, number }) => (
        <a href={hereWith({ number: id })}>
          <Code>{number}</Code>
        </a>
      ),
    },
    {
      name: "name",
      title: "For",
      width: 160,
      cell: ({ name, number }) => <Foreign text={name === number ? "" : name} />,
    },
    {
      name: "state",
      title: "State",
      width: 200,
      cell: (number) => {
        const { text, tone } = numberStateOf(
          number,
          carriers.find(({ id }) => id === number.carrierId),
        );
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      name: "agent",
      title: "Agent",
      width: 168,
      cell: ({ agentId }) => <Foreign text={agentId === null ? null : (agents.get(agentId) ?? agentId)} />,
    },
    ...(carriers.length === 0
      ? []
      : [
          {
            name: "carrier",
            title: "Carrier",
            width: 136,
            cell: (number: PhoneNumber) => <Foreign text={carrierOf(number)?.name ?? number.carrierId} />,
          },
        ]),
    {
      name: "calls",
      title: "Calls in at once",
      width: 112,
      isFigure: true,
      cell: ({ maxConcurrentCalls }) =>
        maxConcurrentCalls === null ? <span class="soft">no limit</span> : <Count of={maxConcurrentCalls} />,
    },
    {
      name: "actions",
      title: "Actions",
      isTitleHidden: true,
      width: 56,
      isFigure: true,
      cell: (number) => (
        <NumberActions number={number} isEmulated={carrierOf(number)?.emulated === true} onAct={onAct} />
      ),
    },
  ];
}

function NoNumber({ carriers, onImport }: Pick<Props, "carriers" | "onImport">) {
  const [first] = carriers;
  return (
    <Empty title="There is no number yet.">
      {first === undefined ? (
        <p>
          {mayAct("owner")
            ? "Numbers come from an account at a carrier: add the carrier, then import its numbers."
            : "An owner of the account adds a carrier and imports its numbers."}
        </p>
      ) : (
        <>
          <p>
            Import the numbers that the account <Foreign text={first.name} /> has at its carrier. Nothing changes there.
          </p>
          <Button onClick={() => onImport(first)}>Import numbers</Button>
        </>
      )}
    </Empty>
  );
}
