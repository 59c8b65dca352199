import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { Tables } from "./tables.ts";

// One statement that writes several tables is a transaction of its own: it needs no BEGIN and no COMMIT, and one answer of the server. All
// of its parts see the database as it was before the statement, and what another part returns. For databases with `combinesWrites`.

/** Rows for a table, all with the same columns. */
export interface RowsOfTable {
  table: keyof Tables;
  rows: readonly object[];
  /** Leaves out rows whose key is taken. */
  skipsTaken?: boolean;
}

/** A statement with parts, whose tables and columns are checked where the parts are written. */
// biome-ignore lint/suspicious/noExplicitAny: the type of a statement would change with each part.
export type CombinedQuery = QueryCreator<any>;

/** Inserts the rows if `condition` holds. */
export function insertIf(
  query: CombinedQuery,
  { table, rows, skipsTaken }: RowsOfTable,
  condition: RawBuilder<unknown>,
) {
  const columns = Object.keys(rows[0] ?? {});
  const list = sql.join(columns.map((column) => sql.ref(`given.${column}`)));
  // As JSON they have the types of the table's columns; parameters of a SELECT would be texts.
  const given = sql`json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) as given`;
  return query
    .insertInto(table)
    .columns(columns)
    .expression(sql`select ${list} from ${given} where ${condition}`)
    .$if(skipsTaken === true, (insert) => insert.onConflict((conflict) => conflict.doNothing()));
}

/** Adds insertions that take place if the part of this name has written a row. */
export const withInserts = (query: CombinedQuery, part: string, inserts: readonly RowsOfTable[]): CombinedQuery =>
  inserts
    .filter(({ rows }) => rows.length > 0)
    .reduce(
      (combined, insert) =>
        combined.with(`into_${insert.table}`, (creator) =>
          insertIf(creator, insert, sql`exists (select 1 from ${sql.table(part)})`),
        ),
      query,
    );

/** Whether the part of this name has written a row. Runs the statement. */
export async function runCombined(query: CombinedQuery, part: string): Promise<boolean> {
  return (await query.selectFrom(part).select(sql.lit(1).as("written")).executeTakeFirst()) !== undefined;
}
