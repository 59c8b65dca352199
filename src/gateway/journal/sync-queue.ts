import { JOURNAL_SYNCS_MAX, JOURNAL_SYNCS_WAITING_MAX } from "../../core/limits/storage.ts";

/** Forces a file onto the disk, as fdatasync(2) does. */
export type SyncFile = (fd: number, done: (error: Error | null) => void) => void;

/**
 * Forces the journals of ended calls onto the disk, off the loop: JOURNAL_SYNCS_MAX at a time, for each holds a thread that writes of
 * live calls need, too. Beyond JOURNAL_SYNCS_WAITING_MAX that wait a journal is left to the system, which writes it within its own
 * time, and counted.
 */
export class JournalSyncQueue {
  readonly #syncFile: SyncFile;
  readonly #waiting: { fd: number; done: (error: Error | null) => void }[] = [];
  #running = 0;
  #skipped = 0;

  constructor(syncFile: SyncFile) {
    this.#syncFile = syncFile;
  }

  /** Journals that were not forced onto the disk because too many waited. */
  get skipped(): number {
    return this.#skipped;
  }

  /** `done` is called once; without an error also where the file was left out. The file must stay open until then. */
  run(fd: number, done: (error: Error | null) => void): void {
    if (this.#running < JOURNAL_SYNCS_MAX) this.#start(fd, done);
    else if (this.#waiting.length < JOURNAL_SYNCS_WAITING_MAX) this.#waiting.push({ fd, done });
    else {
      this.#skipped += 1;
      done(null);
    }
  }

  #start(fd: number, done: (error: Error | null) => void): void {
    this.#running += 1;
    this.#syncFile(fd, (error) => {
      this.#running -= 1;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#start(next.fd, next.done);
      done(error);
    });
  }
}
