import { strict as assert } from "node:assert";
import { close, fdatasync, mkdirSync, open, write } from "node:fs";
import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { Clock } from "../../core/clock.ts";
import {
  JOURNAL_BACKLOG_BYTES_MAX,
  JOURNAL_FLUSH_MS,
  JOURNAL_FLUSHES_SKIPPED_MAX,
  JOURNAL_PENDING_BYTES_MAX,
  JOURNAL_SKIPPED_FRAMES_BYTES_MAX,
} from "../../core/limits/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import { JournalEncoder } from "../../record/journal/format.ts";
import { journalDirectory, journalPath } from "../../record/journal/reader.ts";
import type { JournalStart } from "../../record/journal/records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../record/journal/redact.ts";
import { JournalSyncQueue, type SyncFile } from "./sync-queue.ts";

/**
 * The file operations that a journal needs. Callbacks: a promise makes each write half as expensive again (measured).
 */
export interface JournalFiles {
  /** Creates a new file, accessible only to its owner. */
  create(path: string, done: (error: Error | null, fd: number) => void): void;
  /** Appends; may write less than it was given. `bytes` must not change until `done`. */
  write(fd: number, bytes: Uint8Array, done: (error: Error | null, writtenBytes: number) => void): void;
  /** Flushes what was written to disk. */
  sync: SyncFile;
  close(fd: number, done: (error: Error | null) => void): void;
}

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
   * Opens the journal of a call. The file is created asynchronously: if that fails, the writer has failed and the call
   * continues.
   */
  open(start: JournalStart): JournalWriter {
    const { dataDir, software } = this.#options;
    const writer = new JournalWriter({
      path: journalPath(dataDir, start.callId),
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

  #onDone(writer: JournalWriter, callId: string, error: Error | undefined): void {
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
    clock.after(FLUSH_STEP_MS, () => this.#step(clock.nowMs() - armedMs));
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

interface JournalWriterOptions {
  path: string;
  software: string;
  start: JournalStart;
  files: JournalFiles;
  sync: JournalSyncQueue;
  /** This many more bytes are in the file. */
  onWritten: (bytes: number) => void;
  /** The journal is complete, or has failed. Called once. */
  onDone: (error: Error | undefined) => void;
}

/**
 * Writes the journal of one call. It never waits, and disk errors are never thrown: one buffer is filled while the
 * other is being written. A disk that is too slow costs audio first and then the journal, but never the call.
 *
 * If a call is not recorded, neither audio nor words are written, whatever the caller of this class passes in.
 */
export class JournalWriter {
  readonly #files: JournalFiles;
  readonly #sync: JournalSyncQueue;
  readonly #onWritten: (bytes: number) => void;
  readonly #onDone: (error: Error | undefined) => void;
  readonly #recorded: boolean;
  readonly #closed: Promise<void>;
  #resolveClosed = (): void => {};
  #filling = new JournalEncoder();
  #writing = new JournalEncoder();
  #fd: number | undefined;
  /** The file is being created, written or closed. */
  #busy = true;
  #closing = false;
  #failed = false;
  #framesWithoutAudio = 0;
  /** Something other than frames is waiting to be written. */
  #hasUnflushedEvents = true;
  #flushesSkipped = 0;

  constructor({ path, software, start, files, sync, onWritten, onDone }: JournalWriterOptions) {
    this.#files = files;
    this.#sync = sync;
    this.#onWritten = onWritten;
    this.#onDone = onDone;
    this.#recorded = start.spec.recordingEnabled;
    this.#closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#filling.header(journalHeader(software, start));
    files.create(path, (error, fd) => this.#onCreated(error, fd));
  }

  /** The journal ends before its call: nothing more is written. */
  get failed(): boolean {
    return this.#failed;
  }

  /** Frames whose audio was omitted because the disk did not keep up. */
  get framesWithoutAudio(): number {
    return this.#framesWithoutAudio;
  }

  /** Bytes that are not in the file yet. */
  get pendingBytes(): number {
    return this.#filling.length + this.#writing.length;
  }

  /** An inbound frame: the event `frame-in`, and its bytes in the leg's codec, which are copied. */
  frameIn(timeMs: number, mediaMs: number, isSpeech: boolean, bytes: Uint8Array): void {
    if (this.#over) return;
    const audioOmitted = this.#omitsAudio();
    this.#filling.frameIn(timeMs, mediaMs, isSpeech, this.#recorded && !audioOmitted ? bytes : undefined, audioOmitted);
    this.#checkBacklog();
  }

  /** An outbound frame: the event `frame-out`, and its bytes in the leg's codec, which are copied. */
  frameOut(timeMs: number, turnId: number, samples: number, bytes: Uint8Array): void {
    if (this.#over) return;
    const audioOmitted = this.#omitsAudio();
    this.#filling.frameOut(timeMs, turnId, samples, this.#recorded && !audioOmitted ? bytes : undefined, audioOmitted);
    this.#checkBacklog();
  }

  /** Any other event. It must be journaled before the commands that it causes. */
  event(timeMs: number, event: CallEvent): void {
    if (event.kind === "frame-in" || event.kind === "frame-out")
      assert.fail("frame events must be journaled with their audio");
    if (this.#over) return;
    this.#hasUnflushedEvents = true;
    this.#filling.event(timeMs, journaledEvent(event, this.#recorded));
    this.#checkBacklog();
  }

  command(timeMs: number, command: CallCommand): void {
    if (this.#over) return;
    this.#hasUnflushedEvents = true;
    this.#filling.command(timeMs, journaledCommand(command, this.#recorded));
    this.#checkBacklog();
  }

  /**
   * As `flush`, but a few frames alone wait for more: a write costs far more than its content (a tenth of a call,
   * measured).
   */
  flushInTurn(): void {
    const waits = !this.#hasUnflushedEvents && this.#filling.length <= JOURNAL_SKIPPED_FRAMES_BYTES_MAX;
    if (waits && this.#flushesSkipped < JOURNAL_FLUSHES_SKIPPED_MAX) this.#flushesSkipped += 1;
    else this.flush();
  }

  /** Starts writing what was collected, unless the previous write is still in progress. */
  flush(): void {
    if (this.#busy || this.#failed || this.#filling.length === 0) return;
    this.#busy = true;
    this.#hasUnflushedEvents = false;
    this.#flushesSkipped = 0;
    const filled = this.#filling;
    this.#filling = this.#writing;
    this.#writing = filled;
    this.#write(filled.written());
  }

  /**
   * Accepts nothing more. Resolves when everything is on disk and the file is closed, or when the journal has failed.
   */
  close(): Promise<void> {
    this.#closing = true;
    if (!this.#busy && !this.#failed) this.#onIdle();
    return this.#closed;
  }

  get #over(): boolean {
    return this.#closing || this.#failed;
  }

  #onCreated(error: Error | null, fd: number): void {
    if (error !== null) {
      this.#fail(error);
      return;
    }
    this.#fd = fd;
    this.#busy = false;
    // The header is written at once: from then on there is a journal to recover the call from.
    if (this.#failed) this.#closeFile(() => {});
    else this.flush();
  }

  #write(bytes: Uint8Array): void {
    assert.ok(this.#fd !== undefined);
    this.#files.write(this.#fd, bytes, (error, writtenBytes) => {
      if (error === null) this.#onWritten(writtenBytes);
      if (error === null && !this.#failed && writtenBytes < bytes.length) {
        this.#write(bytes.subarray(writtenBytes));
        return;
      }
      this.#busy = false;
      this.#writing.reset();
      if (error !== null) this.#fail(error);
      if (this.#failed) this.#closeFile(() => {});
      else if (this.#closing) this.#onIdle();
    });
  }

  /**
   * Closing, and no operation is in progress: the rest is written, then flushed to disk, and then the file is closed.
   */
  #onIdle(): void {
    if (this.#filling.length > 0) {
      this.flush();
      return;
    }
    assert.ok(this.#fd !== undefined);
    this.#busy = true;
    this.#sync.run(this.#fd, (syncError) => {
      this.#busy = false;
      this.#closeFile((closeError) => {
        const error = syncError ?? closeError;
        if (error === null) this.#settle(undefined);
        else this.#fail(error);
      });
    });
  }

  #closeFile(done: (error: Error | null) => void): void {
    assert.ok(this.#fd !== undefined && !this.#busy);
    this.#busy = true;
    this.#files.close(this.#fd, done);
  }

  #omitsAudio(): boolean {
    if (!this.#recorded || this.pendingBytes <= JOURNAL_PENDING_BYTES_MAX) return false;
    this.#framesWithoutAudio += 1;
    return true;
  }

  #checkBacklog(): void {
    if (this.pendingBytes <= JOURNAL_BACKLOG_BYTES_MAX) return;
    this.#fail(new Error("journal backlog exceeds its limit"));
    // A write in progress still needs the file; its completion closes the file.
    if (!this.#busy) this.#closeFile(() => {});
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#filling.reset();
    this.#settle(error);
  }

  #settle(error: Error | undefined): void {
    this.#onDone(error);
    this.#resolveClosed();
  }
}
