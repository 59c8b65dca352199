import { percentile } from "../../../src/core/calls/latency.ts";
import type { ForgeryResult } from "./forgeries.ts";
import type { KillTrialResult } from "./kill-trial.ts";
import type { LatencyResult } from "./latency.ts";

/** The body of the section "proof -- telephony" of bench/RESULTS.md. */
export function resultTables(
  trials: readonly KillTrialResult[],
  latency: LatencyResult,
  { sent, accepted }: ForgeryResult,
): string {
  return [
    "Outbound calls through emulated carriers, the three by turns, while the control process, the worker or the whole service is",
    "killed at random times, half of the time while a request to dial is at a carrier. A quarter of the requests to dial meet a",
    "fault: an error or silence after the call was placed, silence without it, or 429. Webhooks come late, twice, in the wrong order",
    "or not at all. The emulators know what was placed.",
    "",
    ...trialTable(trials),
    "",
    `${trials.map(({ store, reasons }) => `${store}: ${reasonsText(reasons)}.`).join(" ")}`,
    "",
    "Without faults and kills, on SQLite; the emulated carriers and the people run on the same machine.",
    "",
    ...latencyTable(latency),
    "",
    `Forged webhooks: ${sent} sent, ${accepted.length} accepted.`,
  ].join("\n");
}

function trialTable(trials: readonly KillTrialResult[]): string[] {
  const headings = [
    ...["store", "seed", "calls", "kills", "placed", "placed twice", "lost without a state", "`unknown`"],
    ...["of these wrongly", "ends that differ from the carrier's", "early or readable tokens", "s"],
  ];
  const rows = trials.map(({ store, seed, calls, kills, placed, reasons, verdict, tookS }) => [
    ...[store, seed, calls, kills, placed, verdict.placedTwice.length, verdict.lost.length, reasons.unknown ?? 0],
    ...[verdict.wronglyUnknown.length, verdict.wrongEnds.length, verdict.leakedTokens.length, Math.round(tookS)],
  ]);
  return tableLines(headings, rows);
}

function latencyTable({ documentMs, greetingMs }: LatencyResult): string[] {
  const row = (what: string, values: readonly number[]): (string | number)[] => [
    what,
    values.length,
    ...[50, 90, 99].map((percent) => Math.round(percentile(values, percent))),
  ];
  return tableLines(
    ["from ... to", "calls", "p50 ms", "p90 ms", "p99 ms"],
    [
      row("webhook of an inbound call, 50 a second, to its answer", documentMs),
      row("answer of an outbound call to the first frame of the greeting", greetingMs),
    ],
  );
}

const reasonsText = (reasons: KillTrialResult["reasons"]): string =>
  Object.entries(reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `\`${reason}\` ${count}`)
    .join(", ");

const tableLines = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] =>
  [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
