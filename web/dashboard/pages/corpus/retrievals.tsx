import type { Schema } from "../../../client/src/index.ts";
import { callPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { useList } from "../../app/use-list.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Count, Delay, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { placesOf } from "./model.ts";
import "./corpus.css";

type Retrieval = Schema<"CorpusRetrieval">;

/** The replies in calls that are over for which the LLM was given passages of a corpus, the latest first. */
export function Retrievals({ corpusId }: { corpusId: string }) {
  const { list, reload, isStale } = useList(
    corpusId,
    (page, signal) => api.get("/corpora/{id}/retrievals", { path: { id: corpusId }, query: page, signal }),
    // What a call retrieved is stored when it is over.
    { on: ["call.ended"] },
  );
  return (
    <div class="corpus-part">
      {isStale && <Button onClick={reload}>Show newer retrievals</Button>}
      {!list.isReady && list.error === undefined && <Loading what="what was retrieved" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && !list.hasMore && (
        <Empty title="No call has used the corpus yet.">
          <p>Give it to an agent: what its replies are given stands here when their calls are over.</p>
        </Empty>
      )}
      {list.isReady && (list.count > 0 || list.hasMore) && (
        <LongTable
          label="Retrieved"
          columns={COLUMNS}
          source={list}
          keyOf={({ callId, turn }) => `${callId} ${turn}`}
        />
      )}
    </div>
  );
}

const COLUMNS: readonly Column<Retrieval>[] = [
  {
    name: "at",
    title: "Reply in a call",
    width: 168,
    cell: ({ callId, at }) => (
      <a href={callPage(callId)}>
        <Time at={at} />
      </a>
    ),
  },
  { name: "question", title: "The caller said", width: 280, cell: ({ question }) => <Foreign text={question} /> },
  { name: "places", title: "From", width: 264, cell: ({ passages }) => <Foreign text={placesOf(passages)} /> },
  {
    name: "passages",
    title: "Passages",
    width: 80,
    isFigure: true,
    cell: ({ passages }) => <Count of={passages.length} />,
  },
  {
    name: "score",
    title: "Best score",
    width: 88,
    isFigure: true,
    cell: ({ passages }) => <Count of={passages[0]?.score} />,
  },
  { name: "tookMs", title: "Took", width: 80, isFigure: true, cell: ({ tookMs }) => <Delay ms={tookMs} /> },
];
