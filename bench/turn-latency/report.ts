import { verdictLines } from "../harness/verdict.ts";
import { bars } from "../report/charts.ts";
import { escaped, list, page, short, table, whole } from "../report/html.ts";
import { coresLine, machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import type { TurnResult } from "./result.ts";

// What turns take, for the terminal and as a page.

const COLUMNS = ["ms", "given", "voice to voice p50", "p95", "own share p50", "p90", "p95", "max", "turns"];

const rowsOf = ({ cases }: TurnResult): string[][] =>
  cases.map(({ title, expectedMs, voiceToVoiceMs, overheadMs }) => [
    title,
    whole(expectedMs),
    ...[voiceToVoiceMs.p50, voiceToVoiceMs.p95, overheadMs.p50, overheadMs.p90, overheadMs.p95, overheadMs.max].map(
      short,
    ),
    whole(overheadMs.count),
  ]);

/** The result for the terminal. */
export const turnText = (result: TurnResult): string =>
  [textTable(COLUMNS, rowsOf(result)), coresLine(result.cores), verdictLines(result.budgets).join("\n")].join("\n\n");

/** And as a page by itself. */
export function turnPage(result: TurnResult): string {
  const { calls, exchanges } = result.options;
  const rows = result.cases.map(({ title, overheadMs }) => ({
    label: title,
    colour: "ours" as const,
    parts: [Math.max(0, overheadMs.p50), overheadMs.p95 - Math.max(0, overheadMs.p50)],
    value: `p50 ${short(overheadMs.p50)}, p95 ${short(overheadMs.p95)}`,
  }));
  const subtitle =
    `${whole(calls)} calls of carrier_a at once, ${whole(exchanges)} turns of each, in real time. ` +
    `${machineLine(result.machine)} ${escaped(coresLine(result.cores))}`;
  return page("Trunkline's own share of a turn", subtitle, [
    ...invalidity(result.problems),
    budgetSection(result.budgets),
    {
      title: "Our own share",
      lead: "Dark to the median, light to the 95th percentile.",
      body: bars(rows, "ms", "Own share of voice-to-voice latency"),
    },
    {
      title: "All figures",
      lead: "<b>Given</b>: what the engines and the endpoint take of every turn, whatever we do.",
      body: table(
        COLUMNS.map((title, column) => ({ title, numeric: column > 0 })),
        rowsOf(result).map((row) => row.map(escaped)),
      ),
    },
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

const METHOD = [
  "<b>Voice to voice</b>: from when the caller's last voiced frame was written to its socket, voiced being what the service's own detector " +
    "says of the same samples, to when the reply's first frame was read.",
  "<b>The providers</b> have exact delays: the STT from the last voiced frame that it received to its final transcript, the LLM to its first " +
    "text, the TTS to its first audio. The endpoint is the 500 ms of silence after which a turn is over; where the STT is later, the endpoint has passed " +
    "already. The later of the two, the LLM and the TTS are subtracted.",
  "<b>What is left</b> is ours: sockets, the wait for the loop, timers that wake late, and up to 20 ms until the next tick.",
];
