import { type Verdict, verdictOf } from "../harness/verdict.ts";
import { short } from "../report/html.ts";
import { cutPercent, deafnessOf, type Pooled, percentOf, pooledOf } from "./pooled.ts";
import type { CostCell, HearingResult } from "./result.ts";

// The goals of the service's own detector, which is the last one of the list.

const MISSED_PERCENT_MAX = 3;
const MISSED_PERCENT_MAX_OF_ONE = 4.5;
const CUT_PERCENT_MAX = 0.5;
const CLEAN_ONSET_MS_MAX = { p50: 70, p90: 110 };
const NOISY_ONSET_MS_MAX = { p50: 80, p90: 145 };
const DEAFNESS_POINTS_MAX = 1;
const FALSE_PERCENT_MAX = 0.5;
/** More than the first detector costs, a frame. */
const SPEECH_US_MAX = 12;
const MUSIC_US_MAX = 30;

/** A verdict for each goal; of many conditions the worst one is shown. */
export function goalsOf(result: HearingResult): Verdict[] {
  const detector = result.detectors.at(-1)?.name ?? "";
  const rows = pooledOf(result, detector);
  const judged = rows.filter(({ kind }) => kind !== "reported");
  return [
    worst("clear speech missed, all languages together", MISSED_PERCENT_MAX, "%", judged, ({ missed }) => missed),
    worst(
      "clear speech missed, languages that are held out",
      MISSED_PERCENT_MAX,
      "%",
      judged,
      ({ heldOutMissed }) => heldOutMissed,
    ),
    worst(
      "clear speech missed in any single language",
      MISSED_PERCENT_MAX_OF_ONE,
      "%",
      judged.flatMap(({ condition, worst: most }) => (most === undefined ? [] : [{ condition, ...most }])),
      ({ missed }) => missed,
      ({ condition, language }) => `${condition}, ${language}`,
    ),
    worst("one-sentence prompts cut at an endpoint of 500 ms", CUT_PERCENT_MAX, "%", judged, ({ all }) =>
      cutPercent(all),
    ),
    ...onset(
      rows.filter(({ kind }) => kind === "clean"),
      "clean line",
      CLEAN_ONSET_MS_MAX,
    ),
    ...onset(
      rows.filter(({ kind }) => kind === "noisy"),
      "other lines down to 10 dB",
      NOISY_ONSET_MS_MAX,
    ),
    worst(
      "the same prompts later in a call: points more missed",
      DEAFNESS_POINTS_MAX,
      "",
      deafnessOf(result, detector),
      ({ first, later }) => later - first,
      ({ condition, minute }) => `${condition}, minute ${minute}`,
    ),
    worst(
      "music, hum and noise called speech",
      FALSE_PERCENT_MAX,
      "% of frames",
      result.noSpeech.filter((cell) => cell.detector === detector && cell.isJudged),
      ({ voicedFrames, frames }) => percentOf(voicedFrames, frames),
      ({ sound }) => sound,
    ),
    cost(result, detector, "speech", SPEECH_US_MAX),
    cost(result, detector, "music", MUSIC_US_MAX),
  ];
}

function worst<T extends object>(
  budget: string,
  max: number,
  unit: string,
  rows: readonly T[],
  measureOf: (row: T) => number,
  nameOf: (row: T) => string = (row) => (row as { condition?: string }).condition ?? "",
): Verdict {
  const [most] = rows.map((row) => ({ value: measureOf(row), name: nameOf(row) })).sort((a, b) => b.value - a.value);
  const goal = `${budget}, at most ${max} ${unit}`.trimEnd();
  if (most === undefined) return { budget: goal, measured: "the run was too short", verdict: "not shown" };
  const over = rows.filter((row) => measureOf(row) > max).map(nameOf);
  const missedIn = over.length > 1 ? `; missed in ${over.join(", ")}` : "";
  const measured = `at most ${short(most.value)} ${unit}`.trimEnd();
  return { budget: goal, measured: `${measured} (${most.name})${missedIn}`, verdict: verdictOf(most.value <= max) };
}

const onset = (rows: readonly Pooled[], line: string, max: { p50: number; p90: number }): Verdict[] => [
  worst(`onset p50, ${line}`, max.p50, "ms", rows, ({ onsetMs }) => onsetMs.p50),
  worst(`onset p90, ${line}`, max.p90, "ms", rows, ({ onsetMs }) => onsetMs.p90),
];

function cost(
  { cost: cells, detectors, costSpeechShare }: HearingResult,
  detector: string,
  load: CostCell["load"],
  maxUs: number,
): Verdict {
  const usOf = (name: string | undefined): number =>
    cells.find((cell) => cell.detector === name && cell.load === load)?.frameUs ?? Number.NaN;
  const moreUs = usOf(detector) - usOf(detectors[0]?.name);
  const when =
    load === "music" ? "with music" : `with a caller who speaks ${(100 * costSpeechShare).toFixed(0)} % of the time`;
  return {
    budget: `CPU a frame ${when}, more than ${detectors[0]?.name}, at most ${maxUs} µs`,
    measured: `${short(moreUs)} µs`,
    verdict: verdictOf(moreUs <= maxUs),
  };
}
