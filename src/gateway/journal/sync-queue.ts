import { JOURNAL_SYNCS_MAX, JOURNAL_SYNCS_WAITING_MAX } from "../../core/limits/storage/storage.ts";

/** Flushes a file to disk, as fdatasync(2) does. */
export type SyncFile = (fd: number, done: (error: Error | null) => void) => void;

/**
 * Flushes the journals of ended calls to disk, off the event loop: JOURNAL_SYNCS_MAX at a time, because each occupies a
 * thread that writes of live calls need, too. When more than JOURNAL_SYNCS_WAITING_MAX wait, a journal is left to the
 * operating system, which writes it in its own time, and is counted.
 */
export class JournalSyncQueue {
  readonly #syncFile: SyncFile;
  readonly #pending: { fd: number; done: (error: Error | null) => void }[] = [];
  #running = 0;
  #skipped = 0;

  constructor(syncFile: SyncFile) {
    this.#syncFile = syncFile;
  }

  /** Journals that were not flushed to disk because too many were waiting. */
  get skipped(): number {
    return this.#skipped;
  }

  /** `done` is called once; without an error, too, when the flush was skipped. The file must stay open until then. */
  run(fd: number, done: (error: Error | null) => void): void {
    if (this.#running < JOURNAL_SYNCS_MAX) this.#start(fd, done);
    else if (this.#pending.length < JOURNAL_SYNCS_WAITING_MAX) this.#pending.push({ fd, done });
    else {
      this.#skipped += 1;
      done(null);
    }
  }

  #start(fd: number, done: (error: Error | null) => void): void {
    this.#running += 1;
    this.#syncFile(fd, (error) => {
      this.#running -= 1;
      const next = this.#pending.shift();
      if (next !== undefined) this.#start(next.fd, next.done);
      done(error);
    });
  }
}
