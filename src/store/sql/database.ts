import type { AliasableExpression, ColumnDataType, Expression, Kysely, SqlBool, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** Types of columns whose standard name is too narrow in one of the databases. */
export interface ColumnTypes {
  /** Holds ms since 1970 exactly. */
  readonly epochMs: ColumnDataType;
  /** Holds ms with fractions as JavaScript does. */
  readonly durationMs: ColumnDataType;
}

/** What each database writes differently. `column` is a column of JSON text with its table, `calls.settings`. */
export interface SqlDialect {
  readonly columnTypes: ColumnTypes;
  /** The text of a top-level string member; null where there is none. */
  jsonText(column: string, member: string): Expression<string | null>;
  /** The JSON text without a top-level member. */
  jsonWithout(column: string, member: string): AliasableExpression<string>;
  /**
   * Whether the top-level object `member` has the key `key` with this value as text: a string as it is, a number or a
   * boolean as JSON. Any other value has no text. Both are data, and may hold any characters.
   */
  jsonHasText(column: string, member: string, key: string, text: string): Expression<SqlBool>;
}

/** An open database, as the portable queries use it. Kysely's driver maps temporary errors to `unavailable`. */
export interface SqlDatabase {
  readonly db: Kysely<Tables>;
  readonly dialect: SqlDialect;
  /**
   * Runs `work` in a transaction with the same result as if it ran alone. A database without one write lock may have to
   * run it again for that, so `work` has no other effect that may not be repeated.
   */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** See `RetentionStore.compact`. */
  compact(): Promise<boolean>;
  /** Removes deleted data from the change log. Does not wait; returns whether it was possible. */
  purgeChangeLog(): Promise<boolean>;
}
