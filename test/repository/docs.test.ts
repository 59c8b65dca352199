import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { STATUS } from "../../src/api/http/errors.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { CONNECTION_TYPES } from "../../src/carriers/list.ts";
import { SPEND_ACTIONS } from "../../src/core/billing/spend.ts";
import { END_REASONS } from "../../src/core/calls/reasons.ts";
import { refusalOf } from "../../src/gateway/server/upgrade.ts";
import { variablesRead } from "../support/configuration/variables-read.ts";
import { everyMetric } from "../support/metrics/every-metric.ts";
import { unknownInQuery } from "../support/metrics/promql.ts";
import { filesByFault } from "./tables/faults.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README_LINES_MAX = 200;
/** Folders of installed, built or recorded files, which hold no page of the project. */
const NOT_OURS = new Set(["node_modules", "dist", "data", "results"]);

/** The files under a folder whose names end with `ending`. */
function filesUnder(directory: string, ending: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory())
      return NOT_OURS.has(entry.name) || entry.name.startsWith(".") ? [] : filesUnder(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const textOf = (path: string): string => readFileSync(path, "utf8");
const withoutCode = (markdown: string): string => markdown.replace(/^ *```.*?^ *```/gms, "");

/** The anchors that GitHub gives the headings of a page. A repeated heading gets a number. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-");
    let numbered = anchor;
    for (let count = 1; anchors.has(numbered); count += 1) numbered = `${anchor}-${count}`;
    anchors.add(numbered);
  }
  return anchors;
}

/** The relative links of a page whose target does not exist. */
function brokenLinks(page: string, markdown: string): string[] {
  const prose = withoutCode(markdown).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#", 2);
      const file = path === "" ? page : resolve(dirname(page), path);
      if (!existsSync(file)) return true;
      if (anchor === undefined) return false;
      return statSync(file).isDirectory() || !anchorsOf(textOf(file)).has(anchor);
    });
}

/** Two versions of one paragraph have the same beginning, of this length. */
const PARAGRAPH_BEGINS_CHARS = 49;
const PARAGRAPH = "Crashes lose calls, not records. Every call has a";

/** The rows of one table that start with the same names in code, and paragraphs of one page with the same beginning. */
function repeatedIn(markdown: string): string[] {
  const seen = new Set<string>();
  let table = 0;
  return withoutCode(markdown)
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith("|")) table += 1;
      const [row] = /^\| [^|]*`[^|]* \|/.exec(line) ?? [];
      const isParagraph =
        row === undefined && /^(?:\p{L}|`|\d+\. |- )/u.test(line) && line.length >= PARAGRAPH_BEGINS_CHARS;
      const begin = row ?? (isParagraph ? line.slice(0, PARAGRAPH_BEGINS_CHARS) : undefined);
      if (begin === undefined) return [];
      const key = row === undefined ? begin : `${table} ${row}`;
      const isRepeated = seen.has(key);
      seen.add(key);
      return isRepeated ? [begin] : [];
    });
}

/** The error code of the media port's response with this status. */
const mediaPortCode = (status: 401 | 404 | 426 | 503 | 504): string =>
  JSON.parse(refusalOf(status, []).body).error.code;

describe("the documentation", () => {
  const pages = filesUnder(ROOT, ".md");

  test.each(
    pages.map((page) => relative(ROOT, page)),
  )("shell blocks of %s can be pasted into zsh, which takes no comments and splits no variable into words", (page) => {
    const blocks = [...textOf(join(ROOT, page)).matchAll(/^ *```(?:sh|bash)\n(.*?)^ *```$/gms)];
    const lines = blocks.flatMap(([, text = ""]) => text.split("\n"));
    expect(lines.filter((line) => /(?:^|\s)#(?:\s|$)/.test(line) || /(?:^|[;&|] *)\w+="-/.test(line))).toEqual([]);
  });

  test("includes the README and the pages under docs and deploy", () => {
    expect(pages.map((page) => relative(ROOT, page))).toEqual(
      expect.arrayContaining(["README.md", "docs/api.md", "deploy/README.md"]),
    );
  });

  test.each(pages.map((page) => relative(ROOT, page)))("%s has no broken link", (page) => {
    const file = join(ROOT, page);
    expect(brokenLinks(file, textOf(file))).toEqual([]);
  });

  test.each(
    pages.map((page) => relative(ROOT, page)),
  )("%s has no repeated paragraph and no repeated row of a table", (page) => {
    expect(repeatedIn(textOf(join(ROOT, page)))).toEqual([]);
  });

  test("a repeated paragraph or row is found", () => {
    const rows = "| `A` | 1 |\n| `A` | 2 |\n";
    expect(repeatedIn(`${rows}\n${PARAGRAPH}\n\n${rows}${PARAGRAPH} And more.\n`)).toEqual([
      "| `A` |",
      "| `A` |",
      PARAGRAPH,
    ]);
    expect(repeatedIn("| `A` | 1 |\n\n| `A` | 2 |\n```\n| `B` |\n| `B` |\n```\n")).toEqual([]);
  });

  test("a link to a missing page or heading is found", () => {
    const page = join(ROOT, "README.md");
    const links =
      "[a](docs/none.md) [b](docs/api.md#none) [c](#none) [d](docs/api.md#errors) [e](https://example.com/none)";
    expect(brokenLinks(page, links)).toEqual(["docs/none.md", "docs/api.md#none", "#none"]);
    expect(brokenLinks(page, "`[a](none.md)`\n```\n[b](none.md)\n```\n")).toEqual([]);
  });

  test(`README.md has at most ${README_LINES_MAX} lines, and leads to every page under docs`, () => {
    const readme = textOf(join(ROOT, "README.md"));
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(README_LINES_MAX);
    for (const page of readdirSync(join(ROOT, "docs"))) expect(readme).toContain(`(docs/${page}`);
  });
});

describe("docs/faults.md", () => {
  test("has a row for every id at the start of a test's name", () => {
    const page = textOf(join(ROOT, "docs/faults.md"));
    const named = [...filesByFault().keys()];
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((id) => !page.includes(`\n| \`${id}\` |`))).toEqual([]);
  });
});

describe("docs/turn-taking.md", () => {
  const [, section = ""] = textOf(join(ROOT, "docs/turn-taking.md")).split("\n## Parameters\n");
  const rows = [...section.matchAll(/^\| (`[^|]+`) \| ([\d, of]+) \|/gm)].map(([, cell = "", values = ""]) => ({
    names: [...cell.matchAll(/`(\w+(?:Ms|Max|Frames|Chars))`/g)].map(([, name = ""]) => name),
    values: (values.match(/\d[\d,]*\d|\d/g) ?? []).map((value) => Number(value.replace(",", ""))),
  }));

  test("names the turn parameters by their names in the code, with their values", () => {
    const written = rows.flatMap(({ names, values }) =>
      // One number stands for all names of its row.
      names.map((name, index) => [name, values.length === 1 ? values[0] : values[index]]),
    );
    expect(written.length).toBeGreaterThan(15);
    expect(Object.fromEntries(written)).toEqual(
      Object.fromEntries(
        written.map(([name]) => [name, DEFAULT_TURN_PARAMETERS[name as keyof typeof DEFAULT_TURN_PARAMETERS]]),
      ),
    );
  });
});

describe("docs/operations.md", () => {
  const page = textOf(join(ROOT, "docs/operations.md"));
  /** The code in the first cells of the tables of a section. */
  const firstCells = (heading: string): string[] => {
    const [section = ""] = page.split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
    const cells = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = ""]) => cell);
    return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text));
  };

  test("names no log message that the service does not write", () => {
    const source = filesUnder(join(ROOT, "src"), ".ts").map(textOf).join("\n");
    const messages = firstCells("Logs").map((message) => message.replace(/[:,] …$/, ""));
    expect(messages.length).toBeGreaterThan(50);
    expect(messages.filter((message) => !source.includes(message))).toEqual([]);
  });
});

describe("the pages under docs", () => {
  test("name no metric, label or value of a label that is not exposed", async () => {
    const metrics = await everyMetric();
    const named = filesUnder(join(ROOT, "docs"), ".md").flatMap((page) =>
      [...textOf(page).matchAll(/`(trunkline_[a-z_]+)([^`\n]*)`/g)].map(([, name = "", labels = ""]) => ({
        name,
        labels,
      })),
    );
    expect(named.length).toBeGreaterThan(150);
    const unknown = named.flatMap(({ name, labels }) => {
      if (!metrics.has(name)) return [name];
      // A bar is escaped within a table.
      return labels === "" ? [] : unknownInQuery(`${name}${labels.replaceAll("\\|", "|")}`, metrics);
    });
    expect(unknown).toEqual([]);
  });
});

describe("docs/security.md", () => {
  const page = textOf(join(ROOT, "docs/security.md"));
  const code = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text);

  test("names no variable that is not read", () => {
    const variables = code.flatMap((text) => /^([A-Z][A-Z0-9_]{2,})(?:=.*)?$/.exec(text)?.[1] ?? []);
    expect(variables.length).toBeGreaterThan(40);
    expect(variables.filter((name) => !variablesRead().has(name))).toEqual([]);
  });

  test("names no end reason and no error code that is not used", async () => {
    const known = new Set<string>([
      ...END_REASONS,
      ...Object.keys(STATUS),
      ...([401, 404, 426, 503, 504] as const).map(mediaPortCode),
      ...CONNECTION_TYPES,
      ...SPEND_ACTIONS,
      ...(await everyMetric()).keys(),
      // Folders of DATA_DIR, a scheme, and a value of variables.
      ...["journals", "recordings", "https", "off"],
    ]);
    const words = code.filter((text) => /^[a-z]+(?:_[a-z]+)*$/.test(text) && !text.startsWith("trunkline_"));
    expect(words.length).toBeGreaterThan(40);
    expect(words.filter((word) => !known.has(word))).toEqual([]);
    for (const reason of ["message_flood", "connection_lost", "spend_limit"]) expect(words).toContain(reason);
  });

  test("names no npm script that is not in package.json", () => {
    const { scripts } = JSON.parse(textOf(join(ROOT, "package.json"))) as { scripts: Record<string, string> };
    const named = [...page.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(named).toEqual(expect.arrayContaining(["attack", "chaos", "bench:limits", "api-keys", "admin"]));
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});
