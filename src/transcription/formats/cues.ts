import { estimateWordTimes } from "../../core/transcriptions/estimated-times.ts";
import type { TranscribedWord, TranscriptionResult } from "../../core/transcriptions/result.ts";
import { utteranceWords } from "../join/utterances.ts";
import { hangingIn } from "./hanging-words.ts";
import { type CueText, cueTexts } from "./layout.ts";
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
 * the text that stands before the words of each cue with a name, and counts as a part of it. Yields after each utterance.
 */
export function* cuesOf(result: TranscriptionResult, labelOf: (name: string) => string): Generator<undefined, Cue[]> {
  const nameOf = speakerNames(result);
  const isHanging = hangingIn(result.language);
  const cues: (CueText & { name: string | undefined })[] = [];
  for (const words of wordsByUtterance(result)) {
    const [first] = words;
    const name = first && nameOf(first);
    const label = name === undefined ? "" : labelOf(name);
    for (const cue of cueTexts(tokensOf(words), { label, isHanging })) cues.push({ ...cue, name });
    yield;
  }
  cues.sort((a, b) => a.startMs - b.startMs);
  const times = cueTimes(cues, (index) => charsOfLines(cues[index]?.lines ?? []));
  return cues.map(({ lines, name }, index) => ({ lines, name, ...(times[index] as Pick<Cue, "startMs" | "endMs">) }));
}

/** The words of each utterance; without words in the result, with times by their letters. */
function wordsByUtterance({ words, utterances, language }: TranscriptionResult): TranscribedWord[][] {
  if (words.length > 0) {
    const channels = [...new Set(words.map(({ channel }) => channel))];
    return channels.flatMap((channel) => utteranceWords(words.filter((word) => word.channel === channel)));
  }
  return utterances.map(({ text, channel, speaker, startMs, endMs }) =>
    estimateWordTimes(text, [{ startMs, endMs }], language).map((word) =>
      speaker === undefined
        ? { text: word.text, startMs: word.startMs, endMs: word.endMs, channel }
        : { text: word.text, startMs: word.startMs, endMs: word.endMs, channel, speaker },
    ),
  );
}
