import { type SqlBool, sql } from "kysely";
import type { SqlDialect } from "../../sql/database.ts";

/** SQLite's integers have 64 bits, and its `real` is JavaScript's number. */
export const SQLITE: SqlDialect = {
  columnTypes: { epochMs: "integer", durationMs: "real" },
  jsonText: (column, member) => sql<string | null>`json_extract(${sql.ref(column)}, ${pathOf(member)})`,
  jsonWithout: (column, member) => sql<string>`json_remove(${sql.ref(column)}, ${pathOf(member)})`,
  jsonHasText,
};

const pathOf = (member: string) => sql.lit(`$.${member}`);

/**
 * The key is a parameter and never becomes part of a JSON path. A value that SQLite holds as an integer is compared as
 * it is written: above 2^53 it is more exact there than in JavaScript. SQLite reads some fractions with a very large or
 * very small exponent one bit off, so fractions are compared approximately, and then as written.
 */
function jsonHasText(column: string, member: string, key: string, text: string) {
  const json = sql.ref(column);
  const number = JSON.stringify(Number(text)) === text ? Number(text) : null;
  const written = `${JSON.stringify(key)}:${text}`;
  return sql<SqlBool>`exists (
    select 1 from json_each(${json}, ${pathOf(member)}) as member
    where member.key = ${key} and case
      when member.type = 'text' then member.value = ${text}
      when member.type in ('true', 'false') then member.type = ${text}
      when typeof(member.value) = 'integer' then cast(member.value as text) = ${text}
      when typeof(member.value) = 'real' then abs(member.value - ${number}) <= abs(${number}) * 1e-9 + 1e-300
        and (instr(${json}, ${`${written},`}) > 0 or instr(${json}, ${`${written}}`}) > 0)
      else 0 end
  )`;
}
