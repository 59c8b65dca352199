import type { Spread } from "../harness/statistics.ts";
import { short, whole } from "../report/html.ts";
import type { LoadResult, StepResult } from "./result.ts";
import { callsPerCore, memoryOf } from "./rows.ts";

// What the terminal and the page show of growing load, under the same names.

export interface StepTable {
  title: string;
  columns: readonly string[];
  rows: string[][];
}

export function stepRows({ steps }: LoadResult): StepTable[] {
  return [
    {
      title: "What calls cost",
      columns: [
        "calls",
        "µs a pair",
        "user",
        "system",
        "core",
        "calls a core",
        "KiB a call",
        "loop p99 / max",
        "gaps",
        "longest",
        "drift",
      ],
      rows: steps.map(costRow),
    },
    {
      title: "How late frames were, ms",
      columns: ["calls", "way", "p50", "p99", "p99.9", "max", "frames"],
      rows: steps.flatMap(({ calls, latency: { toStt, written, arrived } }) => [
        latencyRow(calls, "in: sent → received by the STT", toStt),
        latencyRow(calls, "out: due → written", written),
        latencyRow(calls, "out: due → read by the caller", arrived),
      ]),
    },
    {
      title: "The other end",
      columns: ["calls", "generator's core", "late p99", "late max", "other programs", "conversations"],
      rows: steps.map(({ calls, rounds }) => [
        whole(calls),
        `${whole(100 * most(rounds.map(({ generator }) => generator.load)))} %`,
        short(most(rounds.map(({ generator }) => generator.late.p99))),
        short(most(rounds.map(({ generator }) => generator.late.max))),
        short(most(rounds.map(({ othersLoad }) => othersLoad))),
        whole(rounds.reduce((sum, { conversations }) => sum + conversations, 0)),
      ]),
    },
  ];
}

function costRow(step: StepResult): string[] {
  const { calls, cost, rounds } = step;
  const gaps = rounds.map((round) => round.gaps ?? { count: Number.NaN, longestMs: Number.NaN });
  return [
    whole(calls),
    short(cost.totalUs),
    short(cost.userUs),
    short(cost.systemUs),
    `${whole(100 * most(rounds.map(({ serverLoad }) => serverLoad)))} %`,
    whole(callsPerCore(step)),
    whole(memoryOf(step)),
    `${short(most(rounds.map(({ loopDelayMs }) => loopDelayMs.p99)))} / ${short(most(rounds.map(({ loopDelayMs }) => loopDelayMs.max)))}`,
    whole(gaps.reduce((sum, { count }) => sum + count, 0)),
    short(most(gaps.map(({ longestMs }) => longestMs))),
    short(most(rounds.map(({ driftMs }) => Math.abs(driftMs ?? Number.NaN)))),
  ];
}

const latencyRow = (calls: number, way: string, spread: Spread | undefined): string[] => [
  whole(calls),
  way,
  ...[spread?.p50, spread?.p99, spread?.p999, spread?.max].map((value) => short(value ?? Number.NaN)),
  whole(spread?.count ?? 0),
];

const most = (values: readonly number[]): number => Math.max(...values);
