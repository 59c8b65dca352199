import type { Schema } from "../../../client/src/index.ts";

export type Result = NonNullable<Schema<"Transcription">["result"]>;
export type Word = Result["words"][number];

/** A stretch of an utterance's text: of a word, which has times, or between words. */
export interface Segment {
  readonly text: string;
  readonly word?: Word;
}

/** An utterance as the page shows it. */
export interface Row {
  readonly startMs: number;
  readonly endMs: number;
  /** Who speaks, where that is known; empty otherwise. */
  readonly speaker: string;
  readonly segments: readonly Segment[];
}

/** The utterances of a result, in the order of their start, each with its words. */
export function rowsOf({ utterances, words, channels }: Result): readonly Row[] {
  const left = new Map<number, Word[]>();
  for (const word of words) {
    const known = left.get(word.channel);
    if (known === undefined) left.set(word.channel, [word]);
    else known.push(word);
  }
  const taken = new Map<number, number>();
  return utterances.map(({ text, startMs, endMs, channel, speaker }) => {
    const ofChannel = left.get(channel) ?? [];
    const first = taken.get(channel) ?? 0;
    let end = first;
    // A word belongs to the utterance in which it begins.
    while (end < ofChannel.length && (ofChannel[end]?.startMs ?? 0) < Math.max(endMs, startMs + 1)) end += 1;
    taken.set(channel, end);
    const who = speaker === undefined ? (channels > 1 ? `Channel ${channel + 1}` : "") : `Speaker ${speaker + 1}`;
    return { startMs, endMs, speaker: who, segments: segmentsOf(text, ofChannel.slice(first, end)) };
  });
}

/** A text divided by its words. Where a word is not found in it, the words are set side by side instead. */
export function segmentsOf(text: string, words: readonly Word[]): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const word of words) {
    const found = text.indexOf(word.text, at);
    if (found < 0)
      return words.flatMap((one, index) => [...(index > 0 ? [{ text: " " }] : []), { text: one.text, word: one }]);
    if (found > at) segments.push({ text: text.slice(at, found) });
    segments.push({ text: word.text, word });
    at = found + word.text.length;
  }
  if (at < text.length) segments.push({ text: text.slice(at) });
  return segments;
}

/** The last row that has begun at a time; -1 before the first. */
export function rowAt(rows: readonly Row[], atMs: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.startMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The segment of a row whose word sounds at a time; -1 for none, as between words. */
export const soundingSegment = ({ startMs, endMs, segments }: Row, atMs: number): number =>
  atMs < startMs || atMs >= Math.max(endMs, segments.at(-1)?.word?.endMs ?? 0)
    ? -1
    : segments.findIndex(({ word }) => word !== undefined && word.startMs <= atMs && atMs < word.endMs);

/** The start of the word after or before a time; undefined where there is none. `words` are in the order of their start. */
export function neighbourMs(words: readonly Word[], atMs: number, direction: 1 | -1): number | undefined {
  // A player stands a little before or after where it was sent.
  const MARGIN_MS = 20;
  return direction > 0
    ? words.find(({ startMs }) => startMs > atMs + MARGIN_MS)?.startMs
    : words.findLast(({ startMs }) => startMs < atMs - MARGIN_MS)?.startMs;
}
