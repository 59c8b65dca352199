import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processCpuMs } from "../../test/attack/resource-usage.ts";
import { Collector } from "../../test/support/traces/collector.ts";
import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { meanWithError } from "../harness/statistics.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { type BenchService, withService } from "../rig/service.ts";
import { holdCalls } from "./calls.ts";
import { type CallCpu, type TracesOptions, type TracesResult, type TracesRound, totalOf } from "./result.ts";

/** Until all records are made, recordings are rendered and spans are exported. */
const SETTLED_MS = 8_000;
const WARM_UP_S = 12;
const EXCESS_MAX = 0.02;

/** Holds the same calls at a service with traces and at one without, in turns. */
export async function runTracesBench(options: TracesOptions, write: (line: string) => void): Promise<TracesResult> {
  const collector = await Collector.listen();
  const problems: string[] = [];
  const rounds: TracesRound[] = [];
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  try {
    await withService({ accounts: 1, env: traced }, (on) =>
      withService({ accounts: 1 }, async (off) => {
        write("warming up both services");
        for (const service of [on, off]) await holdCalls(service, options.calls, WARM_UP_S);
        await delay(SETTLED_MS);
        collector.spans.length = 0;
        for (let round = 0; round < options.rounds; round += 1) {
          // Each is the first as often as the second.
          const first = round % 2 === 0 ? on : off;
          const second = first === on ? off : on;
          const [one, other] = [await cpuOf(first, options, problems), await cpuOf(second, options, problems)];
          const pair = first === on ? { on: one, off: other } : { on: other, off: one };
          rounds.push(pair);
          write(
            `round ${round + 1}: ${totalOf(pair.on).toFixed(1)} ms a call with traces, ${totalOf(pair.off).toFixed(1)} without`,
          );
        }
      }),
    );
    const spansPerCall = collector.spans.length / (options.calls * options.rounds);
    if (spansPerCall < 1) problems.push("the collector got no traces");
    return {
      ...{ machine: describeMachine(), commit: commitHere(), options, problems, rounds, spansPerCall },
      goals: [goalOf(rounds)],
    };
  } finally {
    await collector.close();
  }
}

async function cpuOf(service: BenchService, { calls, seconds }: TracesOptions, problems: string[]): Promise<CallCpu> {
  const before = cpuNow(service);
  const failed = await holdCalls(service, calls, seconds);
  if (failed > 0) problems.push(`${failed} of ${calls} calls had too few turns`);
  await delay(SETTLED_MS);
  const after = cpuNow(service);
  return { worker: (after.worker - before.worker) / calls, control: (after.control - before.control) / calls };
}

function cpuNow({ pids }: BenchService): CallCpu {
  const control = [pids.control, ...childrenOf(pids.control)].reduce((sum, pid) => sum + processCpuMs(pid), 0);
  return { worker: processCpuMs(pids.worker), control };
}

/** proc_pid_stat(5): the parent is the second field after the name in parentheses. */
const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false;
      }
    });

function goalOf(rounds: readonly TracesRound[]): Verdict {
  const { mean, error } = meanWithError(rounds.map(({ on, off }) => totalOf(on) / totalOf(off) - 1));
  const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
  return {
    budget: `CPU a call with traces at most ${percent(EXCESS_MAX)} more than without`,
    measured: `${percent(mean)}, give or take ${percent(error)}`,
    verdict: mean - error > EXCESS_MAX ? "missed" : mean + error > EXCESS_MAX ? "not shown" : verdictOf(true),
  };
}
