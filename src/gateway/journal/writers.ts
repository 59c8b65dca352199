import { strict as assert } from "node:assert";
import { close, fdatasync, mkdirSync, open, write } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import type { MediaKey } from "../../core/encryption/chunks.ts";
import type { CallId } from "../../core/ids.ts";
import { JOURNAL_FLUSH_MS } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import { journalDirectory, journalPath } from "../../record/journal/reader.ts";
import type { JournalStart } from "../../record/journal/records.ts";
import { JournalSyncQueue } from "./sync-queue.ts";
import { type JournalFiles, JournalWriter } from "./writer.ts";

const nodeFiles: JournalFiles = {
  create: (path, done) => open(path, "wx", 0o600, done),
  write: (fd, bytes, done) => write(fd, bytes, 0, bytes.length, null, done),
  sync: (fd, done) => fdatasync(fd, done),
  close: (fd, done) => close(fd, done),
};

export interface JournalWritersOptions {
  dataDir: string;
  /** Name and version of this software, for the header. */
  software: string;
  clock: Clock;
  log: Logger;
  files?: JournalFiles;
}

/** Each step flushes a part of the journals, so that a thousand flushes do not occupy the event loop at once. */
const FLUSH_STEP_MS = 10;
/** One round over all journals; shorter than JOURNAL_FLUSH_MS by the step that a journal may have to wait. */
const FLUSH_ROUND_MS = JOURNAL_FLUSH_MS - FLUSH_STEP_MS;

/** The journals that this process writes. One timer flushes all of them in turn, within JOURNAL_FLUSH_MS. */
export class JournalWriters {
  readonly #options: JournalWritersOptions;
  readonly #files: JournalFiles;
  readonly #sync: JournalSyncQueue;
  readonly #live = new Set<JournalWriter>();
  /** Iterates over the live journals; a set's iterator tolerates additions and deletions. */
  #round = this.#live.values();
  /** Journals that are due since the last step, fractions included. */
  #flushesDue = 0;
  #armed = false;
  #failures = 0;
  #writtenBytes = 0;

  /** Creates the directory if it does not exist. Throws what `mkdir` throws. */
  constructor(options: JournalWritersOptions) {
    this.#options = options;
    const files = options.files ?? nodeFiles;
    this.#files = files;
    this.#sync = new JournalSyncQueue((fd, done) => files.sync(fd, done));
    mkdirSync(journalDirectory(options.dataDir), { recursive: true, mode: 0o700 });
  }

  /** Journals that could not be written completely, since the process started. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Complete journals that were not flushed to disk because too many ended at the same time, since the process started.
   */
  get unsynced(): number {
    return this.#sync.skipped;
  }

  /** Bytes written to files, since the process started. */
  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** Bytes that are not on disk yet. */
  get pendingBytes(): number {
    let bytes = 0;
    for (const writer of this.#live) bytes += writer.pendingBytes;
    return bytes;
  }

  /**
   * Opens the journal of a call, encrypted where there is a key. The file is created asynchronously: if that fails, the writer has failed and the call
   * continues.
   */
  open(start: JournalStart, key?: MediaKey): JournalWriter {
    const { dataDir, software } = this.#options;
    const writer = new JournalWriter({
      path: journalPath(dataDir, start.callId),
      key,
      software,
      start,
      files: this.#files,
      sync: this.#sync,
      onWritten: (bytes) => {
        this.#writtenBytes += bytes;
      },
      onDone: (error) => this.#onDone(writer, start.callId, error),
    });
    this.#live.add(writer);
    if (!this.#armed) this.#arm();
    return writer;
  }

  #onDone(writer: JournalWriter, callId: CallId, error: Error | undefined): void {
    this.#live.delete(writer);
    if (error === undefined) return;
    this.#failures += 1;
    const code = "code" in error ? error.code : error.message;
    this.#options.log.error({ callId, code, fault: "service" }, "journal failed, the call continues");
  }

  #arm(): void {
    const { clock } = this.#options;
    const armedMs = clock.nowMs();
    this.#armed = true;
    clock.after(FLUSH_STEP_MS, () => this.#step(elapsedMs(armedMs, clock.nowMs())));
  }

  #step(sinceMs: number): void {
    this.#armed = false;
    if (this.#live.size === 0) return;
    this.#flushesDue = Math.min(this.#live.size, this.#flushesDue + (this.#live.size * sinceMs) / FLUSH_ROUND_MS);
    for (; this.#flushesDue >= 1; this.#flushesDue -= 1) this.#next().flushInTurn();
    this.#arm();
  }

  #next(): JournalWriter {
    let next = this.#round.next();
    if (next.done === true) {
      this.#round = this.#live.values();
      next = this.#round.next();
    }
    assert.ok(next.done !== true, "called only while there are live journals");
    return next.value;
  }
}
