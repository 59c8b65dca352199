import { setTimeout as delay } from "node:timers/promises";
import { describeMachine } from "../harness/machine.ts";
import type { Window } from "../measurement/frame-analysis.ts";
import { runPhase } from "../measurement/phase.ts";
import { problemsOf } from "../measurement/phase-results.ts";
import type { Rig } from "../rig/rig.ts";
import { judgeStalls, longerStalls, pointOf } from "./findings.ts";
import type { StallOptions, StallResult } from "./result.ts";

const WARM_UP_S = 2;
/** Between stalls: far longer than any recovery, and never in step with the ticker. */
const APART_MS = 1_000;
const APART_MORE_MS = 40;

/** Blocks the worker's loop under load, again and again. Rejects when a process fails or a call is refused. */
export async function runStallBench(rig: Rig, options: StallOptions): Promise<StallResult> {
  const { calls, stallsMs, times } = options;
  const service = await rig.startService();
  const stalls = stallsMs.map((stallMs) => ({ stallMs, windows: [] as Window[] }));
  const measure = async (): Promise<void> => {
    for (const { stallMs, windows } of stalls) {
      rig.progress.print(`${calls} calls, ${times} stalls of ${stallMs} ms`);
      for (let time = 0; time < times; time += 1) {
        await delay(APART_MS + Math.random() * APART_MORE_MS);
        windows.push(await service.ask("stall", stallMs));
      }
    }
    await delay(APART_MS);
  };
  const seconds = stallsMs.reduce((sum, ms) => sum + times * (ms + APART_MS + APART_MORE_MS), APART_MS) / 1_000;
  const load = { wire: "carrier_a", calls, seconds, warmUpSeconds: WARM_UP_S, talkers: 0 } as const;
  const phase = await runPhase({ server: service, service, recorded: false }, load, rig, measure);
  const points = stalls.map(({ stallMs, windows }) => pointOf(stallMs, windows, phase.fleet.received));
  return {
    machine: describeMachine(),
    cores: rig.cores,
    options,
    problems: [...problemsOf(phase, load), ...longerStalls(points)],
    points,
    loopDelayMs: phase.server.loopDelayMs,
    budgets: judgeStalls(points, calls),
  };
}
