import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasChromium } from "../../support/network/chromium.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import { checkUndisturbed, interferenceLine } from "../interference.ts";
import type { StoreName } from "../killed-service.ts";
import { type ProofPart, runParts } from "../parts.ts";
import { finished, PROJECT } from "../processes.ts";
import type { Proof } from "../proof.ts";
import { readVitestReport, type SuiteResult } from "../vitest-report.ts";
import { DASHBOARDS, type DashboardInterference, measureDashboardInterference } from "./interference.ts";

// The dashboard: a journey of each page in Chromium on both stores, and calls that are looked at and listened to.

const JOURNEYS = "test/end-to-end/dashboard/";
/** What the reduced form runs: the first run, and the page of one call. */
const REDUCED = ["first-run", "call"].map((name) => `${JOURNEYS}${name}.test.ts`);
const TIMEOUT_MS = 3_600_000;
const WORK = "pages of dashboards";

/** Calls come first: they are judged by their time. */
const PARTS: Readonly<Record<string, ProofPart>> = { calls: callsBesideDashboards, journeys: journeysOnStores };

export const DASHBOARD_PARTS: readonly string[] = Object.keys(PARTS);

/** Writes a section of bench/RESULTS.md for each part. */
export async function proveDashboard(proof: Proof): Promise<void> {
  build();
  await runParts(proof, { area: "dashboard", title: "Dashboard", parts: PARTS });
}

async function callsBesideDashboards(proof: Proof): Promise<string> {
  const { checks, reduced } = proof;
  const measured = await measureDashboardInterference({ reduced, print: checks.print });
  const { result, looked, listening } = measured;
  checkUndisturbed(proof, result, WORK, `${DASHBOARDS} dashboards that look and listen`);
  checks.check(`every page that ${DASHBOARDS} dashboards ask for is answered`, looked.failures.join("; "));
  const isHeard = listening === DASHBOARDS && looked.heardBytes > 0;
  checks.check(
    `${DASHBOARDS} dashboards listen at once`,
    isHeard ? "" : `${listening} did, ${looked.heardBytes} bytes`,
  );
  return lineOf(measured);
}

function lineOf({ result, looked }: DashboardInterference): string {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return (
    `${interferenceLine(result, WORK)} ${DASHBOARDS} dashboards at once: each looks at a page a second (live calls, the list, a live call with its events), ` +
    `follows events and listens to a call; ${megabytes(looked.heardBytes)} heard and ${megabytes(looked.eventBytes)} of events in all loaded rounds. All calls are recorded.`
  );
}

async function journeysOnStores(proof: Proof): Promise<string> {
  const { checks } = proof;
  if (!hasChromium) {
    checks.skipped("the journeys", "Chromium is not installed");
    return "The journeys were skipped: Chromium is not installed.";
  }
  const suites: [store: StoreName, result: SuiteResult][] = [];
  const run = async (store: StoreName, environment: Readonly<Record<string, string>>): Promise<void> => {
    const result = await journeys(proof, environment);
    if (typeof result === "string") checks.failed(`Chromium, ${store}: the journeys run`, result);
    else {
      checks.suite(`Chromium, ${store}: journeys`, result);
      suites.push([store, result]);
    }
  };
  await run("SQLite", {});
  if (hasPostgres) await onPostgres((url) => run("Postgres", { SERVICES_POSTGRES_URL: url }));
  else checks.skipped("Chromium, Postgres: journeys", "PostgreSQL is not installed");
  return [
    "| journeys in Chromium | passed | failed | skipped |",
    "| --- | --- | --- | --- |",
    ...suites.map(([store, { passed, failed, skipped }]) => `| ${store} | ${passed} | ${failed} | ${skipped} |`),
  ].join("\n");
}

async function onPostgres(work: (url: string) => Promise<void>): Promise<void> {
  const server = await PostgresServer.start();
  try {
    await work(server.url());
  } finally {
    await server.remove();
  }
}

/** Resolves with the end of what was written where no test ran. */
async function journeys(
  { reduced }: Proof,
  environment: Readonly<Record<string, string>>,
): Promise<SuiteResult | string> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-dashboard-"));
  try {
    const report = join(folder, "vitest.json");
    const { output } = await finished(
      [
        ...[process.execPath, join(PROJECT, "node_modules/vitest/vitest.mjs"), "run"],
        ...(reduced ? REDUCED : [JOURNEYS]),
        ...["--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
      ],
      { directory: PROJECT, environment, logFile: join(folder, "vitest.log"), timeoutMs: TIMEOUT_MS },
    );
    return existsSync(report) ? readVitestReport(report, PROJECT.replace(/\/$/, "")) : output.slice(-2_000);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
