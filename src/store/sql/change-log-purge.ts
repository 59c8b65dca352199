import type { SqlDatabase } from "./database.ts";

/**
 * Removes what was deleted, and words that were redacted, from the database's change log as well. What cannot be done at once, because
 * there are readers or the database fails, is done by a later `retry`.
 */
export class ChangeLogPurge {
  readonly #database: Pick<SqlDatabase, "purgeChangeLog">;
  /** An earlier process may have left something. */
  #isPending = true;

  constructor(database: Pick<SqlDatabase, "purgeChangeLog">) {
    this.#database = database;
  }

  /** A deletion is committed: the next `retry` purges. */
  require(): void {
    this.#isPending = true;
  }

  /** A deletion is committed, and has succeeded whatever becomes of the purge. Never rejects. */
  async removed(): Promise<void> {
    this.require();
    try {
      await this.retry();
    } catch {
      // It is pending: the next retry says what is wrong.
    }
  }

  /** Does not wait for readers. Rejects with the database's errors. */
  async retry(): Promise<void> {
    if (!this.#isPending) return;
    // What is removed during the purge may come too late for it.
    this.#isPending = false;
    let isPurged = false;
    try {
      isPurged = await this.#database.purgeChangeLog();
    } finally {
      if (!isPurged) this.#isPending = true;
    }
  }
}
