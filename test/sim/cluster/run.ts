import { readArguments, runCommand, wholeNumber } from "../../../src/cli/command.ts";
import { MUTANTS, simulateMutant } from "./mutants.ts";
import { reportOf, simulateCluster } from "./report.ts";

const HELP = `Nodes that share a database, with their calls, in virtual time: placement, heartbeats, a herd of callers, a tenth of the nodes
that dies at once, a rolling deploy of all nodes, and more callers than there is room for, held to invariants.

npm run sim:cluster -- --nodes 1000 --calls 500000   so many nodes, and so many calls that are live at once
npm run sim:cluster -- --seeds 3 --seed 5            the seeds 5 to 7; odd seeds have an address for each node, even ones a shared one
npm run sim:cluster -- --mutants                     what is seen when a guard is taken out, one after the other
    --until <invariant>                              says only at which seed a call violates it

The exit code is 0 when nothing was violated.
`;

const SEED_MAX = 2 ** 31;
/** One of fewer nodes that comes back without calls takes the mean below what the others have. */
const NODES_MIN = 20;
const NODES_MAX = 10_000;
const CALLS_MAX = 5_000_000;
/** Fewer calls at a node, and chance alone takes one above 1.15 times the mean. */
const CALLS_PER_NODE_MIN = 50;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function readOptions(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { nodes: text, calls: text, seed: text, seeds: text, until: text } as const;
  const { values } = readArguments(args, { ...options, mutants: { type: "boolean", default: false } });
  const nodes = wholeNumber("nodes", values.nodes ?? "1000", NODES_MIN, NODES_MAX);
  return {
    nodes,
    calls: wholeNumber("calls", values.calls ?? String(nodes * 500), nodes * CALLS_PER_NODE_MIN, CALLS_MAX),
    first: wholeNumber("seed", values.seed ?? "1", 1, SEED_MAX),
    count: wholeNumber("seeds", values.seeds ?? "1", 1, SEED_MAX),
    until: values.until,
    mutants: values.mutants,
  };
}

type RunOptions = ReturnType<typeof readOptions>;

/** Plays the seeds; returns how many violated an invariant. */
function play({ first, count, nodes, calls, until }: RunOptions): number {
  let failed = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const say = until === undefined ? print : (): void => {};
    const simulation = simulateCluster({ seed, nodes, calls }, say);
    const { violations } = simulation.observer;
    failed += violations.size > 0 ? 1 : 0;
    if (until === undefined) print(reportOf(simulation));
    else if ([...violations.keys()].some((invariant) => invariant === until)) print(`seen at seed ${seed}`);
  }
  return failed;
}

async function playMutants(): Promise<number> {
  let unseen = 0;
  for (const mutant of MUTANTS) {
    const { seed, isSeen } = await simulateMutant(mutant);
    unseen += isSeen ? 0 : 1;
    print(`${isSeen ? `seed ${seed}`.padEnd(9) : "NOT SEEN "} ${mutant.guard} -> ${mutant.seen}`);
  }
  print(`${MUTANTS.length} guards taken out, ${unseen} not seen`);
  return unseen;
}

async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.mutants) return (await playMutants()) === 0 ? 0 : 1;
  return play(options) === 0 ? 0 : 1;
}

await runCommand({ help: HELP, example: "npm run sim:cluster -- --nodes 1000 --calls 500000", run });
