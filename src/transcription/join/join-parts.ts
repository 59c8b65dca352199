import { joinAllTexts } from "../../core/text/words.ts";
import type { TranscriptionOptions } from "../../core/transcriptions/options.ts";
import type { PartKey, PartOutcome } from "../../core/transcriptions/part.ts";
import type {
  TranscribedPart,
  TranscribedUtterance,
  TranscribedWord,
  TranscriptionResult,
} from "../../core/transcriptions/result.ts";
import { type ChannelWord, joinStretches, type Stretch } from "./overlap.ts";
import { utteranceOf, utteranceWords } from "./utterances.ts";

/** A part that is transcribed, and how often a provider was asked for it. */
export interface JoinablePart extends PartKey {
  readonly requests: number;
  readonly outcome: PartOutcome;
}

export interface JoinOptions {
  readonly options: TranscriptionOptions;
  /** Of the whole audio. */
  readonly durationMs: number;
  /** How many channels were transcribed. */
  readonly channels: number;
}

/** The language of audio in which nothing was understood (BCP 47: undetermined). */
const NO_LANGUAGE = "und";

/**
 * The result of a transcription from all of its parts, in any order. Parts of a channel touch, leave a gap, or overlap; of the words
 * in an overlap one of each remains, see `joinStretches` for what is guaranteed. Speakers are numbered anew in each channel, from 0 in
 * the order in which they speak.
 */
export function joinParts(
  parts: readonly JoinablePart[],
  { options, durationMs, channels }: JoinOptions,
): TranscriptionResult {
  const ordered = parts.toSorted((a, b) => a.channel - b.channel || a.startMs - b.startMs);
  const byChannel = [...new Set(ordered.map(({ channel }) => channel))].map((channel) => {
    const ofChannel = ordered.filter((part) => part.channel === channel);
    return channelWords(ofChannel, channel, options.speakers);
  });
  const utterances = inOrder(byChannel.flatMap((words) => utteranceWords(words).map(utteranceOf)));
  return {
    text: joinAllTexts(utterances.map(({ text }) => text)),
    language: languageOf(ordered, options.language),
    durationMs,
    channels,
    utterances,
    words: options.timestamps === "word" ? inOrder(byChannel.flat()) : [],
    hasEstimatedTimes: parts.some(({ outcome }) => outcome.hasEstimatedTimes),
    parts: ordered.map(
      ({ channel, startMs, endMs, requests, outcome: { provider, usage } }): TranscribedPart => ({
        channel,
        startMs,
        endMs,
        provider,
        requests,
        usage,
      }),
    ),
  };
}

/** By their start, then by their channel. The order of equal ones stays: words of one channel are in the order in which they were spoken. */
const inOrder = <Item extends TranscribedWord | TranscribedUtterance>(items: readonly Item[]): Item[] =>
  items.toSorted((a, b) => a.startMs - b.startMs || a.channel - b.channel);

/** The words of one channel, each once, in the order in which they were spoken. */
function channelWords(parts: readonly JoinablePart[], channel: number, hasSpeakers: boolean): TranscribedWord[] {
  const speakers = new Map<number, number>();
  let earliestMs = 0;
  return joinedWords(parts.map(stretchOf)).map(({ text, startMs, endMs, confidence, speaker }): TranscribedWord => {
    // Where two parts meet, their times may contradict the order.
    earliestMs = Math.max(earliestMs, Math.round(startMs));
    const word = { text, startMs: earliestMs, endMs: Math.max(earliestMs, Math.round(endMs)), channel };
    const numbered = hasSpeakers && speaker !== undefined ? { speaker: numberOf(speakers, speaker) } : {};
    return { ...word, ...(confidence === undefined ? {} : { confidence }), ...numbered };
  });
}

function numberOf(numbers: Map<number, number>, speaker: number): number {
  const number = numbers.get(speaker) ?? numbers.size;
  numbers.set(speaker, number);
  return number;
}

/** The words of stretches in their order. Only the words of the latest one can be in an overlap with the next. */
function joinedWords(stretches: readonly Stretch[]): ChannelWord[] {
  const words: ChannelWord[] = [];
  let before: Stretch | undefined;
  for (const after of stretches) {
    let added = after.words;
    if (before !== undefined && after.startMs < before.endMs) {
      const latest = words.splice(Math.max(0, words.length - before.words.length));
      added = joinStretches({ ...before, words: latest }, after);
    }
    for (const word of added) words.push(word);
    before = after;
  }
  return words;
}

/** A part with times from the beginning of the audio, none of them outside of it. */
function stretchOf({ startMs, endMs, outcome: { words, hasEstimatedTimes } }: JoinablePart): Stretch {
  const within = (ms: number): number => Math.min(endMs, Math.max(startMs, startMs + ms));
  return {
    startMs,
    endMs,
    words: words
      .filter(({ text }) => text.trim() !== "")
      .map((word) => ({ ...word, text: word.text.trim(), startMs: within(word.startMs), endMs: within(word.endMs) })),
    hasEstimatedTimes,
  };
}

/** The language that was asked for, or the one that was detected in most of the audio with words. */
function languageOf(parts: readonly JoinablePart[], asked: string): string {
  if (asked !== "auto") return asked;
  const durations = new Map<string, number>();
  for (const { startMs, endMs, outcome } of parts) {
    const { language, words } = outcome;
    if (language === undefined || words.length === 0) continue;
    durations.set(language, (durations.get(language) ?? 0) + endMs - startMs);
  }
  return [...durations].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? NO_LANGUAGE;
}
