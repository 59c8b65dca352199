import { verdictLines } from "../harness/verdict.ts";
import { page, short, table } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { type TracesResult, totalOf } from "./result.ts";

const HEAD = ["round", "worker off", "on", "control off", "on", "all off", "on", "excess, ms"];

const rowsOf = ({ rounds }: TracesResult): string[][] =>
  rounds.map(({ on, off }, index) => [
    String(index + 1),
    ...[off.worker, on.worker, off.control, on.control, totalOf(off), totalOf(on)].map(short),
    short(on.control - off.control),
  ]);

export const TRACES_EXPLANATION =
  "CPU in ms of one call, of the worker, and of the control process with its renderer, with traces on and off, at the same time. The excess is that of the control process and its renderer: the worker has no code for traces.";

const spansLine = ({ spansPerCall }: TracesResult): string => `${short(spansPerCall)} spans a call`;

export const tracesText = (result: TracesResult): string =>
  [textTable(HEAD, rowsOf(result)), spansLine(result), verdictLines(result.goals).join("\n")].join("\n\n");

export const tracesPage = (result: TracesResult): string =>
  page("What traces cost", machineLine(result.machine), [
    ...invalidity(result.problems),
    budgetSection(result.goals),
    {
      title: "CPU of one call, ms",
      lead: spansLine(result),
      body: table(
        HEAD.map((title) => ({ title, numeric: true })),
        rowsOf(result),
      ),
    },
  ]);
