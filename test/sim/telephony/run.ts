import { readArguments, runCommand, UsageError, wholeNumber } from "../../../src/cli/command.ts";
import { MUTANTS, simulateMutant } from "./mutants.ts";
import { failureOf, simulatePhoneCall } from "./simulation.ts";

const HELP = `Telephone calls in virtual time, with carriers that answer late, twice, in the wrong order or not at all, and a service
that dies between any two steps, held to invariants.

npm run sim:telephony -- --seeds 1000   the calls of seeds 1 to 1000
npm run sim:telephony -- --seed 4711    one call, with its whole story
npm run sim:telephony -- --mutants      what is seen when a guard is taken out, one after the other
    --until <invariant>                 no further than to the first call that violates it

The exit code is 0 when no call failed.
`;

const SEED_MAX = 2 ** 31;
/** How many seeds a mutant is simulated with, until one notices it. */
const MUTANT_SEEDS = 10_000;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Plays the calls; returns how many failed. */
function play(first: number, count: number, until: string | undefined): number {
  const startedMs = performance.now();
  const reasons = new Map<string, number>();
  let failed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const call = simulatePhoneCall(seed);
    const failure = failureOf(call);
    if (call.violations.some(({ invariant }) => invariant === until)) {
      print(`seen at seed ${seed}`);
      return 1;
    }
    if (failure !== undefined && until === undefined) {
      failed += 1;
      print(failed <= 3 ? failure : (failure.split("\n")[0] ?? ""));
    }
    reasons.set(call.reason ?? "none", (reasons.get(call.reason ?? "none") ?? 0) + 1);
  }
  const tookS = (performance.now() - startedMs) / 1_000;
  print([...reasons].map(([reason, calls]) => `${reason} ${calls}`).join(", "));
  print(`${count} seeds, ${failed} failed, ${tookS.toFixed(1)} s`);
  return failed;
}

async function playMutants(): Promise<number> {
  let unseen = 0;
  for (const mutant of MUTANTS) {
    const { seed, isSeen } = await simulateMutant(mutant, MUTANT_SEEDS);
    unseen += isSeen ? 0 : 1;
    print(`${isSeen ? `seed ${seed}`.padEnd(9) : "NOT SEEN "} ${mutant.guard} -> ${mutant.seen}`);
  }
  print(`${MUTANTS.length} guards taken out, ${unseen} not seen`);
  return unseen;
}

async function run(args: readonly string[]): Promise<number> {
  const text = { type: "string" } as const;
  const options = { seeds: text, seed: text, until: text, mutants: { type: "boolean", default: false } } as const;
  const { seeds, seed, until, mutants } = readArguments(args, options).values;
  if (mutants) return (await playMutants()) === 0 ? 0 : 1;
  if (seeds === undefined && seed === undefined) {
    throw new UsageError(["--seeds, --seed or --mutants is missing: which calls are to be played"]);
  }
  const first = wholeNumber("seed", seed ?? "1", 1, SEED_MAX);
  if (seeds === undefined) print(simulatePhoneCall(first).story.join("\n"));
  return play(first, wholeNumber("seeds", seeds ?? "1", 1, SEED_MAX), until) === 0 ? 0 : 1;
}

await runCommand({ help: HELP, example: "npm run sim:telephony -- --seeds 1000", run });
