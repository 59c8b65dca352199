import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import { cutText, joinTexts, textAfter } from "../../core/text/words.ts";
import type { TurnEvent } from "./turn-events.ts";

/**
 * What the caller does, and what was understood of it since the agent last answered. Times are ms of call time; `wordsMs` is
 * since when the voice has told no new word, pauses left out; `wordlessMs` is for how long it had when it paused.
 */
export type Caller =
  | { at: "silent" }
  /** `voiceMs`: when this stretch of voice began; `startMs`: when the first of the turn did. */
  | { at: "speaking"; startMs: number; speechStartMs: number; words: Words; lastWordMs: number }
  /** The voice stopped at `endMs`; the turn is over when the pause is long enough and the words are final, or the caller is `done`. */
  | { at: "pausing"; startMs: number; endMs: number; words: Words; wordlessMs: number; done: boolean };

/** `final` is settled, `partial` may still change; joined by a space they are what was said. */
export interface Words {
  final: string;
  interim: string;
}

const NO_WORDS: Words = { final: "", interim: "" };

/** What was said so far, as one text. */
export const wordsText = (words: Words): string => joinTexts(words.final, words.interim);

/** Voice goes on or begins at `nowMs`, and nothing was said yet. */
export const speakingWithoutWords = (nowMs: number): Caller => ({
  at: "speaking",
  startMs: nowMs,
  speechStartMs: nowMs,
  words: NO_WORDS,
  lastWordMs: nowMs,
});

/** What the caller has said that was not taken to be answered yet, as it stands at `nowMs`. */
export function unansweredUtterance(
  caller: Caller,
  nowMs: number,
): { text: string; startMs: number; endMs: number } | undefined {
  if (caller.at === "silent" || wordsText(caller.words) === "") return undefined;
  const endMs = caller.at === "pausing" ? caller.endMs : nowMs;
  return { text: wordsText(caller.words), startMs: caller.startMs, endMs };
}

/** All that was understood of what the caller says. */
export const callerText = (caller: Caller): string => (caller.at === "silent" ? "" : wordsText(caller.words));

/** What the ear has told and is not done with. */
export const callerInterim = (caller: Caller): string => (caller.at === "silent" ? "" : caller.words.interim);

/**
 * What is new in an interim or final transcript of an utterance whose beginning, `answered`, was answered before its final came.
 * Where the STT has changed a word of that beginning, all of it is new, and nothing counts as answered any more. `language`, BCP 47,
 * tells where words end.
 */
export function withoutAnsweredPrefix(
  { text, final }: { text: string; final: boolean },
  answered: string,
  language: string,
): { text: string; answered: string } {
  if (answered === "" || text === "") return { text, answered };
  const rest = textAfter(answered, text, language);
  if (rest !== undefined) return { text: rest, answered };
  // An interim transcript may lack the last words that the one before it had: they may come back.
  const isBeginning = !final && textAfter(text, answered, language) !== undefined;
  return isBeginning ? { text: "", answered } : { text, answered: "" };
}

export function stepCaller(caller: Caller, event: TurnEvent, nowMs: number): Caller {
  switch (event.kind) {
    case "speech-started": {
      const speaking = { at: "speaking", speechStartMs: event.startMs } as const;
      if (caller.at === "silent") return { ...speaking, startMs: event.startMs, words: NO_WORDS, lastWordMs: nowMs };
      if (caller.at === "speaking") return caller;
      return { ...speaking, startMs: caller.startMs, words: caller.words, lastWordMs: nowMs - caller.wordlessMs };
    }
    case "speech-ended":
      if (caller.at !== "speaking") return caller;
      return {
        at: "pausing",
        startMs: caller.startMs,
        endMs: Math.max(caller.startMs, event.endMs),
        words: caller.words,
        wordlessMs: Math.max(0, event.endMs - caller.lastWordMs),
        done: false,
      };
    case "words": {
      // Nothing new; but a final also takes back what the ear thought it heard.
      if (event.text === "" && (!event.final || caller.at === "silent")) return caller;
      const words = addTranscript(caller.at === "silent" ? NO_WORDS : caller.words, event);
      // Words without voice: the ear heard what the voice detector missed.
      if (caller.at === "silent")
        return { at: "pausing", startMs: nowMs, endMs: nowMs, words, wordlessMs: 0, done: false };
      return caller.at === "speaking" ? { ...caller, words, lastWordMs: nowMs } : { ...caller, words, wordlessMs: 0 };
    }
    case "typed": {
      // What the ear is not done with was said before it.
      const before = { final: caller.at === "silent" ? "" : wordsText(caller.words), interim: "" };
      const words = addTranscript(before, { text: event.text, final: true });
      if (caller.at === "speaking") return { ...caller, words, lastWordMs: nowMs };
      const startMs = caller.at === "silent" ? nowMs : caller.startMs;
      return { at: "pausing", startMs, endMs: nowMs, words, wordlessMs: 0, done: true };
    }
    default:
      return caller;
  }
}

/** Nobody says more in one turn than the bound: what an ear tells past it is not believed. */
function addTranscript(words: Words, event: { text: string; final: boolean }): Words {
  const text = cutText(event.text, TURN_TEXT_CHARS_MAX - words.final.length);
  return event.final ? { final: joinTexts(words.final, text), interim: "" } : { ...words, interim: text };
}
