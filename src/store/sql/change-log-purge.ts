import type { SqlDatabase } from "./database.ts";

/**
 * Removes what was deleted, and words that were redacted, from the database's change log as well. What is not purged at once, because
 * there are readers, the database fails or it can wait, is purged by the next `retry`, which the expiry of calls makes often.
 */
export class ChangeLogPurge {
  readonly #database: Pick<SqlDatabase, "purgeChangeLog">;
  /** An earlier process may have left something. */
  #isPending = true;

  constructor(database: Pick<SqlDatabase, "purgeChangeLog">) {
    this.#database = database;
  }

  /** A deletion is committed: the next `retry` purges. */
  markPending(): void {
    this.#isPending = true;
  }

  /** A deletion is committed, and has succeeded whatever becomes of the purge. Never rejects: the next `retry` says what is wrong. */
  async purge(): Promise<void> {
    this.markPending();
    try {
      await this.retry();
    } catch {
      // It is still pending.
    }
  }

  /** Purges what is pending. Does not wait for readers. Rejects with the database's errors. */
  async retry(): Promise<void> {
    if (!this.#isPending) return;
    // What is deleted during the purge may come too late for it.
    this.#isPending = false;
    let isPurged = false;
    try {
      isPurged = await this.#database.purgeChangeLog();
    } finally {
      if (!isPurged) this.#isPending = true;
    }
  }
}
