import { useMemo, useState } from "preact/hooks";
import type { RequestOptions, Schema } from "../../../client/src/index.ts";
import { API_REFERENCE, transcriptionPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { TRANSCRIPTION_SOURCE_CHOICES, TRANSCRIPTION_STATUS_CHOICES } from "../../app/transcription-words.ts";
import { uploadQueue } from "../../app/upload-queues.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { useTranscriptionProgress } from "../../app/use-transcription-progress.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { ChoiceFilter, Filters, TextFilter, TimeFilter } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { UploadList } from "../../ui/upload-list.tsx";
import { columnsOf } from "./columns.tsx";
import { NewTranscription } from "./new-transcription.tsx";
import { type GivenFile, sendAudio } from "./options.ts";

type Transcription = Schema<"TranscriptionSummary">;
type TranscriptionFilters = NonNullable<RequestOptions<"get", "/transcriptions">["query"]>;

const FILTERS = ["status", "source", "callId", "createdAfter", "createdBefore"] as const;
const EVENTS = ["transcription.completed", "transcription.failed"];

/** The transcriptions of the account, and what makes others. */
export function Page() {
  const { query } = useQuery();
  const [isNew, setNew] = useState(false);
  const filters = filtersOf(query);
  const key = JSON.stringify(filters);
  const { list, reload, isStale } = useList(
    key,
    (page, signal) => api.get("/transcriptions", { query: { ...filters, ...page }, signal }),
    { on: EVENTS },
  );
  const progress = useTranscriptionProgress();
  const columns = useMemo(() => columnsOf(progress), [progress]);
  const queue = useMemo(() => uploadQueue<GivenFile, Transcription>("transcriptions", { send: sendAudio }), []);
  queue.onDone = reload;
  return (
    <Frame
      title="Transcriptions"
      actions={
        <>
          {isStale && <Button onClick={reload}>Show changes</Button>}
          {mayAct("editor") && !isNew && (
            <Button kind="primary" onClick={() => setNew(true)}>
              New transcription
            </Button>
          )}
        </>
      }
    >
      {isNew && (
        <NewTranscription
          onFiles={(files) => queue.add(files)}
          onCreated={() => {
            setNew(false);
            reload();
          }}
          onClose={() => setNew(false)}
        />
      )}
      <UploadList queue={queue} done={({ id }) => <a href={transcriptionPage(id)}>Open</a>} />
      <Filters names={FILTERS}>
        <ChoiceFilter name="status" label="State" choices={TRANSCRIPTION_STATUS_CHOICES} />
        <ChoiceFilter name="source" label="Audio from" choices={TRANSCRIPTION_SOURCE_CHOICES} />
        <TextFilter name="callId" label="Call" hint="call_…" />
        <TimeFilter name="createdAfter" label="Created from" />
        <TimeFilter name="createdBefore" label="Created before" />
      </Filters>
      {!list.isReady && list.error === undefined && <Loading what="the transcriptions" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && <NoTranscription isFiltered={key !== "{}"} />}
      {list.isReady && list.count > 0 && (
        <LongTable label="Transcriptions" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
    </Frame>
  );
}

/** The service refuses what is none of its values, and says which there are. */
const filtersOf = (query: Readonly<Record<string, string>>): TranscriptionFilters =>
  Object.fromEntries(FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : []))) as TranscriptionFilters;

const NoTranscription = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No transcription matches all of these filters." />
  ) : (
    <Empty title="There is no transcription yet.">
      <p>
        {mayAct("editor")
          ? "Send a recording with New transcription: its words appear with their times, to be read, played and downloaded."
          : "Editors make them, here or by the API."}{" "}
        Programs use <a href={API_REFERENCE}>POST /transcriptions</a>.
      </p>
    </Empty>
  );
