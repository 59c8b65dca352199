import { TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import type { TurnEvent } from "./turn.ts";

/**
 * What the caller does, and what was understood of it since the agent last answered. Times are ms of call time; `wordsMs` is
 * since when the voice has told no new word, pauses left out; `wordlessMs` is for how long it had when it paused.
 */
export type Caller =
  | { at: "silent" }
  /** `voiceMs`: when this stretch of voice began; `startMs`: when the first of the turn did. */
  | { at: "speaking"; startMs: number; voiceMs: number; words: Words; wordsMs: number }
  /** The voice stopped at `endMs`; the turn is over when the pause is long enough and the words are final, or the caller is `done`. */
  | { at: "pausing"; startMs: number; endMs: number; words: Words; wordlessMs: number; done: boolean };

/** `final` is settled, `partial` may still change; joined by a space they are what was said. */
export interface Words {
  final: string;
  partial: string;
}

const NO_WORDS: Words = { final: "", partial: "" };

/** What was said so far, as one text. */
export const wordsText = (words: Words): string => join(words.final, words.partial);

/** Voice goes on or begins at `nowMs`, and nothing was said yet. */
export const wordlessFrom = (nowMs: number): Caller => ({
  at: "speaking",
  startMs: nowMs,
  voiceMs: nowMs,
  words: NO_WORDS,
  wordsMs: nowMs,
});

/** What the caller has said that was not taken to be answered yet, as it stands at `nowMs`. */
export function saidUntil(caller: Caller, nowMs: number): { text: string; startMs: number; endMs: number } | undefined {
  if (caller.at === "silent" || wordsText(caller.words) === "") return undefined;
  const endMs = caller.at === "pausing" ? caller.endMs : nowMs;
  return { text: wordsText(caller.words), startMs: caller.startMs, endMs };
}

/** All that was understood of what the caller says. */
export const wordsOf = (caller: Caller): string => (caller.at === "silent" ? "" : wordsText(caller.words));

/** What the ear has told and is not done with. */
export const partialOf = (caller: Caller): string => (caller.at === "silent" ? "" : caller.words.partial);

/**
 * What was answered of the utterance that the ear tells `text` of. Where no word is near its place it is another one, and the first
 * will never have a final; but a single word the ear may have thought better of.
 */
export function answeredOf(answered: string, text: string): string {
  if (answered === "" || text === "" || text.startsWith(answered)) return answered;
  const before = plainWords(answered);
  const words = plainWords(text);
  const isAnother =
    before.length > 1 && before.every((word, at) => !words.slice(Math.max(0, at - 1), at + 2).includes(word));
  return isAnother ? "" : answered;
}

/** Without what a final adds to them: capitals and full stops. */
const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N} ]/gu, "")
    .split(" ");

/** What is new in words whose beginning was answered before the ear was done with them. */
export function unanswered<T extends { text: string }>(event: T, answered: string): T {
  if (answered === "") return event;
  if (event.text.startsWith(answered)) return { ...event, text: event.text.slice(answered.length).trim() };
  // The ear thought better of some of it since: as many words are left out as were answered.
  return { ...event, text: event.text.split(" ").slice(answered.split(" ").length).join(" ") };
}

export function stepCaller(caller: Caller, event: TurnEvent, nowMs: number): Caller {
  switch (event.kind) {
    case "speech-started": {
      const voice = { at: "speaking", voiceMs: event.startMs } as const;
      if (caller.at === "silent") return { ...voice, startMs: event.startMs, words: NO_WORDS, wordsMs: nowMs };
      if (caller.at === "speaking") return caller;
      return { ...voice, startMs: caller.startMs, words: caller.words, wordsMs: nowMs - caller.wordlessMs };
    }
    case "speech-ended":
      if (caller.at !== "speaking") return caller;
      return {
        at: "pausing",
        startMs: caller.startMs,
        endMs: Math.max(caller.startMs, event.endMs),
        words: caller.words,
        wordlessMs: Math.max(0, event.endMs - caller.wordsMs),
        done: false,
      };
    case "words": {
      // Nothing new; but a final also takes back what the ear thought it heard.
      if (event.text === "" && (!event.final || caller.at === "silent")) return caller;
      const words = heard(caller.at === "silent" ? NO_WORDS : caller.words, event);
      // Words without voice: the ear heard what the voice detector missed.
      if (caller.at === "silent")
        return { at: "pausing", startMs: nowMs, endMs: nowMs, words, wordlessMs: 0, done: false };
      return caller.at === "speaking" ? { ...caller, words, wordsMs: nowMs } : { ...caller, words, wordlessMs: 0 };
    }
    case "typed": {
      // What the ear is not done with was said before it.
      const before = { final: caller.at === "silent" ? "" : wordsText(caller.words), partial: "" };
      const words = heard(before, { text: event.text, final: true });
      if (caller.at === "speaking") return { ...caller, words, wordsMs: nowMs };
      const startMs = caller.at === "silent" ? nowMs : caller.startMs;
      return { at: "pausing", startMs, endMs: nowMs, words, wordlessMs: 0, done: true };
    }
    default:
      return caller;
  }
}

/** Nobody says more in one turn than the bound: what an ear tells past it is not believed. */
function heard(words: Words, event: { text: string; final: boolean }): Words {
  const text = event.text.slice(0, Math.max(0, TURN_TEXT_CHARS_MAX - words.final.length));
  return event.final ? { final: join(words.final, text), partial: "" } : { ...words, partial: text };
}

/** Two texts as one. */
export const join = (a: string, b: string): string => (a === "" ? b : b === "" ? a : `${a} ${b}`);
