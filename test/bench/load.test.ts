import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { LoadResult } from "../../bench/load/load-result.ts";
import { childModule } from "../../src/core/child-module.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** Runs the bench as `npm run bench:load` does, but from its source. */
function runBench(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { path, execArgv } = childModule(import.meta.url, "../../bench/load/run");
  const child = spawn(process.execPath, [...execArgv, path, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, output })));
}

/** Far more than it takes on a machine that has other things to do. */
const TEST_MS_MAX = 90_000;

test("a few calls are carried, measured and understood, and told as text, JSON and a page", {
  timeout: TEST_MS_MAX,
}, async () => {
  const out = temporaryDirectory();
  const { code, output } = await runBench([
    "--calls",
    "4",
    "--seconds",
    "1",
    "--rounds",
    "1",
    "--warm-up",
    "0",
    "--out",
    out,
  ]);
  expect(output).toMatch(/round 1 of 1, Trunkline: +measuring 1 of 1 s, frames\/s: \d+ in, \d+ out/);
  const result: LoadResult = JSON.parse(readFileSync(join(out, "load.json"), "utf8"));
  expect(result.problems).toEqual([]);
  expect(code).toBe(0);
  expect(result.contestants.map(({ name }) => name)).toEqual(["echo", "typical", "trunkline"]);
  for (const { cost, rounds } of result.contestants) {
    expect(cost.totalUs).toBeGreaterThan(0);
    expect(rounds).toHaveLength(1);
    // 4 calls, 1 s, 50 frames a second: 200, give or take what a busy machine holds up.
    expect(rounds[0]?.pairs).toBeGreaterThan(100);
  }
  const ours = result.contestants[2];
  expect(ours?.rounds[0]?.conversations).toBeGreaterThanOrEqual(1);
  expect(ours?.latency.heard?.count).toBeGreaterThan(100);
  expect(ours?.latency.written?.count).toBeGreaterThan(100);
  expect(result.ratios.map(({ of, to }) => [of, to])).toEqual([
    ["trunkline", "echo"],
    ["trunkline", "typical"],
  ]);
  const html = readFileSync(join(out, "load.html"), "utf8");
  expect(html).toContain("<svg");
  expect(html).not.toMatch(/(src|href)=|url\(|@import/);
});

test("arguments that make no sense are answered with the usage", async () => {
  const { code, output } = await runBench(["--calls", "none"]);
  expect(code).toBe(2);
  expect(output).toContain("npm run bench:load --");
});
