import { displayWidth } from "../text/display-width.ts";
import { lettersOf, wordsOf } from "../text/words.ts";
import type { PartWord } from "./part.ts";

/** A stretch of audio in which someone speaks, ms. */
export interface SpeechSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The words of `text`, which is what was said in `spans`, with times as `estimateTimes` gives them. `language` is a code from
 * `GET /languages`, and divides texts without spaces.
 */
export const estimateWordTimes = (text: string, spans: readonly SpeechSpan[], language: string): PartWord[] =>
  estimateTimes(wordsOf(text, language), spans);

/**
 * The words, which are what was said in `spans`, with times in ms by their letters: a word with twice the letters takes twice the time.
 * For providers that give no times. `spans` are in their order and do not overlap.
 */
export function estimateTimes(words: readonly string[], spans: readonly SpeechSpan[]): PartWord[] {
  // A word of punctuation alone takes time, too: nothing may end before it begins.
  const lengths = words.map((word) => Math.max(1, displayWidth(lettersOf(word))));
  const allMs = spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const letterMs =
    allMs /
    Math.max(
      1,
      lengths.reduce((sum, length) => sum + length, 0),
    );
  let spokenMs = 0;
  return words.map((word, index) => {
    const startMs = placeOf(spokenMs, spans, "start");
    spokenMs += (lengths[index] as number) * letterMs;
    return { text: word, startMs, endMs: Math.max(startMs, placeOf(spokenMs, spans, "end")) };
  });
}

/** When so much of the speech is over, ms. Between two spans a word starts with the later one and ends with the earlier one. */
function placeOf(spokenMs: number, spans: readonly SpeechSpan[], edge: "start" | "end"): number {
  let beforeMs = 0;
  for (const { startMs, endMs } of spans) {
    const spanMs = endMs - startMs;
    const isWithin = edge === "start" ? spokenMs < beforeMs + spanMs : spokenMs <= beforeMs + spanMs;
    if (isWithin) return Math.round(startMs + spokenMs - beforeMs);
    beforeMs += spanMs;
  }
  return Math.round(spans.at(-1)?.endMs ?? 0);
}
