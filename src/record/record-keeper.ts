import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { EndReason } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { CallEnd, CallStore } from "../store/call-store.ts";
import { journalPath } from "./journal-reader.ts";
import { projectJournal } from "./projection.ts";
import { type Recording, renderRecording } from "./recording.ts";

/** Where the recording of a call is. Ids are ours, so a path is never made of what a peer said. */
export const recordingPath = (dataDir: string, callId: string): string => join(dataDir, "recordings", `${callId}.wav`);

export interface RecordKeeperOptions {
  calls: CallStore;
  dataDir: string;
  clock: Clock;
  log: Logger;
  /** The call's end can no longer be forgotten. */
  onKept: (callId: string) => void;
}

/** Reasons that are our own fault: a call that ended so before any audio went either way has failed. */
const OUR_FAULT: readonly EndReason[] = ["worker_lost", "provider_error", "drain_timeout"];

/** A store that could not take a record is asked again after this long, for as long as it takes. */
const RETRY_MS = 1_000;

/** Makes records, transcripts and recordings of ended calls from their journals, one after the other. */
export class RecordKeeper {
  readonly #options: RecordKeeperOptions;
  readonly #queued = new Set<string>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: RecordKeeperOptions) {
    this.#options = options;
    mkdirSync(join(options.dataDir, "recordings"), { recursive: true, mode: 0o700 });
  }

  /** The call is over, or its worker is gone. Asking twice does no harm. */
  keep(callId: string): void {
    if (this.#queued.has(callId)) return;
    this.#queued.add(callId);
    this.#last = this.#last.then(() => this.#keep(callId));
  }

  /** Resolves when everything asked for until now is done. */
  idle(): Promise<void> {
    return this.#last;
  }

  async #keep(callId: string): Promise<void> {
    const { calls, clock, log, onKept } = this.#options;
    try {
      const first = await calls.finish(callId, await this.#endOf(callId));
      if (first) log.info({ callId }, "call recorded");
      onKept(callId);
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "an ended call could not be recorded yet");
      clock.after(RETRY_MS, () => this.keep(callId));
    } finally {
      this.#queued.delete(callId);
    }
  }

  async #endOf(callId: string): Promise<CallEnd> {
    const { dataDir, clock, log } = this.#options;
    const path = journalPath(dataDir, callId);
    try {
      const { header, turns, endReason, frames, ...projected } = await projectJournal(path);
      const durationMs = Math.round(projected.durationMs);
      const silent = frames.in === 0 && frames.out === 0;
      return {
        status: silent && OUR_FAULT.includes(endReason) ? "failed" : "ended",
        endReason,
        endedAtMs: Date.parse(header.startedAt) + durationMs,
        durationMs,
        turns,
        recording: await this.#render(callId, path),
        counters: { framesIn: frames.in, framesOut: frames.out },
      };
    } catch (error) {
      // The worker died, or its disk failed, before anything of the call was written.
      log.warn({ callId, err: error, code: codeOf(error) }, "an ended call left no journal");
      return { status: "failed", endReason: "worker_lost", endedAtMs: clock.epochMs(), durationMs: 0, turns: [] };
    }
  }

  async #render(callId: string, path: string): Promise<Recording | undefined> {
    try {
      const recording = await renderRecording(path, recordingPath(this.#options.dataDir, callId));
      return recording && { ...recording, durationMs: Math.round(recording.durationMs) };
    } catch (error) {
      this.#options.log.error({ callId, err: error, code: codeOf(error) }, "a recording could not be rendered");
      return undefined;
    }
  }
}
