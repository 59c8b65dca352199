/** A table of Markdown; each row has as many cells as `header`. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell.replaceAll("|", "\\|")} |`)).join("")}`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

export const inCode = (text: string): string => `\`${text}\``;

/** The values as code, separated by commas. */
export const listed = (values: readonly string[]): string => values.map(inCode).join(", ");

/** What stands between a line `<!-- generated: name -->` and the next `<!-- /generated -->`. */
const GENERATED = /^<!-- generated: ([a-z-]+) -->$\n[\s\S]*?^<!-- \/generated -->$/gm;

/**
 * The page with each of its generated parts replaced by the table of that name. Throws where it names a table that does not exist,
 * or does not end a part.
 */
export function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  const begins = page.match(/^<!-- generated: /gm)?.length ?? 0;
  const ends = page.match(/^<!-- \/generated -->$/gm)?.length ?? 0;
  if (begins !== ends) throw new Error(`${begins} generated parts begin, and ${ends} end`);
  return page.replace(GENERATED, (_, name: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`there is no table ${name}`);
    return `<!-- generated: ${name} -->\n${table}\n<!-- /generated -->`;
  });
}

/** The names of the tables in a page, in order. */
export const tablesIn = (page: string): string[] => [...page.matchAll(GENERATED)].map(([, name = ""]) => name);
