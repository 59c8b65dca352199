import type { SqlDatabase } from "../database.ts";

/** Removes text of removed and redacted calls from the database's change log, and remembers where that has not succeeded. */
export class ChangeLogPurge {
  readonly #database: Pick<SqlDatabase, "purgeChangeLog">;
  /** Text of something removed may still be in the change log; an earlier process may have removed it. */
  #isPending = true;

  constructor(database: Pick<SqlDatabase, "purgeChangeLog">) {
    this.#database = database;
  }

  /** Something was removed: if the next `purge` fails, `retry` does it. */
  require(): void {
    this.#isPending = true;
  }

  /** Does not wait for readers, which may prevent it. Rejects with the database's errors. */
  async purge(): Promise<void> {
    this.#isPending = !(await this.#database.purgeChangeLog());
  }

  /** Purges if that is pending. Rejects as `purge` does. */
  async retry(): Promise<void> {
    if (this.#isPending) await this.purge();
  }
}
