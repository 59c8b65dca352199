import { type Random, seededRandom } from "../../../src/core/seeded-random.ts";

/** What is simulated; all else follows from the seed. */
export interface Options {
  seed: number;
  nodes: number;
  /** How many calls are live once as many end as begin. */
  calls: number;
}

/** When what happens, ms of virtual time. */
export interface Phases {
  /** As many calls end as begin: from here on loads are compared. */
  fullFromMs: number;
  herdAtMs: number;
  failureAtMs: number;
  returnAtMs: number;
  deployAtMs: number;
}

export interface Plan extends Options {
  random: Random;
  phases: Phases;
  /** All nodes share one address, which leads to a node that is there; otherwise a call has the address of its node. */
  hasSharedAddress: boolean;
  slots: Int32Array;
  accountLimits: Int32Array;
  numberLimits: Int32Array;
  /** The nodes that die at once. */
  failing: ReadonlySet<number>;
  /** Nodes that stand still for so long, from when the others fail on. */
  stopped: ReadonlyMap<number, number>;
}

/** A call lasts from half of this to one and a half times as long, ms. */
export const CALL_MS = 120_000;
export const CALL_MS_MAX = 1.5 * CALL_MS;

/** Of all nodes those that die at once. */
const FAILING_SHARE = 0.1;
/** Of all nodes at most so many stand still meanwhile, for these times. */
const STOPPED_SHARE_MAX = 0.05;
const STOPPED_MS = [7_000, 3_000, 30_000];
/** So much of the capacity is taken by the calls that are wanted. */
const FULLNESS = 0.7;
/** Callers of so many accounts, and as many numbers, want more calls than these may have; the others have no limit. */
const LIMITED = 40;
const LIMITED_SHARE = 0.05;
const LIMIT_OF_WANTED = 0.8;
const UNLIMITED = 0x7fff_ffff;

const PHASES: Phases = {
  fullFromMs: CALL_MS_MAX + 10_000,
  herdAtMs: 210_000,
  failureAtMs: 420_000,
  returnAtMs: 480_000,
  deployAtMs: 660_000,
};

/** The limits of the accounts, or the numbers: the first has none, and most callers. */
function limitsFor(calls: number): Int32Array {
  const limit = Math.max(1, Math.floor((calls * LIMITED_SHARE * LIMIT_OF_WANTED) / LIMITED));
  return Int32Array.from({ length: LIMITED + 1 }, (_, n) => (n === 0 ? UNLIMITED : limit));
}

function some(count: number, of: number, random: Random, except?: ReadonlySet<number>): Set<number> {
  const chosen = new Set<number>();
  while (chosen.size < count) {
    const node = Math.floor(random() * of);
    if (except?.has(node) !== true) chosen.add(node);
  }
  return chosen;
}

export function planFor(options: Options): Plan {
  const { seed, nodes, calls } = options;
  const random = seededRandom(seed * 7_919 + 27);
  const meanSlots = calls / nodes / FULLNESS;
  const failing = some(Math.ceil(nodes * FAILING_SHARE), nodes, random);
  const stopped = some(Math.min(STOPPED_MS.length, Math.floor(nodes * STOPPED_SHARE_MAX)), nodes, random, failing);
  return {
    ...options,
    random,
    phases: PHASES,
    hasSharedAddress: seed % 2 === 0,
    // Machines of two sizes.
    slots: Int32Array.from({ length: nodes }, () => Math.round(meanSlots * (random() < 0.5 ? 0.75 : 1.25))),
    accountLimits: limitsFor(calls),
    numberLimits: limitsFor(calls),
    failing,
    stopped: new Map([...stopped].map((node, n) => [node, STOPPED_MS[n] ?? 0])),
  };
}

/** The account, or the number, of a new call: 0 is the one without a limit. */
export const drawCounted = (random: Random): number =>
  random() < LIMITED_SHARE ? 1 + Math.floor(random() * LIMITED) : 0;
