import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { BROWSER_PARTS, proveBrowsers } from "./browser.ts";
import { DASHBOARD_PARTS, proveDashboard } from "./dashboard/dashboard.ts";
import { proveImage } from "./image/image.ts";
import { KNOWLEDGE_PARTS, proveKnowledge } from "./knowledge/knowledge.ts";
import { proveLocalStt } from "./local-stt.ts";
import { MACHINES_PARTS, proveMachines } from "./machines/machines.ts";
import { proveNodeLines } from "./node/node-lines.ts";
import { killAllGroups } from "./processes.ts";
import { Checks, type Proof } from "./proof.ts";
import { proveStores } from "./stores/stores.ts";
import { proveTelephony } from "./telephony/telephony.ts";
import { proveTranscriptions, TRANSCRIBE_PARTS } from "./transcribe/transcribe.ts";

interface Area {
  summary: string;
  run(proof: Proof): Promise<void>;
  /** What `--only` can name. */
  parts?: readonly string[];
}

/** Every area that `npm run proof -- <area>` knows. A new area is a line here and a module beside this one. */
const AREAS: Readonly<Record<string, Area>> = {
  node: {
    summary: "install, tests and demo on Node 20, 22, 24 and 26, on this machine and on Debian 13",
    run: proveNodeLines,
  },
  image: {
    summary: "the Dockerfile's steps in a Debian 13 root, the service as its user, its health check",
    run: proveImage,
  },
  stores: {
    summary:
      "SQLite and Postgres: 1,000 calls while processes are killed 200 times; jobs whose runner is killed 200 times",
    run: proveStores,
  },
  telephony: {
    summary: "calls at emulated carriers under kills, on SQLite and Postgres; transfers; latency; forged webhooks",
    run: proveTelephony,
  },
  transcribe: {
    summary:
      "files under kills, on SQLite and Postgres; boundaries of parts; files of four hours; the local engine; live streams",
    run: proveTranscriptions,
    parts: TRANSCRIBE_PARTS,
  },
  knowledge: {
    summary: "documents of corpora and analysed calls under kills, on SQLite and Postgres; calls while PDFs are read",
    run: proveKnowledge,
    parts: KNOWLEDGE_PARTS,
  },
  browser: {
    summary: "the journeys of Chromium and Firefox, and a call of five minutes without drift",
    run: proveBrowsers,
    parts: BROWSER_PARTS,
  },
  dashboard: {
    summary:
      "the dashboard's journeys in Chromium, on SQLite and Postgres; calls that 20 dashboards look at and listen to",
    run: proveDashboard,
    parts: DASHBOARD_PARTS,
  },
  machines: {
    summary:
      "three nodes on one Postgres and one bucket: kills and partitions, limits under a race, a rolling restart, a deploy",
    run: proveMachines,
    parts: MACHINES_PARTS,
  },
  "local-stt": {
    summary: "processes of the local STT killed at random 50 times in 200 calls",
    run: proveLocalStt,
  },
};

const names = Object.keys(AREAS);
const partsText = (parts: readonly string[] | undefined): string =>
  parts === undefined ? "" : `; parts: ${parts.join(", ")}`;
const HELP = `Proves what the test suite cannot: other Node versions, another Debian, the image, kills at random.
node and image test the last commit, the others the working tree.

  npm run proof -- <area> [--only PARTS] [--reduced] [--seed N] [--results DIR]

areas:
${names.map((name) => `  ${name.padEnd(10)} ${AREAS[name]?.summary}${partsText(AREAS[name]?.parts)}`).join("\n")}

options:
  --only PARTS   of an area with parts, comma-separated: each part writes its own section as soon as it is over
  --reduced      fewer tests on each Node version, fewer kills, a shorter call: what .ci/run does
  --seed N       of telephony: what is random follows from it; default 1
  --results DIR  writes the counts to DIR/proof-<area>.json, in the shape of Vitest's JSON report, instead of the
                 area's section of bench/RESULTS.md

environment:
  PROOF_CACHE    where the Debian root and the Node binaries are kept between runs; default ${join(tmpdir(), "trunkline-proof")}

The exit code is 0 when every check held or was skipped, 1 when one failed, 2 for a usage error.
`;

const OPTIONS = {
  only: { type: "string", default: "" },
  reduced: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  results: { type: "string" },
} as const;

function partsIn(name: string, { parts = [] }: Area, given: string): readonly string[] {
  if (given === "") return [];
  const only = given.split(",");
  const unknown = only.filter((part) => !parts.includes(part));
  if (unknown.length === 0) return only;
  const known = parts.length === 0 ? "it has none" : `known are: ${parts.join(", ")}`;
  throw new UsageError([`${name} has no part "${unknown.join('", "')}"; ${known}`]);
}

/** Returns the exit code, of which HELP tells the meaning. */
async function run(args: readonly string[]): Promise<number> {
  const { values: given, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const [name = "", ...more] = positionals;
  const area = Object.hasOwn(AREAS, name) ? AREAS[name] : undefined;
  if (name === "") throw new UsageError([`no area is given; known are: ${names.join(", ")}`]);
  if (area === undefined) throw new UsageError([`there is no area "${name}"; known are: ${names.join(", ")}`]);
  const only = partsIn(name, area, given.only);
  if (more.length > 0) throw new UsageError([`one area at a time, not also "${more.join('", "')}"`]);

  const cache = resolve(process.env.PROOF_CACHE ?? join(tmpdir(), "trunkline-proof"));
  mkdirSync(cache, { recursive: true });
  const checks = new Checks((line) => console.log(line));
  await area
    .run({
      only,
      reduced: given.reduced,
      seed: wholeNumber("seed", given.seed),
      writesResults: given.results === undefined,
      cache,
      checks,
    })
    .catch((error: unknown) => {
      checks.failed(
        "the proof runs to its end",
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    });
  if (given.results !== undefined) {
    mkdirSync(given.results, { recursive: true });
    writeFileSync(join(given.results, `proof-${name}.json`), `${JSON.stringify(checks.report())}\n`);
  }
  console.log(`\n${checks.summary()}`);
  return checks.counts.failed > 0 ? 1 : 0;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killAllGroups();
    process.exit(1);
  });
}
await runCommand({ help: HELP, example: "npm run proof -- node --reduced", run });
