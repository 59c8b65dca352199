import { joinAllWords } from "../../core/text/words.ts";
import type { TranscribedUtterance, TranscribedWord } from "../../core/transcriptions/result.ts";

/** A pause that ends an utterance, ms. */
export const UTTERANCE_PAUSE_MS = 800;
/** No utterance is longer. */
export const UTTERANCE_MS_MAX = 30_000;

/**
 * The words of one channel, in their order, by utterance: words of one speaker without a pause of UTTERANCE_PAUSE_MS, up to
 * UTTERANCE_MS_MAX.
 */
export function utteranceWords(words: readonly TranscribedWord[]): TranscribedWord[][] {
  const utterances: TranscribedWord[][] = [];
  for (const word of words) {
    const current = utterances.at(-1);
    if (current !== undefined && continues(current, word)) current.push(word);
    else utterances.push([word]);
  }
  return utterances;
}

function continues(utterance: readonly TranscribedWord[], word: TranscribedWord): boolean {
  const [first, last] = [utterance[0], utterance.at(-1)];
  return (
    first !== undefined &&
    last !== undefined &&
    word.speaker === last.speaker &&
    word.startMs - last.endMs < UTTERANCE_PAUSE_MS &&
    word.endMs - first.startMs <= UTTERANCE_MS_MAX
  );
}

/** The utterance of these words, of which there is at least one. */
export function utteranceOf(words: readonly TranscribedWord[]): TranscribedUtterance {
  const [{ startMs, channel, speaker }] = words as [TranscribedWord];
  return {
    text: joinAllWords(words.map(({ text }) => text)),
    startMs,
    endMs: words.reduce((latestMs, { endMs }) => Math.max(latestMs, endMs), startMs),
    channel,
    ...(speaker === undefined ? {} : { speaker }),
  };
}
