import { useMemo } from "preact/hooks";
import type { RequestOptions, Schema } from "../../../client/src/index.ts";
import { callPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { useList } from "../../app/use-list.ts";
import { useOpenedHeading } from "../../app/use-opened-heading.ts";
import { useQuery } from "../../app/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Code, CodeBlock, Delay, Foreign, Time } from "../../ui/figures.tsx";
import { ChoiceFilter, Filters } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { resultText } from "./shown.ts";
import "./tool.css";

type Run = Schema<"ToolRun">;
type RunFilters = NonNullable<RequestOptions<"get", "/tools/{id}/runs">["query"]>;

const FILTERS = ["source", "failed"] as const;
const SOURCES = [
  { value: "call", label: "calls" },
  { value: "test", label: "tests" },
];
const OUTCOMES = [
  { value: "false", label: "done" },
  { value: "true", label: "failed" },
];

/** The last runs of a tool, in calls that are over and in tests. */
export function Runs({ toolId }: { toolId: string }) {
  const { query, change } = useQuery();
  const filters = filtersOf(query);
  const { list, reload, isStale } = useList(
    `${toolId} ${JSON.stringify(filters)}`,
    (page, signal) => api.get("/tools/{id}/runs", { path: { id: toolId }, query: { ...filters, ...page }, signal }),
    // Runs of calls are stored when the call is over.
    { on: ["call.ended"] },
  );
  const columns = useMemo(() => columnsOf((id) => change({ run: id }, { push: true })), [change]);
  const opened = runIn(list, query.run);
  return (
    <div class="tool-part">
      <div class="tool-line">
        <Filters names={FILTERS}>
          <ChoiceFilter name="source" label="In" choices={SOURCES} />
          <ChoiceFilter name="failed" label="Outcome" choices={OUTCOMES} />
        </Filters>
        {isStale && <Button onClick={reload}>Show newer runs</Button>}
      </div>
      {!list.isReady && list.error === undefined && <Loading what="the runs" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && <NoRun isFiltered={Object.keys(filters).length > 0} />}
      {list.isReady && list.count > 0 && (
        <LongTable label="Runs" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
      {opened !== undefined && <RunDetails run={opened} onClose={() => change({ run: undefined })} />}
    </div>
  );
}

function filtersOf({ source, failed }: Readonly<Record<string, string>>): RunFilters {
  return {
    ...((source === "call" || source === "test") && { source }),
    ...((failed === "true" || failed === "false") && { failed }),
  };
}

/** Only a run that is loaded can be opened: the API reads no single one. */
function runIn(
  list: { count: number; item: (at: number) => Run | undefined },
  id: string | undefined,
): Run | undefined {
  if (id === undefined) return undefined;
  for (let at = 0; at < list.count; at += 1) if (list.item(at)?.id === id) return list.item(at);
  return undefined;
}

const columnsOf = (onOpen: (id: string) => void): readonly Column<Run>[] => [
  {
    name: "startedAt",
    title: "Started",
    width: 136,
    cell: ({ id, startedAt }) => (
      <button type="button" class="tool-open" onClick={() => onOpen(id)}>
        <Time at={startedAt} />
      </button>
    ),
  },
  { name: "outcome", title: "Outcome", width: 88, cell: ({ failed }) => <Outcome failed={failed} /> },
  { name: "durationMs", title: "Took", width: 80, isFigure: true, cell: ({ durationMs }) => <Delay ms={durationMs} /> },
  { name: "source", title: "In", width: 72, cell: (run) => <Where run={run} /> },
  { name: "toolName", title: "Tool", width: 136, cell: ({ toolName }) => <Code>{toolName}</Code> },
  { name: "arguments", title: "Arguments", width: 216, cell: ({ arguments: given }) => <Foreign text={given} /> },
  { name: "result", title: "Result", width: 280, cell: ({ result }) => <Foreign text={result} /> },
];

const Where = ({ run: { callId } }: { run: Run }) =>
  callId === null ? <>a test</> : <a href={callPage(callId)}>a call</a>;

function Outcome({ failed }: { failed: Run["failed"] }) {
  if (failed === null) return <Badge tone="neutral">unknown</Badge>;
  return failed ? <Badge tone="bad">failed</Badge> : <Badge tone="good">done</Badge>;
}

const NoRun = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No run matches all of these filters." />
  ) : (
    <Empty title="The tool has not run yet.">
      <p>Test it, or give it to an agent: what it does in calls stands here when they are over.</p>
    </Empty>
  );

function RunDetails({ run, onClose }: { run: Run; onClose: () => void }) {
  const heading = useOpenedHeading(run.id);
  const isStored = run.arguments !== null || run.result !== null;
  return (
    <section class="section" aria-label="Run">
      <div class="section-head">
        <h2 ref={heading} tabIndex={-1}>
          Run of <Code>{run.toolName}</Code>, <Time at={run.startedAt} />
        </h2>
        <Button onClick={onClose}>Close</Button>
      </div>
      {!isStored && (
        <p class="soft">Arguments and result are not stored: the call keeps no words, or they were deleted.</p>
      )}
      {run.arguments !== null && (
        <>
          <h3>Arguments</h3>
          <CodeBlock label="Arguments" text={resultText(run.arguments)} />
        </>
      )}
      {run.result !== null && (
        <>
          <h3>What the LLM was given</h3>
          <CodeBlock label="What the LLM was given" text={resultText(run.result)} />
        </>
      )}
    </section>
  );
}
