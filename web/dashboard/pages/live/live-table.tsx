import { useMemo, useRef, useState } from "preact/hooks";
import { callPage } from "../../app/addresses.ts";
import { stateOf } from "../../app/call-states.ts";
import { liveActivity } from "../../app/events/use-events.ts";
import { words } from "../../app/format.ts";
import { mayAct } from "../../app/roles.ts";
import { useAgentNames } from "../../app/use-agent-names.ts";
import { useNow } from "../../app/use-now.ts";
import { AgentLink } from "../../ui/agent-link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Delay, Duration, Foreign } from "../../ui/figures.tsx";
import type { ListenControl } from "../../ui/listen.tsx";
import { Menu, MenuButton, MenuChoice } from "../../ui/menu.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { EndDialog, TransferDialog } from "./dialogs.tsx";
import type { Call } from "./load.ts";

type Act = { kind: "listen" | "end" | "transfer"; call: Call };

/** Whose call it is. */
const nameOf = ({ phone, connectionType }: Call): string => phone?.from ?? words(connectionType);

interface LiveTableProps {
  calls: readonly Call[];
  /** Something was done, after which a state may be another one. */
  onDone: () => void;
  /** The person wants to listen to a call: within their click. */
  onListen: ListenControl["start"];
}

/** The live calls, with what can be done with each. */
export function LiveTable({ calls, onDone, onListen }: LiveTableProps) {
  const [act, setAct] = useState<Act>();
  const names = useAgentNames();
  const onListenNow = useRef(onListen);
  onListenNow.current = onListen;
  const columns = useMemo(() => {
    const act = (wanted: Act): void => {
      if (wanted.kind === "listen") onListenNow.current(wanted.call.id, nameOf(wanted.call));
      else setAct(wanted);
    };
    return columnsOf(names, act);
  }, [names]);
  const close = (): void => setAct(undefined);
  return (
    <>
      <Table label="Live calls" columns={columns} rows={calls} keyOf={({ id }) => id} />
      {act?.kind === "end" && <EndDialog call={act.call} onClose={close} onDone={onDone} />}
      {act?.kind === "transfer" && <TransferDialog call={act.call} onClose={close} onDone={onDone} />}
    </>
  );
}

const columnsOf = (names: ReadonlyMap<string, string>, onAct: (act: Act) => void): readonly Column<Call>[] => [
  { name: "state", title: "State", cell: (call) => <State call={call} /> },
  {
    name: "from",
    title: "From",
    cell: (call) => <Foreign text={nameOf(call)} />,
  },
  { name: "to", title: "To", cell: ({ phone }) => <Foreign text={phone?.to} /> },
  {
    name: "agent",
    title: "Agent",
    cell: ({ agentId }) => <AgentLink id={agentId} names={names} />,
  },
  { name: "language", title: "Language", cell: ({ configuration }) => configuration.language },
  { name: "since", title: "For", isFigure: true, cell: (call) => <Since at={call.startedAt ?? call.createdAt} /> },
  { name: "now", title: "Now", cell: ({ id }) => <Now id={id} /> },
  { name: "delay", title: "Last turn", isFigure: true, cell: ({ id }) => <LastDelay id={id} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    cell: (call) => <Actions call={call} onAct={onAct} />,
  },
];

function State({ call }: { call: Call }) {
  const { text, tone } = stateOf(call);
  return (
    <a href={callPage(call.id)}>
      <Badge tone={tone}>{text}</Badge>
    </a>
  );
}

const Now = ({ id }: { id: string }) => <Foreign text={liveActivity.value.get(id)?.state} />;

const LastDelay = ({ id }: { id: string }) => <Delay ms={liveActivity.value.get(id)?.turnDelayMs} />;

/** Only this cell is drawn again each second. */
function Since({ at }: { at: string }) {
  return <Duration ms={useNow() - Date.parse(at)} tenths={false} />;
}

function Actions({ call, onAct }: { call: Call; onAct: (act: Act) => void }) {
  if (!mayAct("editor")) return null;
  const isTransferable = call.status === "active" && call.phone !== null;
  return (
    <Menu
      button={
        <MenuButton class="button button-quiet" label="Actions of the call">
          …
        </MenuButton>
      }
    >
      {call.status === "active" && <MenuChoice onChoose={() => onAct({ kind: "listen", call })}>Listen</MenuChoice>}
      {isTransferable && (
        <MenuChoice onChoose={() => onAct({ kind: "transfer", call })}>Transfer the caller</MenuChoice>
      )}
      <MenuChoice isDangerous onChoose={() => onAct({ kind: "end", call })}>
        End the call
      </MenuChoice>
    </Menu>
  );
}
