import { interferenceOf } from "../../../bench/stores/goals.ts";
import { percentile } from "../../../src/core/calls/latency.ts";
import type { FloodResult } from "./forgeries/flood.ts";
import type { KillTrialResult } from "./kill-trial.ts";
import type { LatencyResult } from "./latency/trial.ts";
import type { TelephonyResult } from "./telephony.ts";
import { EMPTY_MS_MAX, OUTCOMES } from "./transfers/outcome.ts";
import type { CallerResult, TransferResult } from "./transfers/trial.ts";

type Cell = string | number;

/** The body of the section "proof -- telephony" of bench/RESULTS.md. */
export function resultTables({ trials, transfers, latencies, floods }: TelephonyResult): string {
  return [
    "**Outbound calls** through emulated carriers, the three by turns, while the control process, the worker or the whole service is",
    "killed at random times, half of the time while a request to dial is at a carrier. A quarter of the requests to dial meet a",
    "fault: an error or silence after the call was placed, silence without it, or 429. Webhooks come late, twice, in the wrong order",
    "or not at all. The emulators know what was placed. Tokens are looked for in the log, all files, the database, the answers of the",
    "API and the account's own webhooks.",
    "",
    ...trialTable(trials),
    "",
    `${trials.map(({ store, reasons }) => `${store}: ${reasonsText(reasons)}.`).join(" ")}`,
    "",
    "**Transfers** of people who call, on whole services, the control process being killed meanwhile. Targets do what the second table says. Three tenths of the requests to transfer meet a fault: 400, 403, 429, 500 after",
    "it was carried out, 503, HTML, silence with and without effect, a connection that is reset. Three tenths of the transfers have a",
    "webhook late, twice, in the wrong order or lost, and of a tenth the first stream of the return fails. What became of a caller is",
    "seen at the emulated carrier alone: lost is who is connected to no stream, person or text for more than",
    `${EMPTY_MS_MAX / 1_000} s, hears neither the target nor the agent again, or is hung up by the service without a word. "Ended by the`,
    'carrier" are calls that Twilio and Plivo end on their own: their webhook got no answer, because it was lost or the service was',
    "away during all of their attempts. `npm run sim:telephony` plays the same failures, each between any two steps, in virtual time",
    "and for any number of calls.",
    "",
    ...transferTable(transfers),
    "",
    ...targetTable(transfers.flatMap(({ results }) => results)),
    "",
    "**Waiting**, without faults and kills, one store after the other; the emulated carriers and the people are a process of their own",
    "on the same machine. Inbound calls come at fixed rates and are hung up by the caller 0.2 s after the answer, so the load is one of",
    "webhooks, records and new streams. Outbound calls begin twice a second and last 4 s after the greeting, which is cached.",
    "",
    ...latencyTable(latencies),
    "",
    "**Forged webhooks**, made of real ones: without signature, with a changed or another one, with a changed body, parameter, account",
    "or call. Live calls are measured as `bench:stores` measures interference: frames due until they are written, p99, medians of pairs",
    "of quiet and loaded rounds.",
    "",
    ...floodTable(floods),
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

const OUTCOME_HEADINGS = [
  "with the target",
  "with the agent again",
  "heard a text",
  "ended by the carrier",
  "its worker lost",
  "lost",
];

const outcomeCells = (results: readonly CallerResult[]): number[] =>
  OUTCOMES.map((outcome) => results.filter((result) => result.outcome === outcome).length);

function transferTable(transfers: readonly TransferResult[]): string[] {
  const headings = [
    ...["store", "callers", "kills", ...OUTCOME_HEADINGS],
    ...["connected to nothing, longest s", "agent again after s, p50", "p99", "calls that did not end", "s"],
  ];
  const rows = transfers.map(({ store, callers, kills, results, open, tookS }) => {
    const backMs = ascending(results.filter(({ outcome }) => outcome === "agent").map(({ waitMs }) => waitMs));
    return [
      ...[store, callers, kills, ...outcomeCells(results)],
      seconds(Math.max(...results.map(({ emptyMs }) => emptyMs))),
      ...[seconds(percentile(backMs, 50)), seconds(percentile(backMs, 99)), open.length, Math.round(tookS)],
    ];
  });
  return tableLines(headings, rows);
}

/** By carrier, what the target did, and what else went wrong. */
function targetTable(results: readonly CallerResult[]): string[] {
  const groups: [string, (result: CallerResult) => readonly string[]][] = [
    ["carrier", ({ carrier }) => [carrier]],
    ["target", ({ target }) => [target]],
    ["besides", ({ met }) => (met.length === 0 ? ["nothing"] : met)],
  ];
  const rows = groups.flatMap(([group, namesOf]) => {
    const names = [...new Set(results.flatMap(namesOf))].toSorted();
    return names.map((name) => {
      const those = results.filter((result) => namesOf(result).includes(name));
      return [`${group}: ${name}`, those.length, ...outcomeCells(those)];
    });
  });
  return tableLines(["of both stores", "callers", ...OUTCOME_HEADINGS], rows);
}

function latencyTable(latencies: readonly LatencyResult[]): string[] {
  const row = (store: string, what: string, values: readonly number[]): Cell[] => [
    ...[store, what, values.length],
    ...[50, 90, 99].map((percent) => Math.round(percentile(values, percent))),
  ];
  return tableLines(
    ["store", "from ... to", "calls", "p50 ms", "p90 ms", "p99 ms"],
    latencies.flatMap(({ store, inbound, greetingMs }) => [
      ...inbound.map(({ perSecond, documentMs }) =>
        row(store, `webhook of an inbound call, ${perSecond} a second, to its answer`, documentMs),
      ),
      row(store, "answer of an outbound call to the first speech of the greeting", greetingMs),
    ]),
  );
}

function floodTable(floods: readonly FloodResult[]): string[] {
  const headings = ["store", "forged", "a second", "accepted", "answers", "live calls", "lost"];
  const measures = ["p99 loaded / quiet", "p99 added ms", "event loop p99 ms"];
  const rows = floods.map(({ store, perSecond, forged, pairs, calls, losses }) => {
    const { times, addedMs, loopP99Ms } = interferenceOf({ pairs });
    const answers = Object.entries(forged.statuses).map(([status, count]) => `${count} with ${status}`);
    return [
      ...[store, forged.sent, perSecond, forged.accepted.length, answers.join(", "), calls, losses.length],
      ...[times, addedMs, loopP99Ms].map((value) => (Number.isNaN(value) ? "" : value.toFixed(2))),
    ];
  });
  return tableLines([...headings, ...measures], rows);
}

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

const reasonsText = (reasons: KillTrialResult["reasons"]): string =>
  Object.entries(reasons)
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `\`${reason}\` ${count}`)
    .join(", ");

const tableLines = (headings: readonly string[], rows: readonly (readonly Cell[])[]): string[] =>
  [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
