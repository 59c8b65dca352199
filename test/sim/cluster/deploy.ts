import type { Simulation } from "./simulation.ts";

/** Of all nodes those that are replaced at a time. */
const WAVE_SHARE = 0.05;
/** Longer than any call. */
const DRAIN_MS = 240_000;
const START_MS = 5_000;
/** Between two waves the new nodes fill up. */
const PAUSE_MS = 20_000;

interface Replaced {
  node: number;
  drainedSinceMs: number;
  startsAtMs: number | undefined;
}

/** A rolling deploy of all nodes, wave by wave. */
export class Deploy {
  /** Calls that had not ended by the deadline. */
  cut = 0;
  isDone = false;
  readonly #simulation: Simulation;
  #wave: Replaced[] = [];
  #next = 0;
  #nextAtMs: number;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#nextAtMs = simulation.plan.phases.deployAtMs;
  }

  /** Once a second. */
  advance(): void {
    const { plan, nowMs, nodes } = this.#simulation;
    if (this.#wave.length === 0 && nowMs >= this.#nextAtMs && !this.isDone) {
      const until = Math.min(plan.nodes, this.#next + Math.ceil(plan.nodes * WAVE_SHARE));
      for (; this.#next < until; this.#next += 1) {
        nodes.drain(this.#next, nowMs);
        this.#wave.push({ node: this.#next, drainedSinceMs: nowMs, startsAtMs: undefined });
      }
    }
    for (const replaced of this.#wave) this.#replace(replaced);
    const before = this.#wave.length;
    this.#wave = this.#wave.filter(({ startsAtMs }) => startsAtMs === undefined || startsAtMs > nowMs);
    if (before === 0 || this.#wave.length > 0) return;
    this.#nextAtMs = nowMs + PAUSE_MS;
    this.isDone = this.#next >= plan.nodes;
  }

  #replace(replaced: Replaced): void {
    const { nodes, database, nowMs } = this.#simulation;
    const { node, drainedSinceMs, startsAtMs } = replaced;
    if (startsAtMs !== undefined) {
      if (startsAtMs <= nowMs) nodes.start(node, nowMs);
      return;
    }
    const isOverdue = nowMs >= drainedSinceMs + DRAIN_MS;
    if ((database.calls[node] ?? 0) > 0 && !isOverdue) return;
    nodes.silence(node, "dead", nowMs);
    this.#simulation.loseCalls(node);
    this.cut += nodes.get(node).orphans.length;
    database.leave(node);
    replaced.startsAtMs = nowMs + START_MS;
  }
}
