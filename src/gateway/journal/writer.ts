import { strict as assert } from "node:assert";
import type { CallCommand, CallEvent } from "../../call/events.ts";
import { storesWords } from "../../core/calls/spec.ts";
import type { CallMs, MediaMs } from "../../core/clocks.ts";
import { ChunkSealer, type MediaKey } from "../../core/encryption/chunks.ts";
import type { TurnId } from "../../core/ids.ts";
import {
  JOURNAL_BACKLOG_BYTES_MAX,
  JOURNAL_FLUSHES_SKIPPED_MAX,
  JOURNAL_PENDING_BYTES_MAX,
  JOURNAL_SKIPPED_FRAMES_BYTES_MAX,
} from "../../core/limits/storage/storage.ts";
import { JournalEncoder } from "../../record/journal/format.ts";
import type { JournalStart } from "../../record/journal/records.ts";
import { journaledCommand, journaledEvent, journalHeader } from "../../record/journal/redact.ts";
import { JournaledPauses } from "./recording-pauses.ts";
import type { JournalSyncQueue, SyncFile } from "./sync-queue.ts";

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

export interface JournalWriterOptions {
  path: string;
  /** With it the file is encrypted from its first byte. */
  key?: MediaKey | undefined;
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
 * An encrypted journal takes a chunk for each write, so that nothing is encrypted for a frame alone. Its last one says
 * that it is the final one.
 *
 * Audio and words of a call that may not be stored are not written, whatever the caller of this class passes in.
 */
export class JournalWriter {
  readonly #files: JournalFiles;
  readonly #sync: JournalSyncQueue;
  readonly #onWritten: (bytes: number) => void;
  readonly #onDone: (error: Error | undefined) => void;
  readonly #hasAudio: boolean;
  readonly #hasWords: boolean;
  readonly #pauses = new JournaledPauses();
  /** Encrypts what is written, a chunk for each flush; undefined where the journal is not encrypted. */
  readonly #sealer: ChunkSealer | undefined;
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

  constructor({ path, key, software, start, files, sync, onWritten, onDone }: JournalWriterOptions) {
    this.#files = files;
    this.#sync = sync;
    this.#onWritten = onWritten;
    this.#onDone = onDone;
    this.#hasAudio = start.spec.recordingEnabled;
    this.#hasWords = storesWords(start.spec);
    this.#sealer = key && new ChunkSealer(key, "journal");
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
  frameIn(timeMs: CallMs, mediaMs: MediaMs, isSpeech: boolean, bytes: Uint8Array): void {
    if (this.#over) return;
    if (isSpeech) this.#pauses.speech();
    const audioOmitted = this.#omitsAudio();
    const audio = this.#storesAudio && !audioOmitted ? bytes : undefined;
    this.#filling.frameIn(timeMs, mediaMs, isSpeech, audio, audioOmitted);
    this.#checkBacklog();
  }

  /** An outbound frame: the event `frame-out`, and its bytes in the leg's codec, which are copied. */
  frameOut(timeMs: CallMs, turnId: TurnId, samples: number, bytes: Uint8Array): void {
    if (this.#over) return;
    const audioOmitted = this.#omitsAudio();
    const audio = this.#storesAudio && !audioOmitted ? bytes : undefined;
    this.#filling.frameOut(timeMs, turnId, samples, audio, audioOmitted);
    this.#checkBacklog();
  }

  /** The stream of this attachment starts; `leg-started` follows. */
  attached(timeMs: CallMs, attachment: number): void {
    if (this.#over) return;
    this.#hasUnflushedEvents = true;
    this.#filling.attached(timeMs, attachment);
    this.#checkBacklog();
  }

  /** Any other event. It must be journaled before the commands that it causes. */
  event(timeMs: CallMs, event: CallEvent): void {
    if (event.kind === "frame-in" || event.kind === "frame-out")
      assert.fail("frame events must be journaled with their audio");
    if (this.#over) return;
    this.#hasUnflushedEvents = true;
    this.#filling.event(timeMs, journaledEvent(event, !this.#pauses.withholdsEvent(event) && this.#hasWords));
    this.#checkBacklog();
  }

  command(timeMs: CallMs, command: CallCommand): void {
    if (this.#over) return;
    this.#hasUnflushedEvents = true;
    this.#pauses.command(command, timeMs);
    const withWords = this.#hasWords && !this.#pauses.withholdsCommand(command);
    this.#filling.command(timeMs, journaledCommand(command, withWords));
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
    this.#writeFilled();
  }

  #writeFilled(): void {
    this.#busy = true;
    this.#hasUnflushedEvents = false;
    this.#flushesSkipped = 0;
    const filled = this.#filling;
    this.#filling = this.#writing;
    this.#writing = filled;
    const filledBytes = filled.written();
    this.#write(this.#sealer?.seal(filledBytes, this.#closing) ?? filledBytes);
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
    const lacksEnd = this.#sealer?.isFinal === false;
    if (this.#filling.length > 0 || lacksEnd) {
      this.#writeFilled();
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

  /** Audio of the call is stored, and its recording is not paused. */
  get #storesAudio(): boolean {
    return this.#hasAudio && !this.#pauses.isPaused;
  }

  #omitsAudio(): boolean {
    if (!this.#storesAudio || this.pendingBytes <= JOURNAL_PENDING_BYTES_MAX) return false;
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
