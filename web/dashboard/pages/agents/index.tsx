import { useMemo } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { AGENTS, agentPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useResource } from "../../app/use-resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Count, Foreign, Time } from "../../ui/figures.tsx";
import { ChoiceFilter, Filters, TextFilter } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";

type Agent = Schema<"Agent">;

const FILTERS = ["name", "languageId"] as const;

/** The saved agents of the account. */
export function Page() {
  const { query } = useQuery();
  const { name, languageId } = query;
  const filters = { ...(name && { name }), ...(languageId && { languageId }) };
  const key = JSON.stringify(filters);
  const { list, reload } = useList(key, (page, signal) =>
    api.get("/agents", { query: { ...filters, ...page }, signal }),
  );
  const languages = useResource("languages", (signal) => api.get("/languages", { signal }));
  const languageNames = useMemo(
    () => new Map(languages.status === "ready" ? languages.value.data.map((one) => [one.code, one.name]) : []),
    [languages.status],
  );
  const columns = useMemo(() => columnsOf(languageNames), [languageNames]);
  return (
    <Frame title="Agents" actions={mayAct("editor") && <NewAgent />}>
      <Filters names={FILTERS}>
        <TextFilter name="name" label="Name" hint="Part of a name" />
        <ChoiceFilter
          name="languageId"
          label="Language"
          choices={[...languageNames].map(([value, label]) => ({ value, label: `${label} (${value})` }))}
        />
      </Filters>
      {!list.isReady && list.error === undefined && <Loading what="the agents" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && <NoAgent isFiltered={key !== "{}"} />}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable label="Agents" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
    </Frame>
  );
}

const NewAgent = () => (
  <a class="button button-primary" href={`${AGENTS}/new`}>
    New agent
  </a>
);

const columnsOf = (languages: ReadonlyMap<string, string>): readonly Column<Agent>[] => [
  {
    name: "name",
    title: "Name",
    width: 260,
    cell: ({ id, name }) => (
      <a href={agentPage(id)}>
        <Foreign text={name} />
      </a>
    ),
  },
  {
    name: "language",
    title: "Language",
    width: 180,
    cell: ({ languageId }) => <Foreign text={languages.get(languageId) ?? languageId} />,
  },
  { name: "voice", title: "Voice", width: 200, cell: ({ voiceId }) => <Foreign text={voiceId} /> },
  { name: "version", title: "Version", width: 72, isFigure: true, cell: ({ version }) => <Count of={version} /> },
  {
    name: "draft",
    title: "Draft",
    width: 120,
    cell: ({ draftVersion }) =>
      draftVersion === null ? <Count of={null} /> : <Badge tone="warn">version {draftVersion}</Badge>,
  },
  { name: "updated", title: "Changed", width: 160, cell: ({ updatedAt }) => <Time at={updatedAt} seconds={false} /> },
];

const NoAgent = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No agent matches all of these filters." />
  ) : (
    <Empty title="There is no agent yet.">
      <p>
        An agent holds what its calls have in common: a prompt, a language and a voice.{" "}
        {mayAct("editor") ? (
          <>
            <a href={`${AGENTS}/new`}>Make the first one</a> and try it before it is saved.
          </>
        ) : (
          "An editor or an owner of the account makes the first one."
        )}
      </p>
    </Empty>
  );
