import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { ERROR_MEANINGS } from "../../src/core/errors.ts";
import { markdownTable, tablesIn, withTables } from "./tables/markdown.ts";
import { allTables, type Page, pagesWith } from "./tables/pages.ts";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

describe("generated tables of docs/", () => {
  let tables: Record<string, string>;
  let pages: Page[];
  beforeAll(async () => {
    tables = await allTables();
    pages = pagesWith(tables);
  });

  test("are as the code generates them", () => {
    const stale = pages.filter(({ text, current }) => text !== current).map(({ name }) => name);
    expect(stale, "these pages have stale tables: run `npm run docs:tables` and commit them").toEqual([]);
  });

  test("are each in one page", () => {
    const shown = pages.flatMap(({ text }) => tablesIn(text));
    expect(shown.toSorted()).toEqual(Object.keys(tables).toSorted());
  });

  test("have a meaning in every row", () => {
    for (const [name, table] of Object.entries(tables)) {
      const [header = "", , ...rows] = table.split("\n");
      const column = header.split("|").findIndex((cell) => cell.trim() === "meaning");
      expect(column, name).toBeGreaterThan(0);
      expect(rows.length, name).toBeGreaterThan(0);
      const withoutMeaning = rows.filter((row) => row.split(/(?<!\\)\|/)[column]?.trim() === "");
      expect(withoutMeaning, name).toEqual([]);
    }
  });
});

describe("a page with generated tables", () => {
  const TABLES = { colours: markdownTable(["colour", "meaning"], [["`red`", "stop"]]) };
  const page = (rows: string): string =>
    `Colours:\n\n<!-- generated: colours -->\n${rows}<!-- /generated -->\n\nThe end.\n`;
  const CURRENT = page("| colour | meaning |\n| --- | --- |\n| `red` | stop |\n");

  test("gets the rows of the code in place of what it had, and nothing else changes", () => {
    expect(withTables(page(""), TABLES)).toBe(CURRENT);
    expect(withTables(page("| colour |\n| --- |\n| `green` |\n"), TABLES)).toBe(CURRENT);
    expect(withTables(CURRENT, TABLES)).toBe(CURRENT);
  });

  test("is refused when it names an unknown table or leaves one open", () => {
    expect(() => withTables(CURRENT, {})).toThrow("there is no table colours");
    expect(() => withTables(CURRENT.replace("<!-- /generated -->\n", ""), TABLES)).toThrow(
      "1 generated parts begin, and 0 end",
    );
  });

  test("shows a bar within a cell", () => {
    expect(markdownTable(["a"], [["x|y"]])).toBe("| a |\n| --- |\n| x\\|y |");
  });
});

describe("the table of error codes in logs", () => {
  test("has every code with which the service throws, and no other", () => {
    const texts = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(join(SOURCE, path), "utf8"));
    const thrown = texts.flatMap((text) =>
      [...text.matchAll(/\bnew TrunklineError\(\s*"(\w+)"/g)].map(([, code = ""]) => code),
    );
    // Every other thrown value has the code of a defect.
    expect([...new Set([...thrown, "internal"])].toSorted()).toEqual(Object.keys(ERROR_MEANINGS).toSorted());
  });
});
