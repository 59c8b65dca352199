import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { runBargeInBench } from "../../../bench/barge-in/bench.ts";
import { bargeInPage, bargeInText } from "../../../bench/barge-in/report.ts";
import type { BargeInResult } from "../../../bench/barge-in/result.ts";
import { runCompareBench } from "../../../bench/compare/bench.ts";
import { comparePage } from "../../../bench/compare/page.ts";
import type { CompareResult } from "../../../bench/compare/result.ts";
import { compareText } from "../../../bench/compare/text.ts";
import type { Verdict } from "../../../bench/harness/verdict.ts";
import { runRemoteBench } from "../../../bench/load/remote-bench.ts";
import { remotePage } from "../../../bench/load/remote-report.ts";
import type { RemoteResult } from "../../../bench/load/remote-result.ts";
import type { LoadResult } from "../../../bench/load/result.ts";
import { Rig } from "../../../bench/rig/rig.ts";
import { runSoakBench } from "../../../bench/soak/bench.ts";
import { soakPage, soakText } from "../../../bench/soak/report.ts";
import type { SoakResult } from "../../../bench/soak/result.ts";
import { runStallBench } from "../../../bench/stall/bench.ts";
import { stallPage, stallText } from "../../../bench/stall/report.ts";
import type { StallResult } from "../../../bench/stall/result.ts";
import { runTurnBench } from "../../../bench/turn-latency/bench.ts";
import { turnPage, turnText } from "../../../bench/turn-latency/report.ts";
import type { TurnResult } from "../../../bench/turn-latency/result.ts";
import { childModule } from "../../../src/core/child-processes/child-module.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

// Each bench runs for a moment, so that it cannot rot. What it measures is not looked at: the machine may have other things to do,
// and a run that this has spoilt must say so.

/** Far more than it takes on a machine that has other things to do. */
const TEST_MS_MAX = 180_000;

/** What all results have. */
interface AnyResult {
  problems: string[];
  budgets: Verdict[];
}

function expectReport(result: AnyResult, text: string, html: string): void {
  expect(result.budgets.length).toBeGreaterThan(0);
  for (const { budget, measured } of result.budgets) expect(text).toContain(`${budget}: ${measured}`);
  expect(html).toContain("<svg");
  expect(html).not.toMatch(/(src|href)=|url\(|@import/);
}

/** A service on another machine: it creates calls for clients with its API key, and sends their audio back. */
async function startEcho(apiKey: string): Promise<{ url: string; stop(): void }> {
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    request.resume();
    if (request.headers["x-api-key"] !== apiKey) response.statusCode = 401;
    const isVoices = request.url?.startsWith("/api/v1/voices") === true;
    const voice = { id: "one/voice", name: "Voice", language: "en-US" };
    response.end(JSON.stringify(isVoices ? { data: [voice] } : { id: "call_1", websocketUrl: `${url}/stream/token` }));
  });
  server.on("upgrade", (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (peer) => {
      peer.on("message", (data) => void peer.send(String(data)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    stop() {
      sockets.close();
      server.close();
    },
  };
}

test.concurrent("all benches that need a rig run on one rig: those with the generator in sequence, the others in parallel", {
  retry: ifMachineStalled,
  timeout: TEST_MS_MAX,
}, async () => {
  const echo = await startEcho("tk_test");
  const lines: string[] = [];
  // On no cores of their own: the process of the tests must stay free.
  const options = { wire: "carrier_a", cores: undefined, write: (line: string) => void lines.push(line) } as const;
  const load = { wire: "carrier_a", seconds: 1, warmUpSeconds: 0 } as const;
  const [generated, talked] = await Rig.with(options, (rig) =>
    Promise.all([
      (async () => ({
        compare: await runCompareBench(rig, { ...load, calls: 4, talkers: 0, rounds: 1 }),
        stall: await runStallBench(rig, { calls: 4, stallsMs: [250], times: 1 }),
        soak: await runSoakBench(rig, { calls: 4, minutes: 0.05 }),
        remote: await runRemoteBench(rig, { ...load, url: echo.url, apiKey: "tk_test", steps: [2] }),
      }))(),
      (async () => ({
        turn: await runTurnBench(rig, { calls: 2, exchanges: 1 }),
        bargeIn: await runBargeInBench(rig, { calls: 2, exchanges: 1 }),
      }))(),
    ]),
  ).finally(() => echo.stop());
  expect(lines.join("\n")).toMatch(/measuring 1 of 1 s, frames\/s: \d+ in, \d+ out/);
  expectCompare(generated.compare);
  expectStall(generated.stall);
  expectSoak(generated.soak);
  expectRemote(generated.remote);
  expectTurn(talked.turn);
  expectBargeIn(talked.bargeIn);
});

function expectCompare(result: CompareResult): void {
  const { contestants } = result;
  expect(contestants.map(({ name }) => name)).toEqual([
    "echo",
    "typical",
    "trunkline",
    "trunkline_ws",
    "trunkline_recorded",
  ]);
  for (const { cost, rounds } of contestants) {
    expect(cost.totalUs).toBeGreaterThan(0);
    expect(rounds[0]?.pairs).toBeGreaterThan(0);
  }
  expect(contestants[2]?.latency.toStt?.count).toBeGreaterThan(0);
  expectReport(result, compareText(result), comparePage(result));
}

function expectStall(result: StallResult): void {
  expect(result.points.map(({ stallMs, seen }) => [stallMs, seen])).toEqual([[250, 4]]);
  expect(result.points[0]?.realMs.p50).toBeGreaterThanOrEqual(250);
  expectReport(result, stallText(result), stallPage(result));
}

function expectSoak(result: SoakResult): void {
  expect(result.stints).toHaveLength(2);
  expect(result.points.every(({ rssMiB, heapMiB }) => rssMiB > heapMiB && heapMiB > 0)).toBe(true);
  expectReport(result, soakText(result), soakPage(result));
}

function expectRemote(result: RemoteResult): void {
  expect(result.steps[0]?.received.most).toBeGreaterThan(0);
  expect(remotePage(result)).toContain("<svg");
  // The key is a secret, and results are shown around.
  expect(JSON.stringify(result)).not.toContain("tk_test");
}

function expectTurn(result: TurnResult): void {
  for (const { expectedMs, voiceToVoiceMs } of result.cases) {
    expect(voiceToVoiceMs.count).toBe(2);
    // Nothing is there before its time, but for what timers are early, and for callers who paused where there is no pause.
    if (result.problems.length === 0) expect(voiceToVoiceMs.p50).toBeGreaterThan(expectedMs - 5);
  }
  expectReport(result, turnText(result), turnPage(result));
}

function expectBargeIn(result: BargeInResult): void {
  expect(result.fromSpeechMs.count).toBeLessThanOrEqual(4);
  expectReport(result, bargeInText(result), bargeInPage(result));
}

/** Runs `npm run bench:load`, but from its source. */
function benchLoad(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const { path, execArgv } = childModule(import.meta.url, "../../../bench/load/run");
  const child = spawn(process.execPath, [...execArgv, path, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve) => child.once("exit", (code) => resolve({ code, output })));
}

const out = mkdtempSync(join(tmpdir(), "trunkline-bench-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

test.concurrent("bench:load writes JSON and a page, prints its progress, and its exit code says whether the run is valid", {
  timeout: TEST_MS_MAX,
}, async () => {
  const short = ["--seconds", "1", "--warm-up", "0", "--talkers", "1", "--out", out];
  const { code, output } = await benchLoad(["--steps", "3", "--wire", "websocket", ...short]);
  expect(output).toMatch(/round 1 of 1, 3 calls: +measuring 1 of 1 s, frames\/s: \d+ in, \d+ out/);
  const { steps, problems, budgets }: LoadResult = JSON.parse(readFileSync(join(out, "load.json"), "utf8"));
  for (const problem of problems) expect(output).toContain(`this run proves nothing: ${problem}`);
  expect(code).toBe(problems.length === 0 ? 0 : 1);
  expect(output.includes(`${budgets[0]?.budget}: ${budgets[0]?.measured}`)).toBe(problems.length === 0);
  expect(steps[0]?.rounds[0]?.conversations).toBe(1);
  expect(steps[0]?.latency.written?.count).toBeGreaterThan(0);
  expect(readFileSync(join(out, "load.html"), "utf8")).toContain("<svg");
});

test.concurrent("bench:load prints its usage for an invalid command line", { timeout: TEST_MS_MAX }, async () => {
  const { code, output } = await benchLoad(["--steps", "500,100"]);
  expect(code).toBe(2);
  expect(output).toContain("npm run bench:load --");
});
