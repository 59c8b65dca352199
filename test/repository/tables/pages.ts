import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationTables } from "./configuration.ts";
import { errorTables } from "./errors.ts";
import { eventTables } from "./events.ts";
import { withTestFiles } from "./faults.ts";
import { withTables } from "./markdown.ts";
import { metricTables } from "./metrics.ts";

const DOCS = fileURLToPath(new URL("../../../docs/", import.meta.url));

/** A page of docs/. */
export interface Page {
  path: string;
  /** Relative to the repository. */
  name: string;
  text: string;
  /** What `text` would be if its tables were generated now. */
  current: string;
}

/** All generated tables, by the name that stands in the pages. */
export const allTables = async (): Promise<Record<string, string>> => ({
  ...configurationTables(),
  ...errorTables(),
  ...eventTables(),
  ...(await metricTables()),
});

/** The pages of docs/, with what their generated tables would be. */
export function pagesWith(tables: Readonly<Record<string, string>>): Page[] {
  const names = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
  return names.map((name) => {
    const path = `${DOCS}${name}`;
    const text = readFileSync(path, "utf8");
    const current = name === "faults.md" ? withTestFiles(text) : withTables(text, tables);
    return { path, name: `docs/${name}`, text, current };
  });
}
