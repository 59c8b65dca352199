import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { verdictLines } from "../harness/verdict.ts";
import { whole } from "../report/html.ts";
import { textTable } from "../report/text-table.ts";
import { goalsOf } from "./budgets.ts";
import { cutPercent, deafnessOf, type Pooled, percentOf, pooledOf } from "./pooled.ts";
import type { HearingResult } from "./result.ts";

/** A table with its head, as text. */
export interface HearingTable {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

const FRAMES_A_MINUTE = 60_000 / FRAME_MS;
const tenth = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : "–");

/** The result for the terminal. */
export function hearingText(result: HearingResult): string {
  const tapes = result.tapes.map(
    ({ language, prompts, minutes }) => `${language} ${prompts} prompts in ${minutes.toFixed(1)} min`,
  );
  return [
    `tapes: ${tapes.join(", ")}; detectors: ${result.detectors.map(({ name, version }) => `${name} (${version})`).join(", ")}`,
    ...(result.hasGsm ? [] : ["the condition GSM is missing: sox is not installed"]),
    ...tablesOf(result).flatMap(({ title, columns, rows }) => ["", title, textTable(columns, rows)]),
    "",
    ...verdictLines(goalsOf(result)),
  ].join("\n");
}

export const tablesOf = (result: HearingResult): HearingTable[] => [
  ...result.detectors.map(({ name }) => conditionTable(result, name)),
  languageTable(result),
  deafnessTable(result),
  noSpeechTable(result),
  costTable(result),
];

const CONDITION_COLUMNS = [
  "condition",
  ...["missed %", "tuned on %", "held out %"],
  ...["onset p50", "p90 ms", "lost", "early"],
  ...["cut", "cut %"],
  ...["false starts/min", "false frames %"],
];

const conditionTable = (result: HearingResult, detector: string): HearingTable => ({
  title: detector,
  columns: CONDITION_COLUMNS,
  rows: pooledOf(result, detector).map(conditionRow),
});

const conditionRow = ({ condition, missed, tunedMissed, heldOutMissed, onsetMs, all }: Pooled): string[] => [
  condition,
  ...[missed, tunedMissed, heldOutMissed].map(tenth),
  ...[whole(onsetMs.p50), whole(onsetMs.p90), String(all.lost), String(all.early)],
  ...[`${all.cut} of ${all.oneSentences}`, tenth(cutPercent(all))],
  tenth(all.falseStarts / (all.silentFrames / FRAMES_A_MINUTE)),
  tenth(percentOf(all.falseFrames, all.silentFrames)),
];

/** Of the service's own detector, the last one. */
function languageTable(result: HearingResult): HearingTable {
  const detector = result.detectors.at(-1)?.name ?? "";
  const own = result.cells.filter((cell) => cell.detector === detector);
  const languages = result.tapes.map(({ language }) => language);
  return {
    title: `${detector}: clear speech missed, %, by language`,
    columns: ["condition", ...languages],
    rows: [...new Set(own.map(({ condition }) => condition))].map((condition) => [
      condition,
      ...languages.map((language) => {
        const cell = own.find((one) => one.condition === condition && one.language === language);
        return cell === undefined ? "–" : tenth(percentOf(cell.measures.missedFrames, cell.measures.clearFrames));
      }),
    ]),
  };
}

const deafnessTable = (result: HearingResult): HearingTable => ({
  title: "clear speech missed, %: the same prompts in the first two minutes of a call and later",
  columns: ["detector, condition", "first", "later", "points more", "at minute"],
  rows: result.detectors.flatMap(({ name }) =>
    deafnessOf(result, name).map(({ condition, minute, first, later }) => [
      `${name}, ${condition}`,
      ...[first, later, later - first].map(tenth),
      String(minute),
    ]),
  ),
});

const noSpeechTable = ({ detectors, noSpeech }: HearingResult): HearingTable => ({
  title: "frames called speech in sounds without speech, %",
  columns: ["sound", ...detectors.map(({ name }) => name)],
  rows: [...new Set(noSpeech.map(({ sound }) => sound))].map((sound) => [
    sound,
    ...detectors.map(({ name }) => {
      const cell = noSpeech.find((one) => one.sound === sound && one.detector === name);
      return cell === undefined ? "–" : percentOf(cell.voicedFrames, cell.frames).toFixed(2);
    }),
  ]),
});

const costTable = ({ detectors, cost, costSpeechShare }: HearingResult): HearingTable => ({
  title: "CPU time a frame of 20 ms, µs",
  columns: ["load", ...detectors.map(({ name }) => name)],
  rows: (["speech", "music"] as const).map((load) => [
    load === "speech" ? `caller speaks ${(100 * costSpeechShare).toFixed(0)} %` : "music, the gate open",
    ...detectors.map(({ name }) =>
      tenth(cost.find((cell) => cell.load === load && cell.detector === name)?.frameUs ?? Number.NaN),
    ),
  ]),
});
