import { describeMachine } from "../harness/machine.ts";
import { runPhase } from "../measurement/phase.ts";
import { type LatencyValues, latenciesOf, measuredOf, problemsOf, roundOf } from "../measurement/phase-results.ts";
import type { Load, RoundResult } from "../measurement/result.ts";
import type { Rig } from "../rig/rig.ts";
import { judgeSteps } from "./budgets.ts";
import type { LoadResult, StepsOptions } from "./result.ts";

interface Step {
  load: Load;
  rounds: RoundResult[];
  values: LatencyValues[];
}

/**
 * Loads our own worker with one number of calls after the other, each time a fresh process, so that no step finds memory that the
 * one before it has left. Rejects when a process fails or a call is refused; what was lost makes the result invalid instead.
 */
export async function runStepsBench(rig: Rig, options: StepsOptions): Promise<LoadResult> {
  const steps = options.steps.map((calls): Step => ({ load: { ...options, calls }, rounds: [], values: [] }));
  const problems: string[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const { load, rounds, values } of steps) {
      rig.progress.begin(`round ${round} of ${options.rounds}, ${load.calls} calls:`);
      const service = await rig.startService();
      const phase = await runPhase({ server: service, service, recorded: false }, load, rig);
      service.stop();
      problems.push(...problemsOf(phase, load).map((problem) => `${load.calls} calls, round ${round}: ${problem}`));
      rounds.push(roundOf(phase, round, load));
      values.push(latenciesOf(phase));
    }
  }
  const measured = steps.map(({ load, rounds, values }) => ({ calls: load.calls, ...measuredOf(rounds, values) }));
  return {
    machine: describeMachine(),
    cores: rig.cores,
    options,
    problems,
    steps: measured,
    budgets: judgeSteps(measured, options),
  };
}
