import { describeMachine } from "../machine.ts";
import { median } from "../statistics.ts";
import { judge } from "./budgets.ts";
import { type LatencyValues, latenciesOf, pooled, problemsOf, roundOf } from "./findings.ts";
import type {
  ContestantName,
  ContestantResult,
  Latencies,
  LoadOptions,
  LoadResult,
  PairCost,
  Ratio,
  RoundResult,
} from "./load-result.ts";
import { runPhase } from "./phase.ts";
import { Child, type Cores, pin, type Questions } from "./processes.ts";
import { Progress } from "./progress.ts";
import type { GeneratorQuestions, ServerQuestions, ServiceQuestions } from "./questions.ts";
import { renderSpeech } from "./speech.ts";

interface Contestant {
  name: ContestantName;
  title: string;
  server: Child<ServerQuestions>;
  /** The same server, where it is ours. */
  service?: Child<ServiceQuestions>;
  recorded: boolean;
  rounds: RoundResult[];
  values: LatencyValues[];
}

/**
 * Runs all contestants in turn, round after round, and puts together what was seen. With `cores` the servers are held on one of
 * them, and everything else, this process included, on the other. Rejects when a process fails or a call is refused; frames that
 * were lost and words that were not understood make the result invalid instead.
 */
export async function runLoadBench(
  options: LoadOptions,
  cores: Cores | undefined,
  write: (line: string) => void,
): Promise<LoadResult> {
  const progress = new Progress(write);
  const children: { stop(): void }[] = [];
  const start = async <Q extends Questions>(path: string, core: number | undefined): Promise<Child<Q>> => {
    const child = await Child.start<Q>(import.meta.url, path, core);
    children.push(child);
    return child;
  };
  try {
    progress.tell("starting the servers and rendering the speech of the calls");
    const [speech, generator, echo, typical, service] = await Promise.all([
      renderSpeech(),
      start<GeneratorQuestions>("./generator", cores?.others),
      start<ServerQuestions>("../reference/echo", cores?.server),
      start<ServerQuestions>("../reference/typical-ws", cores?.server),
      start<ServiceQuestions>("./worker", cores?.server),
    ]);
    await service.ask("prepare", speech.agent);
    if (cores !== undefined) pin(process.pid, cores.others);
    const contestants = [
      contestant("echo", echo),
      contestant("typical", typical),
      ...ourselves(service, options.recorded),
    ];
    const problems: string[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const { name, title, server, service: ours, recorded, rounds, values } of contestants) {
        progress.begin(`round ${round} of ${options.rounds}, ${title}:`);
        const phase = await runPhase(server, ours, recorded, { generator, speech, options, progress });
        problems.push(...problemsOf(phase, options).map((problem) => `${name}, round ${round}: ${problem}`));
        rounds.push(roundOf(phase, round, options));
        values.push(latenciesOf(phase));
      }
    }
    return resultOf(contestants, problems, options, cores !== undefined);
  } finally {
    for (const child of children) child.stop();
  }
}

const TITLES: Readonly<Record<ContestantName, string>> = {
  echo: "bare uWebSockets.js echo",
  typical: "typical ws gateway",
  trunkline: "Trunkline",
  trunkline_recorded: "Trunkline, audio journaled",
};

const contestant = (name: ContestantName, server: Child<ServerQuestions>): Contestant => ({
  name,
  title: TITLES[name],
  server,
  recorded: false,
  rounds: [],
  values: [],
});

function ourselves(service: Child<ServiceQuestions>, recorded: boolean): Contestant[] {
  const plain: Contestant = { ...contestant("trunkline", service), service };
  if (!recorded) return [plain];
  return [plain, { ...contestant("trunkline_recorded", service), service, recorded }];
}

function resultOf(
  contestants: readonly Contestant[],
  problems: string[],
  options: LoadOptions,
  pinned: boolean,
): LoadResult {
  const results = contestants.map(contestantResult);
  const ours = results.find(({ name }) => name === "trunkline") as ContestantResult;
  const ratios = results
    .filter(({ name }) => name.startsWith("trunkline"))
    .flatMap((result) => results.slice(0, 2).map((reference) => ratioOf(result, reference)));
  return {
    machine: describeMachine(),
    pinned,
    options,
    valid: problems.length === 0,
    problems,
    contestants: results,
    ratios,
    budgets: judge(ours, ratios, options),
  };
}

function contestantResult({ name, title, rounds, values }: Contestant): ContestantResult {
  const byCost = rounds.map(({ cost }) => cost).sort((a, b) => a.totalUs - b.totalUs);
  const cost = byCost[Math.floor((byCost.length - 1) / 2)] as PairCost;
  const latency: Latencies = {};
  for (const kind of ["roundTrip", "heard", "written", "arrived"] as const) {
    const spread = pooled(values.map((value) => value[kind]));
    if (spread !== undefined) latency[kind] = spread;
  }
  return { name, title, rounds, cost, latency };
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
