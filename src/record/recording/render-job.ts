import { codeOf, systemErrorCodeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { RECORDINGS_RENDERED_MAX } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import { type JobContext, JobFailure, type JobHandler } from "../../jobs/handler.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";
import type { JournalProcessor } from "../finalization/journal-processor.ts";

/** A long recording takes minutes; the renderer is watched for hangs itself. */
const RENDER_MS_MAX = 3_600_000;

/** System errors that are temporary: no space, no file descriptors. */
const TRANSIENT_ERROR_CODES: readonly string[] = ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"];

export interface RenderJobOptions {
  calls: Pick<CallStore, "awaitsRecording" | "setRecording" | "recordingFailed">;
  journals: Pick<JournalProcessor, "render">;
  /** Runs work on the files of a call alone: none is deleted meanwhile. */
  withFiles: <T>(callId: CallId, work: () => Promise<T>) => Promise<T>;
  /** Deletes the recording of a call and what it was made of, wherever they are. */
  remove: (callId: CallId) => Promise<void>;
  log: Logger;
  onFailed: () => void;
}

/** Renders the recording of an ended call, until it is there or can never be. */
export class RenderJob implements JobHandler {
  /** Fewer than the records of calls that are made at once, which share their places with it. */
  readonly concurrentMax = RECORDINGS_RENDERED_MAX;
  readonly attemptMsMax = RENDER_MS_MAX;
  /** Each attempt writes until the disk is full and takes the space from others; the last ones are an hour apart for a day. */
  readonly retryDelaysMs = [1, 2, 5, 15, 30, 60, 300, 900, ...Array.from({ length: 24 }, () => 3_600)].map(
    (seconds) => seconds * 1_000,
  );
  readonly #options: RenderJobOptions;

  constructor(options: RenderJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, context: JobContext): Promise<void> {
    const { calls, log, onFailed, withFiles } = this.#options;
    const { callId } = job.payload as { callId: CallId };
    try {
      await withFiles(callId, () => this.#render(callId, context));
    } catch (error) {
      const isTemporary =
        context.signal.aborted ||
        codeOf(error) === "unavailable" ||
        TRANSIENT_ERROR_CODES.includes(systemErrorCodeOf(error) ?? "");
      if (isTemporary && job.attempt <= this.retryDelaysMs.length) throw error;
      log.error({ callId, err: error, code: codeOf(error) }, "recording could not be rendered");
      await calls.recordingFailed(callId);
      onFailed();
      throw new JobFailure("the recording could not be rendered", "never", { cause: error });
    }
  }

  async #render(callId: CallId, { signal, reportProgress }: JobContext): Promise<void> {
    const { calls, journals, remove } = this.#options;
    // Rendered later, it would bring back what was deleted.
    if (!(await calls.awaitsRecording(callId))) return;
    const recording = await journals.render(callId, reportProgress);
    if (signal.aborted) throw new Error("the attempt was aborted");
    if (recording === undefined) return;
    const rounded = { ...recording, durationMs: Math.round(recording.durationMs) };
    // Another node has deleted the call, or its recording, meanwhile.
    if (!(await calls.setRecording(callId, rounded))) await remove(callId);
  }
}
