import { setTimeout as delay } from "node:timers/promises";
import { Random } from "../../support/random.ts";
import { Callers } from "./callers.ts";
import { ProofCluster } from "./nodes.ts";

const NODES = 3;
const LINES = 8;
/** All of them are over before the drain deadline. */
const CALL_MS = [2_000, 8_000] as const;
/** Between two nodes. */
const PAUSE_MS = 3_000;
/** The way of a balancer: it learns of a drain before the node is asked to. */
const UNLISTED_MS = 1_000;

export interface RollingResult {
  begun: number;
  refused: readonly string[];
  /** Created calls whose streams no node took. */
  unbegun: readonly string[];
  cut: readonly string[];
}

/** Replaces each of three nodes under load, as a rolling deploy does. */
export async function rollingTrial(seed: number): Promise<RollingResult> {
  const cluster = await ProofCluster.start(NODES);
  try {
    const callers = new Callers(cluster, new Random(seed));
    let isDone = false;
    const roll = async (): Promise<void> => {
      await delay(PAUSE_MS);
      for (const node of cluster.nodes) {
        node.isUp = false;
        await delay(UNLISTED_MS);
        await node.drain();
        await node.start();
        await delay(PAUSE_MS);
      }
      isDone = true;
    };
    await Promise.all([callers.dial(LINES, CALL_MS, () => isDone), roll()]);
    const cut = callers.begun.filter((call) => call.callers.some(({ story }) => story.outcome === "lost"));
    const { begun, placed, refused } = callers;
    const unbegun = placed.filter((call) => !begun.includes(call));
    return { begun: begun.length, refused, unbegun: unbegun.map(({ id }) => id), cut: cut.map(({ id }) => id) };
  } finally {
    await cluster.remove();
  }
}
