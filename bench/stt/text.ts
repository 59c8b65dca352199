import { verdictLines } from "../harness/verdict.ts";
import type { HearingTable } from "../hearing/text.ts";
import { textTable } from "../report/text-table.ts";
import { errorsOf, errorText, goalsOf } from "./budgets.ts";
import { CLIP_GROUPS } from "./clips.ts";
import { LINES } from "./lines.ts";
import type { SttResult } from "./result.ts";

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The result for the terminal. */
export const sttText = (result: SttResult): string =>
  [
    `model ${result.model}; seed ${result.seed}; ${result.tookS.toFixed(0)} s`,
    ...tablesOf(result).flatMap(({ title, columns, rows }) => ["", title, textTable(columns, rows)]),
    "",
    ...verdictLines(goalsOf(result)),
  ].join("\n");

export const tablesOf = (result: SttResult): HearingTable[] => [
  errorTable(result),
  longTable(result),
  refusalTable(result),
  noSpeechTable(result),
  costTable(result),
];

const errorTable = ({ clips }: SttResult): HearingTable => ({
  title: "wrong words",
  columns: ["speech", "clips", ...LINES],
  rows: CLIP_GROUPS.map((group) => [
    group,
    String(clips.filter((clip) => clip.group === group && clip.line === LINES[0]).length),
    ...LINES.map((line) => errorText(errorsOf(clips, line, [group]))),
  ]),
});

const longTable = ({ long }: SttResult): HearingTable => ({
  title: "wrong words of one long utterance, and of the same prompts one by one",
  columns: ["utterance", "s", "as one", "one by one"],
  rows: long.map(({ name, lengthS, errors, apart }) => [name, lengthS.toFixed(0), errorText(errors), errorText(apart)]),
});

const refusalTable = ({ clips }: SttResult): HearingTable => ({
  title: "clips of which no word was understood",
  columns: ["speech", ...LINES],
  rows: CLIP_GROUPS.map((group) => [
    group,
    ...LINES.map((line) => {
      const all = clips.filter((clip) => clip.group === group && clip.line === line);
      return `${all.filter(({ heard }) => heard === "").length} of ${all.length}`;
    }),
  ]),
});

const noSpeechTable = ({ noSpeech }: SttResult): HearingTable => ({
  title: "sounds without speech",
  columns: ["sound", "clips", "texts", "understood"],
  rows: noSpeech.map(({ kind, sounds, invented }) => [
    kind,
    String(sounds),
    String(invented.length),
    invented.map((text) => JSON.stringify(text.slice(0, 60))).join(", "),
  ]),
});

const costTable = ({ cost }: SttResult): HearingTable => ({
  title: "cost of the engine, in a process of its own",
  columns: ["what", "figure"],
  rows: [
    ["process started to ready", `${cost.loadMs.toFixed(0)} ms, ${cost.loadCpuMs.toFixed(0)} ms of CPU time`],
    ["CPU time of the first pass, of its audio", percent(cost.firstPassShare)],
    [`CPU time of a warm pass, p50 of ${cost.warmAudioS.toFixed(0)} s`, percent(cost.warmPassShare)],
    ["resident when ready", `${cost.loadedMb.toFixed(0)} MB`],
    ["resident at most", `${cost.largestMb.toFixed(0)} MB`],
  ],
});
