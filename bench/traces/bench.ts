import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { processCpuMs } from "../../test/attack/resource-usage.ts";
import { Collector } from "../../test/support/traces/collector.ts";
import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { meanWithin95 } from "../harness/statistics.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { type BenchService, withService } from "../rig/service.ts";
import { holdCalls, QUESTION_MS } from "./calls.ts";
import { type CallCpu, excessOf, type TracesOptions, type TracesResult, type TracesRound, totalOf } from "./result.ts";

/**
 * Records are made, recordings rendered and spans exported when a service has used less than this of a processor for so long. One without
 * calls uses half of it on a slow machine.
 */
const IDLE_MS = 5_000;
const IDLE_CPU_MS = 300;
const IDLE_WAITS_MAX = 36;
const EXCESS_MAX = 0.02;
/** A new process runs its code slowly. */
const WARM_UP_S = 30;
/** A turn has its own span, and those of its end, the STT, the LLM, the TTS and the first frame. */
const SPANS_PER_TURN_MIN = 6;

/**
 * Holds calls at a service with traces and at one without at the same time, since the speed of a machine changes. Both are new in each
 * round, since the CPU of the same calls differs from one process to the next by as much as traces may cost.
 */
export async function runTracesBench(options: TracesOptions, write: (line: string) => void): Promise<TracesResult> {
  const collector = await Collector.listen();
  const problems: string[] = [];
  const rounds: TracesRound[] = [];
  let spans = 0;
  try {
    for (let round = 0; round < options.rounds; round += 1) {
      const pair = await withPair(collector.url, round, async (on, off) => {
        await Promise.all([on, off].map(untilIdle));
        await holdAll([on, off], { ...options, seconds: WARM_UP_S }, problems);
        collector.spans.length = 0;
        const before = { on: cpuNow(on), off: cpuNow(off) };
        await holdAll([on, off], options, problems);
        return { on: cpuSince(before.on, on, options), off: cpuSince(before.off, off, options) };
      });
      spans += collector.spans.length;
      rounds.push(pair);
      const { on, off } = pair;
      write(
        `round ${round + 1}: ${totalOf(on).toFixed(1)} ms a call with traces, ${totalOf(off).toFixed(1)} without, ` +
          `${excessOf(pair).toFixed(1)} by traces`,
      );
    }
    const spansPerCall = spans / (options.calls * options.rounds);
    const turns = Math.floor((options.seconds * 1_000) / QUESTION_MS);
    if (spansPerCall < SPANS_PER_TURN_MIN * turns) problems.push(`the collector got ${spansPerCall} spans of a call`);
    return {
      ...{ machine: describeMachine(), commit: commitHere(), options, problems, rounds, spansPerCall },
      goals: [goalOf(rounds)],
      workerExcess: meanWithin95(rounds.map(({ on, off }) => on.worker - off.worker)),
    };
  } finally {
    await collector.close();
  }
}

/** Starts a service with traces and one without, of which each is the first in every second round. */
function withPair<Result>(
  collectorUrl: string,
  round: number,
  use: (on: BenchService, off: BenchService) => Promise<Result>,
): Promise<Result> {
  const on = { accounts: 1, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl } };
  const off = { accounts: 1 };
  return round % 2 === 0
    ? withService(on, (first) => withService(off, (second) => use(first, second)))
    : withService(off, (first) => withService(on, (second) => use(second, first)));
}

/** Holds the calls of a round at all services, and waits for what comes after them. */
async function holdAll(
  services: BenchService[],
  { calls, seconds }: Pick<TracesOptions, "calls" | "seconds">,
  problems: string[],
): Promise<void> {
  const failed = await Promise.all(services.map((service) => holdCalls(service, calls, seconds)));
  for (const count of failed) if (count > 0) problems.push(`${count} of ${calls} calls had too few turns`);
  const areIdle = await Promise.all(services.map(untilIdle));
  if (areIdle.includes(false)) problems.push("a service was still busy minutes after its calls");
}

/** Resolves with whether the service has become idle. */
async function untilIdle(service: BenchService): Promise<boolean> {
  let beforeMs = Number.NEGATIVE_INFINITY;
  for (let waits = 0; waits < IDLE_WAITS_MAX; waits += 1) {
    const nowMs = totalOf(cpuNow(service));
    if (nowMs - beforeMs < IDLE_CPU_MS) return true;
    beforeMs = nowMs;
    await delay(IDLE_MS);
  }
  return false;
}

function cpuSince(before: CallCpu, service: BenchService, { calls }: TracesOptions): CallCpu {
  const after = cpuNow(service);
  const perCall = (part: keyof CallCpu): number => (after[part] - before[part]) / calls;
  return { worker: perCall("worker"), control: perCall("control"), renderer: perCall("renderer") };
}

function cpuNow({ pids }: BenchService): CallCpu {
  const renderer = childrenOf(pids.control).reduce((sum, pid) => sum + processCpuMs(pid), 0);
  return { worker: processCpuMs(pids.worker), control: processCpuMs(pids.control), renderer };
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

/**
 * The worker has no code for traces (src/record/traces runs in the control process and in its renderer), and from one process to the next
 * its CPU differs by more than the goal. It counts in what a call costs, and not in what traces add; by what it differs is printed.
 */
function goalOf(rounds: readonly TracesRound[]): Verdict {
  const call = meanWithin95(rounds.map(({ off }) => totalOf(off))).mean;
  const { mean, error } = meanWithin95(rounds.map((pair) => excessOf(pair) / call));
  const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
  return {
    budget: `CPU that traces add in the control process and its renderer at most ${percent(EXCESS_MAX)} of a call's`,
    measured: `${percent(mean)} of ${call.toFixed(0)} ms, give or take ${percent(error)}`,
    verdict: mean - error > EXCESS_MAX ? "missed" : mean + error > EXCESS_MAX ? "not shown" : verdictOf(true),
  };
}
