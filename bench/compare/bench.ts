import { describeMachine } from "../harness/machine.ts";
import { median } from "../harness/statistics.ts";
import { runPhase, type Subject } from "../measurement/phase.ts";
import { type LatencyValues, latenciesOf, measuredOf, problemsOf, roundOf } from "../measurement/phase-results.ts";
import type { RoundResult } from "../measurement/result.ts";
import type { Rig } from "../rig/rig.ts";
import { judgeCompare } from "./budgets.ts";
import type { CompareOptions, CompareResult, ContestantName, ContestantResult, Ratio } from "./result.ts";

interface Contestant extends Subject {
  name: ContestantName;
  rounds: RoundResult[];
  values: LatencyValues[];
}

const TITLES: Readonly<Record<ContestantName, string>> = {
  echo: "bare uWebSockets.js echo",
  typical: "typical ws gateway",
  trunkline: "Trunkline",
  trunkline_ws: "Trunkline on ws",
  trunkline_recorded: "Trunkline, audio journaled",
};

/**
 * Runs all contestants in turn, round after round, and puts together what was seen. Rejects when a process fails or a call is
 * refused; frames that were lost and words that were not understood make the result invalid instead.
 */
export async function runCompareBench(rig: Rig, options: CompareOptions): Promise<CompareResult> {
  const contestants = await contestantsOf(rig);
  const problems: string[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const contestant of contestants) {
      const { name, rounds, values } = contestant;
      rig.progress.begin(`round ${round} of ${options.rounds}, ${TITLES[name]}:`);
      const phase = await runPhase(contestant, options, rig);
      problems.push(...problemsOf(phase, options).map((problem) => `${name}, round ${round}: ${problem}`));
      rounds.push(roundOf(phase, round, options));
      values.push(latenciesOf(phase));
    }
  }
  const results = contestants.map(
    ({ name, rounds, values }): ContestantResult => ({ name, title: TITLES[name], ...measuredOf(rounds, values) }),
  );
  const ratios = results.slice(2).flatMap((ours) => results.slice(0, 2).map((reference) => ratioOf(ours, reference)));
  return {
    machine: describeMachine(),
    cores: rig.cores,
    options,
    problems,
    contestants: results,
    ratios,
    budgets: judgeCompare(ratios),
  };
}

/** The references come first. */
async function contestantsOf(rig: Rig): Promise<Contestant[]> {
  const [echo, typical, service, onWs] = await Promise.all([
    rig.startServer("../baselines/echo"),
    rig.startServer("../baselines/typical-gateway"),
    rig.startService(),
    rig.startService("ws"),
  ]);
  const contestant = (name: ContestantName, subject: Partial<Subject> & Pick<Subject, "server">): Contestant => ({
    name,
    recorded: false,
    ...subject,
    rounds: [],
    values: [],
  });
  const ours = { server: service, service };
  return [
    contestant("echo", { server: echo }),
    contestant("typical", { server: typical }),
    contestant("trunkline", ours),
    contestant("trunkline_ws", { server: onWs, service: onWs }),
    contestant("trunkline_recorded", { ...ours, recorded: true }),
  ];
}

function ratioOf(ours: ContestantResult, reference: ContestantResult): Ratio {
  const ratios = ours.rounds.map(
    ({ cost }, round) => cost.totalUs / (reference.rounds[round]?.cost.totalUs ?? Number.NaN),
  );
  return {
    of: ours.name,
    to: reference.name,
    median: median(ratios),
    min: Math.min(...ratios),
    max: Math.max(...ratios),
  };
}
