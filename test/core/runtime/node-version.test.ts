import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import {
  isNodeUntested,
  NODE_MAJOR_TESTED_MAX,
  NODE_MIN,
  nodeVersionProblem,
} from "../../../src/core/runtime/node-version.ts";

const root = new URL("../../../", import.meta.url);
/** The programs that users start; the supervisor forks the other processes with its own Node. */
const PROGRAMS = [
  "src/main.ts",
  ...["admin", "call", "demo", "api-keys", "replay"].map((name) => `src/cli/${name}.ts`),
];
const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

describe("the version of Node", () => {
  test("is in the range that package.json names", () => {
    const { engines } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
      engines: { node: string };
    };
    expect(engines.node).toBe(`>=${NODE_MIN.join(".")} <${NODE_MAJOR_TESTED_MAX + 1}`);
  });

  test.each(["14.21.3", "18.20.8", "20.18.3"])("%s is too old, and the line says what is needed", (version) => {
    expect(nodeVersionProblem(version)).toBe(
      `Trunkline needs Node 20.19 or newer, up to Node 26; this is Node ${version}`,
    );
  });

  test.each(["20.19.0", "20.20.2", "22.0.0", "23.11.1", "24.21.0", "26.10.0"])("%s is supported", (version) => {
    expect([nodeVersionProblem(version), isNodeUntested(version)]).toEqual([undefined, false]);
  });

  test("27 is allowed and reported as untested", () => {
    expect([nodeVersionProblem("27.0.0"), isNodeUntested("27.0.0")]).toEqual([undefined, true]);
  });

  test("is checked by the first import of every program that users start", () => {
    const mains = readdirSync(new URL("src/cli/", root)).filter(
      (file) =>
        file.endsWith(".ts") &&
        /^(await main|process\.exitCode = await main)\(/m.test(readFileSync(new URL(`src/cli/${file}`, root), "utf8")),
    );
    expect(mains.map((file) => `src/cli/${file}`).filter((path) => !PROGRAMS.includes(path))).toEqual([]);
    for (const path of PROGRAMS) {
      expect(readFileSync(new URL(path, root), "utf8")).toMatch(/^import "\.\.?\/core\/runtime\/node-version\.ts";\n/);
    }
  });

  test.each(PROGRAMS)("that is too old ends %s with one line and exit code 1", (path) => {
    const old = "Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.20.8'}})";
    const options = ["--import", tsx, "--import", `data:text/javascript,${old}`];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...options, fileURLToPath(new URL(path, root))], {
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([1, "", `${nodeVersionProblem("18.20.8")}\n`]);
  });
});
