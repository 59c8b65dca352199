import { isUnspaced, speakingLength, wordEnds } from "../../core/text/words.ts";
import type { TimedWord } from "../../speech/contracts.ts";

/** Latin letters a voice speaks in a second; only used for a voice that tells no word times and is not done yet. */
const LETTERS_PER_SECOND = 15;

/** One spoken piece of a reply, in samples of the reply as a whole. `endSample` is known once the synthesis is over. */
export interface Segment {
  readonly text: string;
  startSample: number;
  endSample: number | undefined;
  readonly words: TimedWord[];
}

/**
 * The words of a piece that ended within its first `heardSamples` samples. Where the voice tells no word times they are taken to be
 * spoken evenly: that may be off by as much as the voice is uneven, but never by more than this piece. Pieces before it were heard
 * whole, of those behind it nothing was. Neither are there times of the words within what a voice tells as one, as most do of a
 * script that has no blanks: those are taken to be spoken evenly, too.
 */
export function heardOfSegment(segment: Segment, heardSamples: number, rateHz: number, language: string): string {
  const heardMs = (heardSamples / rateHz) * 1_000;
  // Word times become known with the audio, ahead of its being sent: an empty list means a voice that tells none.
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

/** The word that sounds at `atMs`; undefined between words, and behind the last. */
export const wordAt = (words: readonly TimedWord[], atMs: number): TimedWord | undefined =>
  words.find(({ startMs, endMs }) => startMs < atMs && endMs > atMs);

/** The words of a stretch with a single time that had ended by `heardMs`; none where it is one word. */
export function wordsWithin(stretch: TimedWord | undefined, heardMs: number, language: string): string {
  if (stretch === undefined || !isUnspaced(stretch.text)) return "";
  const { text, startMs, endMs } = stretch;
  return wordsOfLength(text, (speakingLength(text) * (heardMs - startMs)) / (endMs - startMs), language);
}

/** The first words of `text` that take no longer than `letters` Latin letters; never its last one. */
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
