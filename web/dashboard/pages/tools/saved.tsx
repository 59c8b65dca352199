import type { RequestOptions, Schema } from "../../../client/src/index.ts";
import { toolPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { TOOL_TYPE_CHOICES, TOOL_TYPES, toolTypeOf } from "../../app/tool-words.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Code, Count, Delay, Foreign, Time } from "../../ui/figures.tsx";
import { ChoiceFilter, Filters, TextFilter } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import "./tools.css";

type Tool = Schema<"ToolSummary">;
type ToolFilters = NonNullable<RequestOptions<"get", "/tools">["query"]>;

const FILTERS = ["type", "name"] as const;

const COLUMNS: readonly Column<Tool>[] = [
  {
    name: "name",
    title: "Name",
    width: 152,
    cell: ({ id, name }) => (
      <a href={toolPage(id)}>
        <Code>{name}</Code>
      </a>
    ),
  },
  { name: "type", title: "Kind", width: 104, cell: ({ type }) => TOOL_TYPES[type].title },
  { name: "server", title: "Server", width: 200, cell: (tool) => <Server tool={tool} /> },
  { name: "description", title: "Description", width: 184, cell: ({ description }) => <Foreign text={description} /> },
  {
    name: "effects",
    title: "Effects",
    width: 112,
    cell: ({ readOnly, type }) => (readOnly ? "only reads" : type === "mcp" ? "as its tools" : "may change things"),
  },
  { name: "timeout", title: "Timeout", width: 80, isFigure: true, cell: ({ timeoutMs }) => <Delay ms={timeoutMs} /> },
  { name: "version", title: "Version", width: 64, isFigure: true, cell: ({ version }) => <Count of={version} /> },
  { name: "updatedAt", title: "Changed", width: 128, cell: ({ updatedAt }) => <Time at={updatedAt} seconds={false} /> },
];

function Server({ tool: { http, mcp } }: { tool: Tool }) {
  if (http !== null)
    return (
      <>
        <Code>{http.method}</Code> <Foreign text={http.url} />
      </>
    );
  if (mcp === null) return <span class="soft">the client of the call</span>;
  return (
    <>
      <span class="soft">{mcp.toolNames.length === 1 ? "1 tool of" : `${mcp.toolNames.length} tools of`}</span>{" "}
      <Foreign text={mcp.url} />
    </>
  );
}

/** The tools that the account has saved. */
export function SavedTools() {
  const { query } = useQuery();
  const type = toolTypeOf(query.type);
  const filters: ToolFilters = { ...(type && { type }), ...(query.name && { name: query.name }) };
  const { list, reload } = useList(JSON.stringify(filters), (page, signal) =>
    api.get("/tools", { query: { ...filters, ...page }, signal }),
  );
  return (
    <div class="tools-part">
      <Filters names={FILTERS}>
        <ChoiceFilter name="type" label="Kind" choices={TOOL_TYPE_CHOICES} />
        <TextFilter name="name" label="Name" hint="order_status" />
      </Filters>
      {!list.isReady && list.error === undefined && <Loading what="the tools" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && <NoTool isFiltered={Object.keys(filters).length > 0} />}
      {list.isReady && list.count > 0 && (
        <LongTable label="Saved tools" columns={COLUMNS} source={list} keyOf={({ id }) => id} />
      )}
    </div>
  );
}

const NoTool = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No tool matches all of these filters." />
  ) : (
    <Empty title="There is no saved tool yet.">
      <p>
        A tool is what an agent can do in a call beside talking, such as looking an order up.{" "}
        {mayAct("editor")
          ? "Make one above, test it, and give it to an agent."
          : "An editor makes one; built-in ones are in the next tab."}
      </p>
    </Empty>
  );
