import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runProgram } from "../support/services/run-program.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TSX = ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href];

interface Package {
  scripts: Record<string, string>;
}

/** The development tools by their source file, which package.json runs directly or as `bench:build` compiled it. */
const SOURCES = Object.entries((JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")) as Package).scripts).flatMap(
  ([name, script]) => {
    const [, source, built] = /(?:tsx (\S+)|node bench\/dist\/(\S+)\.js)$/.exec(script) ?? [];
    const path = built === undefined ? source : `${built}.ts`;
    return path === undefined ? [] : [[name, path] as const];
  },
);

test.each(SOURCES)("npm run %s has --help, too, and names unknown options", { timeout: 60_000 }, async (name, path) => {
  const tool = (option: string) => runProgram([...TSX, `${ROOT}${path}`, option]);
  const [help, unknown] = [await tool("--help"), await tool("--nonsense")];
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain(`npm run ${name}`);
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toMatch(/^--nonsense is not known\n/);
});
