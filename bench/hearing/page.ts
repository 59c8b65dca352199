import { escaped, list, page, type Section, table, whole } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection } from "../report/sections.ts";
import { goalsOf } from "./budgets.ts";
import type { HearingResult } from "./result.ts";
import { type HearingTable, tablesOf } from "./text.ts";

/** The result as a page by itself, with the picture of a tape. */
export function hearingPage(result: HearingResult): string {
  const { minutes, seed, tookS, machine, picture } = result;
  const subtitle = `Tapes of at most ${minutes} minutes, seed ${seed}, in ${whole(tookS)} s. ${machineLine(machine)}`;
  return page("Trunkline, hearing people", subtitle, [
    budgetSection(goalsOf(result)),
    { title: "The end of a call in noise", body: picture },
    ...tablesOf(result).map(tableSection),
    { title: "How it was measured", body: list(METHOD) },
  ]);
}

/** A table as a section of a page. */
export const tableSection = ({ title, columns, rows }: HearingTable): Section => ({
  title,
  body: table(
    columns.map((column, at) => ({ title: column, numeric: at > 0 })),
    rows.map((row) => row.map((cell, at) => (at === 0 ? `<span class="name">${escaped(cell)}</span>` : escaped(cell)))),
  ),
});

const METHOD = [
  "<b>The speech</b> is human: prompts of Asterisk in five languages, one speaker each, and read English; with close microphones, and none of it is spontaneous. " +
    "Each prompt is brought to -26 dBov. Detectors may be tuned with it, ru and reading; en, es and fr are held out.",
  "<b>A tape</b> is one call: prompts in an order of chance with pauses of 1 to 2 s, noise on all of it, G.711 mu-law. The detector is never reset.",
  "<b>Clear speech</b> is where 10 ms of the clean prompt are within 20 dB of its level, for at least 40 ms. Frames fainter than that, and 500 ms " +
    "after anything within 30 dB, are judged neither as speech nor as silence.",
  "<b>The onset</b> is timed from the first clear sample to the end of the frame in which the call's speech starts; <b>early</b>: it had started before, " +
    "by a breath or by noise; <b>lost</b>: it never did.",
  "<b>Cut</b>: half a second without a voiced frame before a prompt of one sentence is over.",
];
