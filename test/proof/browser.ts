import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProofPart, runParts } from "./parts.ts";
import { finished, PROJECT } from "./processes.ts";
import type { Proof } from "./proof.ts";
import { readVitestReport, type SuiteResult } from "./vitest-report.ts";

// Calls of real browsers. `npm run test:long` runs the same tests with a shorter call for the drift.

const JOURNEYS = "test/end-to-end/web/";
const DRIFT = `${JOURNEYS}drift.test.ts`;
const FIREFOX = `${JOURNEYS}firefox.test.ts`;
const CALL_S = { full: 300, reduced: 30 };
const TIMEOUT_MS = 3_600_000;

/** What test/end-to-end/web/drift.test.ts measures. */
interface DriftFigures {
  seconds: number;
  down: Record<"startMs" | "driftMs" | "marks" | "marksSent" | "madeUpMs" | "addedMs" | "removedMs", number>;
  up: Record<"startMs" | "driftMs" | "notRecordedMs" | "toneDb" | "badWindowsShare" | "gapsMs", number>;
}

/** The long call comes first, with nothing beside it: it is judged by its time. */
const PARTS: Readonly<Record<string, ProofPart>> = { drift, journeys };

export const BROWSER_PARTS: readonly string[] = Object.keys(PARTS);

/** Runs the journeys of Chromium and Firefox. Writes a section of bench/RESULTS.md for each part. */
export async function proveBrowsers(proof: Proof): Promise<void> {
  await runParts(proof, { area: "browser", title: "Browsers", parts: PARTS });
}

async function drift(proof: Proof): Promise<string> {
  const seconds = proof.reduced ? CALL_S.reduced : CALL_S.full;
  return await withFolder(async (folder) => {
    const file = join(folder, "drift.json");
    const report = await runTests(folder, [DRIFT], { DRIFT_S: String(seconds), DRIFT_FILE: file });
    proof.checks.suite("Chromium: a long call", report());
    return driftTable(JSON.parse(readFileSync(file, "utf8")) as DriftFigures);
  });
}

/** The reduced form has those of Firefox alone. */
async function journeys(proof: Proof): Promise<string> {
  const all = readdirSync(join(PROJECT, JOURNEYS)).map((name) => `${JOURNEYS}${name}`);
  const files = proof.reduced ? [FIREFOX] : all.filter((file) => file.endsWith(".test.ts") && file !== DRIFT);
  return await withFolder(async (folder) => {
    const report = await runTests(folder, files, {});
    const isFirefox = (path: string): boolean => path.endsWith(FIREFOX);
    const suites = (
      [
        ["Chromium: journeys", report((path) => !isFirefox(path))],
        ["Firefox: journeys", report(isFirefox)],
      ] satisfies [string, SuiteResult][]
    ).filter(([, { passed, failed, skipped }]) => passed + failed + skipped > 0);
    for (const [name, result] of suites) proof.checks.suite(name, result);
    return journeysTable(suites);
  });
}

async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-browsers-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with what reads the counts of files. Rejects where the runner gave no report. */
async function runTests(
  folder: string,
  files: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<(includes?: (path: string) => boolean) => SuiteResult> {
  const report = join(folder, "vitest.json");
  const vitest = join(PROJECT, "node_modules/vitest/vitest.mjs");
  const { output } = await finished(
    [
      ...[process.execPath, vitest, "run", ...files],
      ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    ],
    { directory: PROJECT, environment, logFile: join(folder, "vitest.log"), timeoutMs: TIMEOUT_MS },
  );
  if (!existsSync(report)) throw new Error(`the tests did not run: ${output.slice(-2_000)}`);
  return (includes = () => true) => readVitestReport(report, PROJECT.replace(/\/$/, ""), includes);
}

const journeysTable = (suites: readonly [string, SuiteResult][]): string =>
  [
    "| what | passed | failed | skipped |",
    "| --- | --- | --- | --- |",
    ...suites.map(([name, { passed, failed, skipped }]) => `| ${name} | ${passed} | ${failed} | ${skipped} |`),
  ].join("\n");

function driftTable({ seconds, down, up }: DriftFigures): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    `A call of ${seconds} s with a tone both ways, with the SDK in Chromium and the peer, transport and wire of the service. Delays are`,
    "of the quickest tenth in its first and in its last part; of the caller's audio only their change means something. Down, the browser says what it",
    "made up for packets that came too late, and by how much it played slower or faster. Up, what Chromium's imitation of a microphone left out",
    "because its timer was late is part of the drift, and stated.",
    "",
    "| | drift | what else |",
    "| --- | --- | --- |",
    `| down | ${down.driftMs.toFixed(1)} ms | heard ${ms(down.startMs)} after it was due; ${down.marks} of ${down.marksSent} marks came back, the last ones after the end; ${ms(down.madeUpMs)} made up, ${ms(down.addedMs)} slower, ${ms(down.removedMs)} faster |`,
    `| up | ${up.driftMs.toFixed(1)} ms | ${ms(up.notRecordedMs)} not recorded; tone ${up.toneDb.toFixed(1)} dB, ${(100 * up.badWindowsShare).toFixed(1)} % of windows under 15 dB; gaps ${ms(up.gapsMs)} |`,
  ].join("\n");
}
