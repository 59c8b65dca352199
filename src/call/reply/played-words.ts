import { addMs, type CallMs } from "../../core/clocks.ts";
import { speakingLength } from "../../core/text/speaking-length.ts";
import { lettersOf, wordsOf } from "../../core/text/words.ts";
import { LETTERS_PER_SECOND, type Segment } from "./heard-text.ts";
import type { PlayoutTimeline } from "./playout-timeline.ts";

/** A word of the agent that the caller hears, and when, ms of call time. `letters` is its normalized form. */
export interface PlayedWord {
  readonly letters: string;
  readonly startMs: CallMs;
  readonly endMs: CallMs;
}

/**
 * The words of a reply that began to play after `sinceMs`, in order. Without word times from the TTS, and within runs
 * of text without spaces, speech is assumed to be even. `language`, BCP 47, determines where words end.
 */
export function playedWords(
  segments: readonly Segment[],
  timeline: PlayoutTimeline,
  { rateHz, language, sinceMs }: { rateHz: number; language: string; sinceMs: CallMs },
): PlayedWord[] {
  return segments.flatMap((segment) => {
    if (!Number.isFinite(segment.startSample)) return [];
    return timedTexts(segment, rateHz).flatMap(({ text, startMs, endMs }) => {
      const fromMs = timeline.timeMs(segment.startSample + (startMs * rateHz) / 1_000);
      // Comparisons with NaN are false: it was not sent.
      return fromMs > sinceMs ? spread(text, fromMs, endMs - startMs, language) : [];
    });
  });
}

/** The texts of a segment whose times are known, ms from its beginning. */
function timedTexts(
  { text, words, startSample, endSample }: Segment,
  rateHz: number,
): readonly { text: string; startMs: number; endMs: number }[] {
  if (words.length > 0) return words;
  const endMs =
    endSample === undefined
      ? (speakingLength(text) / LETTERS_PER_SECOND) * 1_000
      : ((endSample - startSample) * 1_000) / rateHz;
  const wordCount = Math.max(1, text.split(/\s+/).length);
  return wordCount === 1 ? [{ text, startMs: 0, endMs }] : evenly(text, endMs);
}

/** Each word of `text`, spoken evenly within `durationMs`. */
function evenly(text: string, durationMs: number): { text: string; startMs: number; endMs: number }[] {
  const perLetterMs = durationMs / Math.max(1, speakingLength(text));
  let endMs = 0;
  return text.split(/\s+/).map((word) => {
    const startMs = endMs;
    endMs += speakingLength(`${word} `) * perLetterMs;
    return { text: word, startMs, endMs };
  });
}

/** The words of a text that is played from `fromMs` on: several where it is a run without spaces. */
function spread(text: string, fromMs: CallMs, durationMs: number, language: string): PlayedWord[] {
  const perLetterMs = durationMs / Math.max(1, speakingLength(text));
  let spokenMs = 0;
  return wordsOf(text, language).flatMap((word) => {
    const startMs = addMs(fromMs, spokenMs);
    spokenMs += speakingLength(word) * perLetterMs;
    const letters = lettersOf(word);
    return letters === "" ? [] : [{ letters, startMs, endMs: addMs(fromMs, spokenMs) }];
  });
}
