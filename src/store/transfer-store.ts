/** A row of any table, as the database holds it. */
export interface TransferredRow {
  table: string;
  row: Readonly<Record<string, string | number | null>>;
}

/** What a table has: rows, and a sum over them that does not depend on their order. */
export interface TableSum {
  rows: number;
  /** 16 hex digits. */
  digest: string;
}

export type TransferSums = Readonly<Record<string, TableSum>>;

/** Moves everything that a database has into another one, of any kind. */
export interface TransferStore {
  /** The name of the last migration. Only databases with the same schema exchange rows. */
  schemaVersion(): Promise<string>;
  /** Calls `take` for every row, as of one moment, also while a service writes. Returns the sums of what it was called for. */
  export(take: (row: TransferredRow) => Promise<void>): Promise<TransferSums>;
  /**
   * Whether nothing was ever stored. The store's own counters do not count.
   */
  isEmpty(): Promise<boolean>;
  /** The id of the import that has begun and not ended, whatever happened to its process; undefined where there is none. */
  unfinishedImport(): Promise<string | undefined>;
  /** Until `endImport`, every other opening of these stores is refused: they are half filled. */
  beginImport(id: string): Promise<void>;
  endImport(): Promise<void>;
  /** Deletes all rows but the store's own counters and the mark of `beginImport`. */
  deleteAll(onRows: (rows: number) => void): Promise<void>;
  /** Stores rows in transactions, in the order of an export. Rejects with the database's errors. */
  import(rows: AsyncIterable<TransferredRow>, onRows: (rows: number) => void): Promise<void>;
}
