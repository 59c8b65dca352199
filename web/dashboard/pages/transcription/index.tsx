import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { type Schema, TrunklineApiError } from "../../../client/src/index.ts";
import { callPage, TRANSCRIPTIONS } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { durationText } from "../../app/format.ts";
import { mayAct } from "../../app/roles.ts";
import {
  isTranscriptionOver,
  sourceText,
  transcriptionName,
  transcriptionStateOf,
} from "../../app/transcription-words.ts";
import { useResource } from "../../app/use-resource.ts";
import { useTranscriptionProgress } from "../../app/use-transcription-progress.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code, Foreign } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Progress } from "../../ui/progress.tsx";
import { Downloads } from "./downloads.tsx";
import { TranscriptionFacts } from "./transcription-facts.tsx";
import { WordsInTime } from "./words-in-time.tsx";
import "./transcription.css";

export type Transcription = Schema<"Transcription">;

const PARENT = { title: "Transcriptions", href: TRANSCRIPTIONS };
const EVENTS = ["transcription.completed", "transcription.failed"];

/** One transcription: what was said, in time with its audio. */
export function Page() {
  const { params } = useRoute();
  const id = params.id ?? "";
  const one = useResource(
    `transcription ${id}`,
    (signal) => api.get("/transcriptions/{id}", { path: { id }, query: { format: "json" }, signal }),
    { on: EVENTS },
  );
  if (one.status === "ready" && !isGone(one.error)) {
    return <TranscriptionView key={id} of={one.value} error={one.error} onStale={one.reload} />;
  }
  return (
    <Frame title="Transcription" parent={PARENT}>
      {one.status === "loading" && <Loading what="the transcription" />}
      {one.status === "failed" && !isGone(one.error) && <Failure error={one.error} onRetry={one.reload} />}
      {one.status !== "loading" && isGone(one.error) && (
        <Empty title="There is no such transcription.">
          <p>
            It may have been deleted. <a href={TRANSCRIPTIONS}>All transcriptions</a>
          </p>
        </Empty>
      )}
    </Frame>
  );
}

const isGone = (error: unknown): boolean => error instanceof TrunklineApiError && error.code === "not_found";

interface ViewProps {
  of: Transcription;
  /** Why the latest reload failed. */
  error: unknown;
  onStale: () => void;
}

function TranscriptionView({ of, error, onStale }: ViewProps) {
  const [dialog, setDialog] = useState<"cancel" | "delete">();
  const close = (): void => setDialog(undefined);
  const isOver = isTranscriptionOver(of);
  const actions = (
    <>
      {of.result !== null && <Downloads of={of} />}
      {!isOver && mayAct("editor") && (
        <Button onClick={() => setDialog("cancel")}>{of.source === "live" ? "End" : "Cancel"}</Button>
      )}
      {mayAct("editor") && (
        <Button kind="danger" onClick={() => setDialog("delete")}>
          Delete
        </Button>
      )}
    </>
  );
  return (
    <Frame title={transcriptionName(of)} parent={PARENT} actions={actions}>
      <ErrorNote error={error} />
      <State of={of} />
      <TranscriptionFacts of={of} />
      {of.result === null ? <NoResult of={of} /> : <WordsInTime of={of} result={of.result} />}
      {dialog === "cancel" && <CancelDialog of={of} onClose={close} onDone={onStale} />}
      {dialog === "delete" && <DeleteDialog of={of} onClose={close} />}
    </Frame>
  );
}

/** Its state: how far it is, and why it has failed. */
function State({ of }: { of: Transcription }) {
  const heard = useTranscriptionProgress().get(of.id);
  const isOver = isTranscriptionOver(of);
  const isQueued = of.status === "queued" && heard === undefined;
  const { text, tone } = transcriptionStateOf(isOver || isQueued ? of.status : "processing");
  const done = Math.max(heard?.doneSeconds ?? 0, of.progress.doneSeconds);
  const total = heard?.durationSeconds ?? of.progress.durationSeconds ?? undefined;
  return (
    <div class="transcription-state">
      <Badge tone={tone}>{text}</Badge>
      <span class="soft">
        {sourceText(of.source)}
        {of.callId !== null && (
          <>
            {" "}
            <a href={callPage(of.callId)}>{of.callId}</a>
          </>
        )}
      </span>
      {!isOver && !isQueued && (
        <span class="transcription-progress">
          <Progress label="Progress" done={done} total={total === undefined ? undefined : Math.max(1, total)} />
          <span class="figure" role="status">
            {durationText(done * 1_000, { tenths: false })}
            {total === undefined ? " done" : ` of ${durationText(total * 1_000, { tenths: false })}`}
          </span>
        </span>
      )}
      {of.failure !== null && (
        <span>
          <Foreign text={of.failure.message} />{" "}
          <span class="soft">
            (<Code>{of.failure.code}</Code>)
          </span>
        </span>
      )}
    </div>
  );
}

function NoResult({ of }: { of: Transcription }) {
  if (!isTranscriptionOver(of)) {
    return (
      <Empty title="Its words appear here when it is complete.">
        <p>This page shows them by itself.</p>
      </Empty>
    );
  }
  if (of.resultDeletedAt !== null) return <Empty title="Its words were deleted when their retention ended." />;
  return <Empty title={of.status === "cancelled" ? "It was cancelled, so it has no words." : "It has no words."} />;
}

interface DialogProps {
  of: Transcription;
  onClose: () => void;
}

function CancelDialog({ of, onClose, onDone }: DialogProps & { onDone: () => void }) {
  const isLive = of.source === "live";
  return (
    <ConfirmDialog
      title={isLive ? "End the live transcription?" : "Cancel the transcription?"}
      action={isLive ? "End it" : "Cancel the transcription"}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.post("/transcriptions/{id}/cancel", { path: { id: of.id } });
        onDone();
      }}
    >
      <p>
        <b>
          <Foreign text={transcriptionName(of)} />
        </b>{" "}
        {isLive
          ? "ends as complete, with what was said until now, once its stream has connected."
          : "ends without a result."}
      </p>
    </ConfirmDialog>
  );
}

function DeleteDialog({ of, onClose }: DialogProps) {
  const { route } = useLocation();
  return (
    <ConfirmDialog
      title="Delete the transcription?"
      action="Delete the transcription"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.delete("/transcriptions/{id}", { path: { id: of.id } });
        route(TRANSCRIPTIONS);
      }}
    >
      <p>
        <b>
          <Foreign text={transcriptionName(of)} />
        </b>{" "}
        is deleted for good, with its audio and its words{of.callId === null ? "" : "; the call stays"}.
      </p>
    </ConfirmDialog>
  );
}
