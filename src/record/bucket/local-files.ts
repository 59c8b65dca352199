import { readdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf, systemErrorCodeOf } from "../../core/errors.ts";
import { asCallId, type CallId } from "../../core/ids.ts";
import { LOCAL_COPY_MS, LOCAL_FILES_CHECK_MS, LOCAL_FILES_PER_QUERY } from "../../core/limits/storage/bucket.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { KeptCall, RetentionStore } from "../../store/calls/retention-store.ts";
import { journalDirectory, journalPath } from "../journal/reader.ts";
import { recordingPath } from "../recording/render.ts";
import { waveformPath } from "../recording/waveform.ts";
import { BUCKET_ERRORS, type JournalShipper } from "./journal-shipper.ts";
import type { SharedJournals } from "./shared-journals.ts";
import type { SharedRecordings } from "./shared-recordings.ts";

/** The files of calls on this disk, by their endings. */
const FILE = /^((?:call|transcription)_[\w-]+)\.(tlj|wav|peaks)$/;

export interface LocalFilesOptions {
  dataDir: string;
  journals: Pick<SharedJournals, "manifest">;
  recordings: Pick<SharedRecordings, "has" | "store">;
  shipper: Pick<JournalShipper, "finish" | "isComplete" | "forget">;
  store: Pick<RetentionStore, "listKept">;
  /** Runs work on the files of a call alone. */
  withFiles: <T>(callId: CallId, work: () => Promise<T>) => Promise<T>;
  clock: Clock;
  log: Pick<Logger, "warn" | "error">;
}

/**
 * Compares the files of calls on this disk with the store and the bucket. A file of a call that is over is brought to the bucket; once
 * the bucket has it, it is deleted from this disk, LOCAL_COPY_MS after its last use. A file that retention or a deletion took at another
 * node is deleted here too. Journals of calls that the store does not know stay: `npm run admin -- recover` makes records of them.
 */
export class LocalFiles {
  readonly #options: LocalFilesOptions;
  readonly #usedAtMs = new Map<CallId, MonotonicMs>();
  #unknown = 0;
  #cancelTimer = (): void => {};
  #isClosed = false;

  constructor(options: LocalFilesOptions) {
    this.#options = options;
  }

  /** Begins the checks, the first one at once. */
  start(): void {
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
  }

  /** A file of the call was used. */
  used(callId: CallId): void {
    this.#usedAtMs.set(callId, this.#options.clock.nowMs());
  }

  async #run(): Promise<void> {
    await this.check();
    if (!this.#isClosed) this.#cancelTimer = this.#options.clock.after(LOCAL_FILES_CHECK_MS, () => void this.#run());
  }

  /** Never rejects: what fails is tried again by the next check. */
  async check(): Promise<void> {
    const { store, log } = this.#options;
    try {
      const callIds = await this.#calls();
      let unknown = 0;
      for (let at = 0; at < callIds.length; at += LOCAL_FILES_PER_QUERY) {
        const some = callIds.slice(at, at + LOCAL_FILES_PER_QUERY);
        const kept = await store.listKept(some);
        unknown += some.length - kept.size;
        for (const [callId, call] of kept) if (call.endedAtMs !== undefined) await this.#tryCall(callId, call);
      }
      const found = new Set(callIds);
      for (const callId of this.#usedAtMs.keys()) if (!found.has(callId)) this.#usedAtMs.delete(callId);
      if (unknown > 0 && unknown !== this.#unknown)
        log.warn({ calls: unknown }, "files of calls that the store does not know stay on this disk");
      this.#unknown = unknown;
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "local files could not be compared with the bucket");
    }
  }

  async #calls(): Promise<readonly CallId[]> {
    const { dataDir } = this.#options;
    const names = [...(await namesIn(journalDirectory(dataDir))), ...(await namesIn(recordingsFolder(dataDir)))];
    return [...new Set(names.flatMap((name) => FILE.exec(name)?.[1] ?? []))].map(asCallId);
  }

  /** Rejects where no call can be checked at present. */
  async #tryCall(callId: CallId, call: KeptCall): Promise<void> {
    try {
      await this.#checkCall(callId, call);
    } catch (error) {
      const code = codeOf(error);
      if (BUCKET_ERRORS.includes(code)) throw error;
      this.#options.log.error({ callId, err: error, code }, "files of a call could not be compared with the bucket");
    }
  }

  async #checkCall(callId: CallId, call: KeptCall): Promise<void> {
    const { dataDir, withFiles } = this.#options;
    await withFiles(callId, async () => {
      const journal = journalPath(dataDir, callId);
      const recording = recordingPath(dataDir, callId);
      const files = [recording, waveformPath(recording)];
      if (!call.keepsJournal || (await this.#isCopy(callId, call, journal))) await this.#delete(callId, [journal]);
      if (!call.keepsRecording || (await this.#isStored(callId, recording))) await this.#delete(callId, files);
    });
  }

  /** Whether the journal of this disk is not needed any more. */
  async #isCopy(callId: CallId, { isRedacted }: KeptCall, path: string): Promise<boolean> {
    const { journals, shipper } = this.#options;
    if ((await sizeOf(path)) === undefined) return false;
    if (shipper.isComplete(callId)) return this.#isIdle(callId);
    // Another process has completed it: what is here may be older, or the original of what was redacted.
    if ((await journals.manifest(callId)) !== undefined) return true;
    await shipper.finish(callId, isRedacted);
    this.used(callId);
    return false;
  }

  async #isStored(callId: CallId, path: string): Promise<boolean> {
    const { recordings } = this.#options;
    const bytes = await sizeOf(path);
    // A waveform alone was fetched for a page.
    if (bytes === undefined) return this.#isIdle(callId);
    if (await recordings.has(callId, bytes)) return this.#isIdle(callId);
    await recordings.store(callId);
    this.used(callId);
    return false;
  }

  #isIdle(callId: CallId): boolean {
    const { clock } = this.#options;
    const usedAtMs = this.#usedAtMs.get(callId);
    if (usedAtMs === undefined) this.used(callId);
    return usedAtMs !== undefined && elapsedMs(usedAtMs, clock.nowMs()) >= LOCAL_COPY_MS;
  }

  async #delete(callId: CallId, paths: readonly string[]): Promise<void> {
    for (const path of paths) await rm(path, { force: true });
    if (paths.some((path) => path.endsWith(".tlj"))) this.#options.shipper.forget(callId);
  }
}

const recordingsFolder = (dataDir: string): string => dirname(recordingPath(dataDir, asCallId("call_0")));

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Undefined where there is no file. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
