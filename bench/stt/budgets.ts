import { sumOfErrors, type WordErrors, wordErrorPercent, wrongWords } from "../../src/core/text/word-errors.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";
import type { ClipGroup } from "./clips.ts";
import { LINES, type Line } from "./lines.ts";
import type { ClipResult, SttResult } from "./result.ts";

const READING_PERCENT_MAX: Readonly<Record<Line, number>> = { clean: 6, "G.711": 8, "G.711, noise 20 dB": 15 };
const OTHER_PERCENT_MAX: Readonly<Record<Line, number>> = { clean: 8, "G.711": 10, "G.711, noise 20 dB": 20 };
/** Other English speech in utterances of several words. */
export const OTHER_GROUPS: readonly ClipGroup[] = ["commands", "prompts"];
const RESIDENT_MB_MAX = 400;

export const errorsOf = (clips: readonly ClipResult[], line: Line, groups: readonly ClipGroup[]): WordErrors =>
  sumOfErrors(clips.filter((clip) => clip.line === line && groups.includes(clip.group)).map(({ errors }) => errors));

export const errorText = (errors: WordErrors): string =>
  `${wordErrorPercent(errors).toFixed(1)} % (${wrongWords(errors)} of ${errors.words})`;

export function goalsOf({ clips, noSpeech, cost }: SttResult): Verdict[] {
  const invented = noSpeech.reduce((sum, { invented: texts }) => sum + texts.length, 0);
  return [
    ...LINES.map((line) =>
      atMost(`wrong words of the read clips, ${line}`, READING_PERCENT_MAX[line], errorsOf(clips, line, ["reading"])),
    ),
    ...LINES.map((line) =>
      atMost(
        `wrong words of other English speech, ${line}`,
        OTHER_PERCENT_MAX[line],
        errorsOf(clips, line, OTHER_GROUPS),
      ),
    ),
    {
      budget: "texts invented from sounds without speech, none",
      measured: String(invented),
      verdict: verdictOf(invented === 0),
    },
    {
      budget: `resident memory of a child, at most ${RESIDENT_MB_MAX} MB`,
      measured: `${cost.largestMb.toFixed(0)} MB`,
      verdict: verdictOf(cost.largestMb <= RESIDENT_MB_MAX),
    },
  ];
}

const atMost = (what: string, max: number, errors: WordErrors): Verdict => ({
  budget: `${what}, at most ${max} %`,
  measured: errorText(errors),
  verdict: verdictOf(wordErrorPercent(errors) <= max),
});
