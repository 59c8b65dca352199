import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Census, failureText } from "./report.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";
import { planText } from "./story.ts";

const HELP = `npm run sim -- --seeds 200            the calls of seeds 1 to 200
npm run sim -- --seeds 200 --seed 801 the calls of seeds 801 to 1000
npm run sim -- --seed 4711            one call, with its whole story
    --verbose                         how often everything came about`;

/** Whoever waits sees at least so often that it goes on. */
const PROGRESS_MS = 5_000;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Options {
  first: number;
  count: number;
  /** One call is asked for, to be read. */
  isSingle: boolean;
  verbose: boolean;
}

/** Undefined where the command line makes no sense. */
function readOptions(args: string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args,
    options: { seeds: { type: "string" }, seed: { type: "string" }, verbose: { type: "boolean", default: false } },
    strict: false,
    allowPositionals: true,
  });
  const { seeds, seed, verbose, ...others } = values;
  const isSingle = seeds === undefined;
  const first = Number(seed ?? (isSingle ? Number.NaN : 1));
  const count = Number(seeds ?? 1);
  const isKnown = positionals.length === 0 && Object.keys(others).length === 0;
  return isKnown && isSeed(first) && isSeed(count) ? { first, count, isSingle, verbose: verbose === true } : undefined;
}

const isSeed = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 2 ** 31;

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    print(HELP);
    return 2;
  }
  const { first, count, isSingle, verbose } = options;
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-sim-"));
  try {
    const shared = await loadShared(dataDir);
    const census = new Census();
    const startedMs = performance.now();
    let toldMs = startedMs;
    let failed = 0;
    let durationMs = 0;
    for (let done = 0; done < count; done += 1) {
      const call = await simulate(first + done, shared, isSingle);
      const failure = failureText(call);
      if (isSingle) print([planText(call.plan), ...call.chronicle.lines].join("\n"));
      if (failure !== undefined) print(failure);
      census.take(call);
      failed += failure === undefined ? 0 : 1;
      durationMs += call.durationMs;
      if (performance.now() - toldMs < PROGRESS_MS) continue;
      toldMs = performance.now();
      print(`${done + 1} of ${count} seeds, ${failed} failed`);
    }
    if (verbose) print(census.text());
    const tookS = (performance.now() - startedMs) / 1_000;
    print(`${count} seeds, ${failed} failed, ${tookS.toFixed(1)} s, ${(durationMs / 1_000).toFixed(0)} s of call`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

process.exitCode = await run();
