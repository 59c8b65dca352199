import type { Random } from "../../../test/support/random.ts";
import type { Sounds } from "../../hearing/conditions.ts";
import type { Layer } from "../../turn-taking/caller-line.ts";
import type { TrialTools } from "../../turn-taking/trial.ts";
import { LINES } from "../scenes.ts";
import { KINDS } from "../script.ts";
import { wordTimeErrors } from "../words/errors.ts";
import { analyseEndOfTurn, type SpeechGroup } from "./analysis.ts";
import { DEVELOPMENT_LANGUAGES, HELD_OUT_LANGUAGES, readSpeakers, type Speaker } from "./callers.ts";
import { type EndOfTurnCase, endsOf } from "./conversations.ts";
import { type EndOfTurnResult, isJudged, rowOf } from "./tables.ts";

interface EndOfTurnOptions {
  tools: TrialTools;
  sounds: Sounds;
  cacheDir: string;
  minutes: number;
  seed: number;
  write: (line: string) => void;
}

/** So many turns of each speaker in each case, for each of the bench's minutes: more where a goal depends on a few of them. */
const JUDGED_TURNS_A_MINUTE = 6;
const OTHER_TURNS_A_MINUTE = 2;
const CASES: readonly EndOfTurnCase[] = KINDS.flatMap((kind): EndOfTurnCase[] => [
  { kind, writing: "plain", asked: "neutral", rule: "score" },
  { kind, writing: "plain", asked: "neutral", rule: "pauses" },
  ...(kind === "number" || kind === "spelling"
    ? [{ kind, writing: "plain", asked: "fitting", rule: "score" } as const]
    : []),
  { kind, writing: "punctuated", asked: "neutral", rule: "score" },
  { kind, writing: "punctuated", asked: "neutral", rule: "pauses" },
]);

/** The ends of turns in whole calls, by the score and by the pauses of before, and what the score is worth. */
export async function benchEndOfTurn(options: EndOfTurnOptions): Promise<EndOfTurnResult> {
  const { tools, cacheDir, write } = options;
  const { makeResampler, voiceActivity } = tools;
  const speakersOf: Readonly<Record<SpeechGroup, readonly Speaker[]>> = {
    development: await readSpeakers(cacheDir, DEVELOPMENT_LANGUAGES, makeResampler),
    "held out": await readSpeakers(cacheDir, HELD_OUT_LANGUAGES, makeResampler),
  };
  const rows: EndOfTurnResult["rows"] = [];
  for (const speech of ["development", "held out"] as const) {
    const speakers = speakersOf[speech];
    for (const wanted of CASES) rows.push(await caseRow(options, speech, speakers, "clean", wanted));
    for (const kind of KINDS) {
      const wanted = { kind, writing: "plain", asked: "neutral", rule: "score" } as const;
      rows.push(await caseRow(options, speech, speakers, "pink 10 dB", wanted));
    }
  }
  write("the curve and the ablation");
  const analysis = analyseEndOfTurn(speakersOf, voiceActivity);
  const languages = [...DEVELOPMENT_LANGUAGES, ...HELD_OUT_LANGUAGES];
  return { rows, analysis, wordTimes: await wordTimeErrors(cacheDir, languages, makeResampler) };
}

async function caseRow(
  { tools, sounds, minutes, seed, write }: EndOfTurnOptions,
  speech: SpeechGroup,
  speakers: readonly Speaker[],
  lineName: string,
  wanted: EndOfTurnCase,
): Promise<EndOfTurnResult["rows"][number]> {
  const line = LINES.find(({ name }) => name === lineName);
  if (line === undefined) throw new Error(`there must be a line ${lineName}`);
  const layersOf = (random: Random): Layer[] => [...line.draw(sounds, random).layers];
  const turnsEach =
    minutes * (isJudged({ ...wanted, speech, line: lineName }) ? JUDGED_TURNS_A_MINUTE : OTHER_TURNS_A_MINUTE);
  const findings = await endsOf(tools, speakers, turnsEach, layersOf, wanted, seed);
  const row = rowOf(wanted, speech, lineName, findings);
  write(
    `${speech}, ${lineName}, ${wanted.rule}, ${wanted.writing}, ${wanted.kind}: ${row.early} of ${row.turns} answered early, p50 ${row.answerMs.p50.toFixed(0)} ms`,
  );
  return row;
}
