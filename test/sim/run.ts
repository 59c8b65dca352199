import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments, runCommand, UsageError, wholeNumber } from "../../src/cli/command.ts";
import { MUTANTS, simulateMutant } from "./mutants.ts";
import { Census, failureText } from "./observer/report.ts";
import { planText } from "./observer/story.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";

const HELP = `Calls in virtual time, in which everything goes wrong, held to rules at every step.

npm run sim -- --seeds 200            the calls of seeds 1 to 200
npm run sim -- --seeds 200 --seed 801 the calls of seeds 801 to 1000
npm run sim -- --seed 4711            one call, with its whole story
npm run sim -- --mutants              what is seen when a guard is taken out, one after the other
    --alone                           in one process, rather than in one for each core
    --until <invariant>               no further than to the first call that violates it
    --verbose                         how often everything came about; in one process

The exit code is 0 when no call failed.
`;

/** Progress is printed at least this often. */
const PROGRESS_MS = 5_000;
const SEED_MAX = 2 ** 31;
/** How many seeds a mutant is simulated with, until one notices it: the rarest is noticed by few in a thousand. */
const MUTANT_SEEDS = 1_000;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

interface Options {
  first: number;
  count: number;
  /** One call is asked for, to be read. */
  isSingle: boolean;
  alone: boolean;
  mutants: boolean;
  until: string | undefined;
  verbose: boolean;
}

function readOptions(args: readonly string[]): Options {
  const flag = { type: "boolean", default: false } as const;
  const text = { type: "string" } as const;
  const options = { seeds: text, seed: text, until: text, alone: flag, mutants: flag, verbose: flag } as const;
  const { seeds, seed, until, alone, mutants, verbose } = readArguments(args, options).values;
  const isSingle = seeds === undefined;
  if (isSingle && seed === undefined && !mutants) {
    throw new UsageError(["--seeds, --seed or --mutants is missing: which calls are to be played"]);
  }
  return {
    first: wholeNumber("seed", seed ?? "1", 1, SEED_MAX),
    count: wholeNumber("seeds", seeds ?? "1", 1, SEED_MAX),
    isSingle,
    alone: alone || isSingle || verbose || until !== undefined,
    mutants,
    until,
    verbose,
  };
}

/** Plays the calls in this process; returns how many failed. */
async function playAlone({ first, count, isSingle, until, verbose }: Options): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), "trunkline-sim-"));
  try {
    const shared = await loadShared(dataDir);
    const census = new Census();
    const startedMs = performance.now();
    let reportedMs = startedMs;
    let failed = 0;
    let durationMs = 0;
    let done = 0;
    for (let isSeen = false; done < count && !isSeen; done += 1) {
      const call = await simulate(first + done, shared, isSingle);
      const failure = failureText(call);
      if (isSingle) print([planText(call.plan), ...call.chronicle.lines].join("\n"));
      if (failure !== undefined) print(failure);
      census.take(call);
      failed += failure === undefined ? 0 : 1;
      durationMs += call.durationMs;
      isSeen = call.chronicle.violations.some(({ invariant }) => invariant === until);
      if (performance.now() - reportedMs < PROGRESS_MS) continue;
      reportedMs = performance.now();
      print(`seed ${first + done}, ${failed} failed`);
    }
    if (verbose) print(census.text());
    const tookS = (performance.now() - startedMs) / 1_000;
    print(`${done} seeds, ${failed} failed, ${tookS.toFixed(1)} s, ${(durationMs / 1_000).toFixed(0)} s of call`);
    return failed;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Plays the calls in one process for each core, each with its share; returns how many of the processes had calls that failed. */
async function playShared({ first, count }: Options): Promise<number> {
  const startedMs = performance.now();
  const processes = Math.min(count, availableParallelism());
  const shares = Array.from({ length: processes }, (_, n) => Math.floor(((n + 1) * count) / processes));
  const codes = await Promise.all(
    shares.map((to, n) => {
      const from = shares[n - 1] ?? 0;
      const share = ["--seed", String(first + from), "--seeds", String(to - from), "--alone"];
      return new Promise<number>((resolve) => {
        const child = execFile(process.execPath, [...process.execArgv, import.meta.filename, ...share], (error) =>
          resolve(error === null ? 0 : 1),
        );
        child.stdout?.pipe(process.stdout, { end: false });
        child.stderr?.pipe(process.stderr, { end: false });
      });
    }),
  );
  const tookS = (performance.now() - startedMs) / 1_000;
  const isClean = codes.every((code) => code === 0);
  print(`${count} seeds in ${processes} processes, ${isClean ? "none" : "some"} failed, ${tookS.toFixed(1)} s`);
  return codes.filter((code) => code !== 0).length;
}

/** Prints what is seen of each mutant; returns how many are not seen for what they are. */
async function playMutants(): Promise<number> {
  let unseen = 0;
  for (const mutant of MUTANTS) {
    const { firstSeed, isSeen } = await simulateMutant(mutant, MUTANT_SEEDS);
    unseen += isSeen ? 0 : 1;
    print(`${isSeen ? `seed ${firstSeed}`.padEnd(9) : "NOT SEEN "} ${mutant.guard} -> ${mutant.seen}`);
  }
  print(`${MUTANTS.length} guards taken out, ${unseen} not seen`);
  return unseen;
}

async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const failed = await (options.mutants ? playMutants() : options.alone ? playAlone(options) : playShared(options));
  return failed === 0 ? 0 : 1;
}

await runCommand({ help: HELP, example: "npm run sim -- --seeds 200", run });
