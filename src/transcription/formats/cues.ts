import { estimateWordTimes } from "../../core/transcriptions/estimated-times.ts";
import type { TranscribedWord, TranscriptionResult } from "../../core/transcriptions/result.ts";
import { utteranceWords } from "../join/utterances.ts";
import { isHanging } from "./hanging-words.ts";
import { cueTexts } from "./layout.ts";
import { speakerNames } from "./speaker-names.ts";
import { charsOfLines, cueTimes } from "./timing.ts";
import { tokensOf } from "./tokens.ts";

/** One subtitle, of at most two lines. Times in ms. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
  /** Who speaks, where that is known. */
  readonly name: string | undefined;
}

/**
 * The subtitles of a result, laid out as limits.ts says; see `cueTimes` for what gives way where people speak too fast. `labelOf` makes
 * the text that stands before the words of each cue with a name, and counts as a part of it.
 */
export function cuesOf(result: TranscriptionResult, labelOf: (name: string) => string): Cue[] {
  const nameOf = speakerNames(result);
  const language = result.language;
  const cues = wordsByUtterance(result)
    .flatMap((words) => {
      const [first] = words;
      const name = first && nameOf(first);
      const label = name === undefined ? "" : labelOf(name);
      const options = { label, isHanging: (word: string) => isHanging(word, language) };
      return cueTexts(tokensOf(words), options).map((cue) => ({ ...cue, name }));
    })
    .toSorted((a, b) => a.startMs - b.startMs);
  const times = cueTimes(cues, (index) => charsOfLines(cues[index]?.lines ?? []));
  return cues.map(({ lines, name }, index) => ({ lines, name, ...(times[index] as Pick<Cue, "startMs" | "endMs">) }));
}

/** The words of each utterance; without words in the result, with times by their letters. */
function wordsByUtterance({ words, utterances, language }: TranscriptionResult): TranscribedWord[][] {
  if (words.length > 0) {
    const channels = [...new Set(words.map(({ channel }) => channel))];
    return channels.flatMap((channel) => utteranceWords(words.filter((word) => word.channel === channel)));
  }
  return utterances.map(({ text, channel, speaker, ...span }) =>
    estimateWordTimes(text, [span], language).map((word) => ({
      ...word,
      channel,
      ...(speaker === undefined ? {} : { speaker }),
    })),
  );
}
