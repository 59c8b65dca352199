import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished, PROJECT } from "./processes.ts";
import type { Proof } from "./proof.ts";
import { writeSection } from "./results.ts";
import { readVitestReport, type SuiteResult } from "./vitest-report.ts";

// Calls of real browsers. `npm run test:long` runs the same tests with a shorter call for the drift.

const JOURNEYS = "test/end-to-end/web/";
/** What the reduced form runs: Chromium's drift, and the journeys of Firefox. */
const REDUCED = ["drift", "firefox"].map((name) => `${JOURNEYS}${name}.test.ts`);
const CALL_S = { full: 300, reduced: 30 };
const TIMEOUT_MS = 3_600_000;

/** What test/end-to-end/web/drift.test.ts measures. */
interface DriftFigures {
  seconds: number;
  down: Record<"startMs" | "driftMs" | "marks" | "marksSent" | "madeUpMs" | "addedMs" | "removedMs", number>;
  up: Record<"startMs" | "driftMs" | "toneDb" | "badWindowsShare" | "gapsMs", number>;
}

/** Runs the journeys of Chromium and Firefox. Writes the section "Browsers" of bench/RESULTS.md. */
export async function proveBrowsers(proof: Proof): Promise<void> {
  const { reduced, checks } = proof;
  const folder = mkdtempSync(join(tmpdir(), "trunkline-browsers-"));
  try {
    const [report, driftFile] = [join(folder, "vitest.json"), join(folder, "drift.json")];
    const vitest = join(PROJECT, "node_modules/vitest/vitest.mjs");
    const { output } = await finished(
      [
        ...[process.execPath, vitest, "run", ...(reduced ? REDUCED : [JOURNEYS])],
        ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
      ],
      {
        directory: PROJECT,
        environment: { DRIFT_S: String(reduced ? CALL_S.reduced : CALL_S.full), DRIFT_FILE: driftFile },
        logFile: join(folder, "vitest.log"),
        timeoutMs: TIMEOUT_MS,
      },
    );
    if (!existsSync(report)) {
      checks.failed("the journeys run", output.slice(-2_000));
      return;
    }
    const suites = suitesOf(report);
    for (const [name, result] of suites) checks.suite(name, result);
    const drift = existsSync(driftFile) ? (JSON.parse(readFileSync(driftFile, "utf8")) as DriftFigures) : undefined;
    await writeSection(proof, "Browsers", "browser", sectionOf(suites, drift));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By browser and by what it does. */
function suitesOf(report: string): [name: string, result: SuiteResult][] {
  const root = PROJECT.replace(/\/$/, "");
  const isFirefox = (path: string): boolean => path.endsWith("/firefox.test.ts");
  const isDrift = (path: string): boolean => path.endsWith("/drift.test.ts");
  const all: [string, SuiteResult][] = [
    ["Chromium: journeys", readVitestReport(report, root, (path) => !isFirefox(path) && !isDrift(path))],
    ["Chromium: a long call", readVitestReport(report, root, isDrift)],
    ["Firefox: journeys", readVitestReport(report, root, isFirefox)],
  ];
  return all.filter(([, { passed, failed, skipped }]) => passed + failed + skipped > 0);
}

function sectionOf(suites: readonly [string, SuiteResult][], drift: DriftFigures | undefined): string {
  const lines = [
    "| what | passed | failed | skipped |",
    "| --- | --- | --- | --- |",
    ...suites.map(([name, { passed, failed, skipped }]) => `| ${name} | ${passed} | ${failed} | ${skipped} |`),
  ];
  if (drift === undefined) return lines.join("\n");
  const { seconds, down, up } = drift;
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  return [
    ...lines,
    "",
    `A call of ${seconds} s with a tone both ways, with the SDK in Chromium and the peer, transport and wire of the service. Delays are`,
    "of the quickest tenth in its first and in its last part; of the caller's audio only their change means something. Down, the browser says what it",
    "made up for packets that came too late, and by how much it played slower or faster.",
    "",
    "| | drift | what else |",
    "| --- | --- | --- |",
    `| down | ${down.driftMs.toFixed(1)} ms | heard ${ms(down.startMs)} after it was due; ${down.marks} of ${down.marksSent} marks came back, the last ones after the end; ${ms(down.madeUpMs)} made up, ${ms(down.addedMs)} slower, ${ms(down.removedMs)} faster |`,
    `| up | ${up.driftMs.toFixed(1)} ms | tone ${up.toneDb.toFixed(1)} dB, ${(100 * up.badWindowsShare).toFixed(1)} % of windows under 15 dB; gaps ${ms(up.gapsMs)} |`,
  ].join("\n");
}
