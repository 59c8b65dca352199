import { verdictLines } from "../harness/verdict.ts";
import { page, short, table } from "../report/html.ts";
import { machineLine } from "../report/machine-line.ts";
import { budgetSection, invalidity } from "../report/sections.ts";
import { textTable } from "../report/text-table.ts";
import { excessOf, type TracesResult, totalOf } from "./result.ts";

const HEAD = ["round", "worker off", "on", "control off", "on", "renderer off", "on", "all off", "on", "excess, ms"];

const rowsOf = ({ rounds }: TracesResult): string[][] =>
  rounds.map((round, index) => {
    const { on, off } = round;
    const parts = (["worker", "control", "renderer"] as const).flatMap((part) => [off[part], on[part]]);
    return [String(index + 1), ...[...parts, totalOf(off), totalOf(on), excessOf(round)].map(short)];
  });

export const TRACES_EXPLANATION =
  "CPU in ms of one call, of the worker, of the control process and of its renderer, with traces on and off, at the same time, in two new services each round. The excess is that of the control process and its renderer: the worker has no code for traces. Errors are half of the interval of 95 % by Student's t.";

const spansLine = ({ spansPerCall, workerExcess: { mean, error } }: TracesResult): string =>
  `${short(spansPerCall)} spans a call; the workers of the two services differ by ${short(mean)} ms a call, give or take ${short(error)}`;

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
