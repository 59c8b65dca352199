import type { GeneratorSample } from "../generator/protocol.ts";
import { describeMachine } from "../harness/machine.ts";
import { judgeDrift } from "../load/budgets.ts";
import { framesWithin, runPhase } from "../measurement/phase.ts";
import { latenciesOf, measuredOf, problemsOf, roundOf } from "../measurement/phase-results.ts";
import type { ServerSample } from "../rig/protocol.ts";
import type { Rig } from "../rig/rig.ts";
import type { SoakOptions, SoakPoint, SoakResult, Stint } from "./result.ts";

const WARM_UP_S = 1;
/** How long a soak must be to show a drift, and what a long soak consists of. */
const STINT_S_MAX = 600;
/** Shorter ones have so many stints: calls come and go. */
const SHORT_STINTS = 2;
/** Points of the curves. */
const POINTS_MAX = 400;
const POINT_S_MIN = 1;
/** Of each frame there are three stamps of four bytes. */
const STAMP_BYTES = 12;
const MIB = 2 ** 20;

/** Loads one worker for a long time. Rejects when a process fails or a call is refused. */
export async function runSoakBench(rig: Rig, options: SoakOptions): Promise<SoakResult> {
  const { calls, minutes } = options;
  const isShort = minutes * 60 < STINT_S_MAX;
  const stintS = isShort ? Math.max(1, Math.round((minutes * 60) / SHORT_STINTS)) : STINT_S_MAX;
  const count = Math.max(1, Math.round((minutes * 60) / stintS));
  const everyS = Math.max(POINT_S_MIN, Math.ceil((count * stintS) / POINTS_MAX));
  const load = { wire: "carrier_a", calls, seconds: stintS, warmUpSeconds: WARM_UP_S, talkers: 0 } as const;
  const service = await rig.startService();
  const startMs = (await service.ask("sample", undefined)).atMs;
  const points: SoakPoint[] = [];
  const stints: Stint[] = [];
  const problems: string[] = [];
  const measure = async (sample: () => Promise<GeneratorSample>): Promise<void> => {
    for (let passedS = 0; passedS < stintS; passedS += everyS) {
      await rig.progress.during(`from ${passedS} s on:`, Math.min(everyS, stintS - passedS), sample, everyS);
      points.push(pointOf(await service.ask("sample", undefined), startMs));
    }
  };
  for (let stint = 1; stint <= count; stint += 1) {
    rig.progress.begin(`stint ${stint} of ${count}, ${stintS} s, ${calls} calls:`);
    const phase = await runPhase({ server: service, service, recorded: false }, load, rig, measure);
    problems.push(...problemsOf(phase, load).map((problem) => `stint ${stint}: ${problem}`));
    const round = roundOf(phase, stint, load);
    const { latency } = measuredOf([round], [latenciesOf(phase)]);
    stints.push({ round, latency, idle: pointOf(phase.idle, startMs) });
  }
  const rounds = stints.map(({ round }) => round);
  return {
    machine: describeMachine(),
    cores: rig.cores,
    options,
    stintS,
    ownMiB: (calls * framesWithin(stintS) * STAMP_BYTES) / MIB,
    problems,
    points,
    stints,
    end: pointOf(await service.ask("sample", undefined), startMs),
    budgets: [judgeDrift(calls, stintS, rounds)],
  };
}

const pointOf = ({ atMs, rssBytes, heapBytes, descriptors }: ServerSample, startMs: number): SoakPoint => ({
  atS: (atMs - startMs) / 1_000,
  rssMiB: rssBytes / MIB,
  heapMiB: heapBytes / MIB,
  descriptors,
});
