import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isInProject, PROJECT, projectFiles } from "../support/repository/files.ts";

const textOf = (path: string): string => readFileSync(join(PROJECT, path), "utf8");

const pages = projectFiles([
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs", "deploy", "bench/README.md", "bench/RESULTS.md"],
  ...["fixtures/README.md", "fixtures/provider/README.md", "examples"],
]).filter((path) => path.endsWith(".md"));
const code = projectFiles(["src", "test", "bench", "scripts", "deploy", ".ci/run", "package.json"]).filter(
  (path) => !path.endsWith(".md"),
);

/** The texts between single backticks, outside of code blocks. */
const namesIn = (page: string): string[] =>
  [...page.replace(/^ *```.*?^ *```/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name);

/** A path with each `{a,b}` resolved. */
const alternatives = (path: string): string[] => {
  const [, before = "", choices, after = ""] = /^(.*?)\{(.*?)\}(.*)$/.exec(path) ?? [];
  if (choices === undefined) return [path];
  return choices.split(",").flatMap((choice) => alternatives(`${before}${choice}${after}`));
};

/** Folders of what is built or measured. */
const GENERATED = /^(?:dist|bench\/results)\//;

/** Paths of files and folders of the project; patterns such as `*` and `<name>` are not looked up. */
const pathsIn = (page: string): string[] =>
  namesIn(page)
    .filter((name) => /^[\w@.{},/-]+(?:\.(?:ts|mjs|md|jsonl|tlj|conf|yml|yaml)|\/)$/.test(name))
    .filter((name) => name.includes("/") && !name.startsWith("/") && !GENERATED.test(name))
    .flatMap(alternatives);

/** Where a page may mean a path from: the project, the sources, the tests, its own folder. */
const isFound = (page: string, path: string): boolean =>
  ["", "src", "test", "bench", dirname(page)].some((folder) => isInProject(join(folder, path)));

const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
/** Texts such as `npm run <name>` and `npm run %s` name no script. */
const scriptsIn = (text: string): string[] =>
  [...text.matchAll(/npm run (?:--silent )?([a-z][\w-]*(?::[a-z][\w-]*)*)(?![\w:-]*[$%<])/g)].map(
    ([, name = ""]) => name,
  );

describe("the pages", () => {
  test.each(pages)("%s names only files and folders that exist", (page) => {
    expect(pathsIn(textOf(page)).filter((path) => !isFound(page, path))).toEqual([]);
  });

  test("name files: the check above looks at them", () => {
    expect(pathsIn(textOf("ARCHITECTURE.md")).length).toBeGreaterThan(40);
    expect(
      pathsIn("`src/call/call.ts`, `{call,wire}/{stt,llm}.ts`, `core/limits/`, `dist/`, `fallback.ts`, `<name>/a.ts`"),
    ).toEqual(["src/call/call.ts", "call/stt.ts", "call/llm.ts", "wire/stt.ts", "wire/llm.ts", "core/limits/"]);
    expect(isFound("docs/api.md", "call/call.ts")).toBe(true);
    expect(isFound("docs/api.md", "call/none.ts")).toBe(false);
  });

  test("and the code name only npm scripts of package.json", () => {
    const unknown = [...pages, ...code].flatMap((path) =>
      scriptsIn(textOf(path))
        .filter((name) => !Object.hasOwn(scripts, name))
        .map((name) => `${path}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  test("name npm scripts: the check above looks at them", () => {
    expect(scriptsIn("npm run bench:check -- --out x, npm run --silent build, npm run %s, npm run <name>")).toEqual([
      "bench:check",
      "build",
    ]);
  });

  const usages = code.map(textOf).join("\n");
  test.each(pages)("%s gives npm scripts only options that a command has", (page) => {
    const commands = textOf(page).match(/npm run [^`\n]*/g) ?? [];
    const options = commands.flatMap((command) => command.match(/(?<= )--[a-z][\w-]+/g) ?? []);
    expect(options.filter((option) => !new RegExp(`${option}\\b`).test(usages))).toEqual([]);
  });
});

describe("the log table of docs/operations.md", () => {
  const [section = ""] = textOf("docs/operations.md").split("\n## Logs\n")[1]?.split("\n## ") ?? [];
  const source = projectFiles(["src"]).map(textOf).join("\n");
  const fields = namesIn(section).filter((name) => /^[a-z]+[A-Z]\w*$/.test(name));

  test("names only fields that the code has", () => {
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  });
});
