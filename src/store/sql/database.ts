import type { ColumnDataType, Kysely, RawBuilder, Transaction } from "kysely";
import type { EpochMs } from "../../core/clocks.ts";
import type { Tables } from "./tables.ts";

/** Types of columns whose standard name is too narrow in one of the databases. */
export interface ColumnTypes {
  /** Holds ms since 1970 exactly. */
  readonly epochMs: ColumnDataType;
  /** Holds ms with fractions as JavaScript does. */
  readonly durationMs: ColumnDataType;
}

/** An open database, as the portable queries use it. Kysely's driver maps temporary errors to `unavailable`. */
export interface SqlDatabase {
  readonly db: Kysely<Tables>;
  readonly columnTypes: ColumnTypes;
  /** Whether writers run at once, so that rows must be locked to be claimed. */
  readonly locksRows: boolean;
  /** Whether a statement may write several tables, one part after what another has written: see `combined-writes.ts`. */
  readonly combinesWrites: boolean;
  /** The time by the database's own clock, ms since 1970, as a term of a statement. */
  readonly nowMs: RawBuilder<EpochMs>;
  /**
   * Runs `work` in a transaction with the same result as if it ran alone. A database without one write lock may have to
   * run it again for that, so `work` has no other effect that may not be repeated.
   */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * A transaction of which other writers see all or nothing, but which may see theirs between its statements. It is for
   * work that decides nothing by what it has read: each statement checks the rows that it changes. A database without one
   * write lock then has no conflicts to detect, of which it finds many where there are none.
   */
  readCommitted<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** As `readCommitted`, for what a power failure may undo: see `withoutSync`. */
  readCommittedWithoutSync<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs writes whose loss in a power failure does no harm; the database need not wait for the disk. They survive a crash of
   * the process. Each statement is atomic by itself.
   */
  withoutSync<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Runs `read` on one state of the database, however much is written meanwhile. */
  readSnapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** See `RetentionStore.compact`. */
  compact(): Promise<boolean>;
  /** Removes deleted data from the change log. Does not wait; returns whether it was possible. */
  purgeChangeLog(): Promise<boolean>;
}
