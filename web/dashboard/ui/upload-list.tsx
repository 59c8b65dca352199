import type { ComponentChildren } from "preact";
import { bytesText } from "../app/format.ts";
import type { NamedFile, Upload, UploadQueue } from "../app/uploads.ts";
import { Button } from "./button.tsx";
import { ErrorNote } from "./failure.tsx";
import { Foreign } from "./figures.tsx";
import { Progress } from "./progress.tsx";
import "./upload-list.css";

interface UploadListProps<Answer> {
  queue: Pick<UploadQueue<NamedFile, Answer>, "uploads" | "retry" | "remove" | "clearDone">;
  /** What stands beside one that is done, such as a link. */
  done?: ((answer: Answer) => ComponentChildren) | undefined;
}

/** The files of a queue, each with how far it is. */
export function UploadList<Answer>({ queue, done }: UploadListProps<Answer>) {
  const uploads = queue.uploads.value;
  if (uploads.length === 0) return null;
  const doneCount = uploads.filter(({ state }) => state === "done").length;
  return (
    <section class="upload-list" aria-label="Uploads">
      <div class="upload-list-head">
        <p class="soft" role="status">
          {doneCount} of {uploads.length} sent
        </p>
        {doneCount > 0 && (
          <Button kind="quiet" onClick={() => queue.clearDone()}>
            Hide those that are sent
          </Button>
        )}
      </div>
      <ul class="upload-list-rows">
        {uploads.map((upload) => (
          <Row key={upload.id} upload={upload} queue={queue} done={done} />
        ))}
      </ul>
    </section>
  );
}

function Row<Answer>({ upload, queue, done }: UploadListProps<Answer> & { upload: Upload<Answer> }) {
  const { id, name, state, sentBytes, totalBytes, error, answer } = upload;
  return (
    <li class="upload-list-row">
      <Foreign text={name} />
      <span class="upload-list-state">
        {(state === "sending" || state === "sent") && (
          <Progress label={`Sending ${name}`} done={sentBytes} total={Math.max(1, totalBytes)} />
        )}
        <span class="figure soft">{stateText(upload)}</span>
        {answer !== undefined && done?.(answer)}
      </span>
      <span class="upload-list-actions">
        {state === "failed" && (
          <Button kind="quiet" onClick={() => queue.retry(id)} aria-label={`Send ${name} again`}>
            Send again
          </Button>
        )}
        <Button
          kind="quiet"
          onClick={() => queue.remove(id)}
          aria-label={`${isUnderWay(upload) ? "Cancel" : "Hide"} ${name}`}
        >
          {isUnderWay(upload) ? "Cancel" : "Hide"}
        </Button>
      </span>
      {state === "failed" && (
        <div class="upload-list-error">
          <ErrorNote error={error} />
        </div>
      )}
    </li>
  );
}

const isUnderWay = ({ state }: Upload<unknown>): boolean =>
  state === "waiting" || state === "sending" || state === "sent";

function stateText({ state, sentBytes, totalBytes }: Upload<unknown>): string {
  switch (state) {
    case "waiting":
      return `waits, ${bytesText(totalBytes)}`;
    case "sending":
      return `${bytesText(sentBytes)} of ${bytesText(totalBytes)}`;
    case "sent":
      return "sent, being stored";
    case "done":
      return `sent, ${bytesText(totalBytes)}`;
    case "failed":
      return "failed";
  }
}
