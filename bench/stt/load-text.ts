import { type Verdict, verdictLines, verdictOf } from "../harness/verdict.ts";
import type { HearingTable } from "../hearing/text.ts";
import { textTable } from "../report/text-table.ts";
import type { LoadResult, LoadStep } from "./load-result.ts";

/** The calls of one core for which the goals hold, and the delays from the detector's end of speech. */
const GOAL_CALLS = 4;
const P50_MS_MAX = 350;
const P90_MS_MAX = 700;

/** The result for the terminal. */
export const loadText = (result: LoadResult): string => {
  const { title, columns, rows } = loadTable(result);
  const { model, seconds, seed } = result;
  const head = `model ${model}; ${seconds} s a step; seed ${seed}`;
  return [head, "", title, textTable(columns, rows), "", ...verdictLines(loadGoals(result))].join("\n");
};

const both = ({ p50, p90 }: LoadStep["fromEnd"]): string => `${p50.toFixed(0)} / ${p90.toFixed(0)}`;

export const loadTable = ({ steps }: LoadResult): HearingTable => ({
  title: "finals of utterances of 2 to 7 s, one process: p50 / p90 in ms",
  columns: ["calls", "finals", "from end of speech", "from last voiced", "late", "interims", "dropped", "CPU", "MB"],
  rows: steps.map((step) => [
    String(step.calls),
    String(step.finals),
    both(step.fromEnd),
    both(step.fromLastVoiced),
    String(step.late),
    String(step.interims),
    String(step.interimsDropped),
    `${(100 * step.cpuShare).toFixed(0)} %`,
    step.residentMb.toFixed(0),
  ]),
});

export function loadGoals({ steps }: LoadResult): Verdict[] {
  const step = steps.find(({ calls }) => calls === GOAL_CALLS);
  if (step === undefined) return [];
  const { p50, p90 } = step.fromEnd;
  return [
    {
      budget: `end of speech to final, ${GOAL_CALLS} calls a core, p50 / p90 at most ${P50_MS_MAX} / ${P90_MS_MAX} ms`,
      measured: both(step.fromEnd),
      verdict: verdictOf(p50 <= P50_MS_MAX && p90 <= P90_MS_MAX),
    },
    {
      budget: `finals in time at ${GOAL_CALLS} calls a core: all`,
      measured: `${step.finals - step.late} of ${step.finals}`,
      verdict: verdictOf(step.late === 0),
    },
  ];
}
