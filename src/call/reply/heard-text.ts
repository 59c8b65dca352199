import { speakingLength } from "../../core/text/speaking-length.ts";
import { isUnspaced, wordEnds } from "../../core/text/words.ts";
import type { TimedWord } from "../../speech/contracts.ts";

/** Latin letters spoken in a second. Used only while a TTS without word times has not finished a segment. */
export const LETTERS_PER_SECOND = 15;

/**
 * One segment of a reply. Positions are samples of the whole reply. `endSample` is known once the synthesis has ended.
 */
export interface Segment {
  readonly text: string;
  startSample: number;
  endSample: number | undefined;
  readonly words: TimedWord[];
}

/**
 * The words of a segment that ended within its first `heardSamples` samples. Without word times from the TTS, speech is
 * assumed to be even; the error is at most this segment, because the segments before it were heard completely and those
 * after it were not heard at all. Most TTS providers send no times within an unspaced run of text (Chinese, Thai); even
 * speech is assumed there, too.
 */
export function heardOfSegment(segment: Segment, heardSamples: number, rateHz: number, language: string): string {
  const heardMs = (heardSamples / rateHz) * 1_000;
  // Word times arrive with the audio, before it is sent: an empty list means that the TTS sends none.
  if (segment.words.length > 0) {
    const complete = segment.words.filter((word) => word.endMs <= heardMs);
    const within = wordsWithin(wordAt(segment.words, heardMs), heardMs, language);
    return [...complete.map(({ text }) => text), ...(within === "" ? [] : [within])].join(" ");
  }
  const letters =
    segment.endSample === undefined
      ? (heardMs / 1_000) * LETTERS_PER_SECOND
      : (speakingLength(segment.text) * heardSamples) / (segment.endSample - segment.startSample);
  return wordsOfLength(segment.text, letters, language);
}

/** The word that is spoken at `atMs`; undefined between words and after the last one. */
export const wordAt = (words: readonly TimedWord[], atMs: number): TimedWord | undefined =>
  words.find(({ startMs, endMs }) => startMs < atMs && endMs > atMs);

/** The words of an unspaced run with a single time that had ended by `heardMs`; empty for a single word. */
export function wordsWithin(stretch: TimedWord | undefined, heardMs: number, language: string): string {
  if (stretch === undefined || !isUnspaced(stretch.text)) return "";
  const { text, startMs, endMs } = stretch;
  return wordsOfLength(text, (speakingLength(text) * (heardMs - startMs)) / (endMs - startMs), language);
}

/** The first words of `text` that take no longer than `letters` Latin letters; never the last word. */
function wordsOfLength(text: string, letters: number, language: string): string {
  let heard = 0;
  let length = 0;
  for (const end of wordEnds(text, language).slice(0, -1)) {
    length += speakingLength(text.slice(heard, end));
    if (length > letters) break;
    heard = end;
  }
  return text.slice(0, heard);
}
