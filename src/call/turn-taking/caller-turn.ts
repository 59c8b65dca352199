import { addMs, type CallMs, elapsedMs, latest } from "../../core/clocks.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import { cutText } from "../../core/text/graphemes.ts";
import { joinTexts, textAfter, wordsOf } from "../../core/text/words.ts";
import type { TurnEvent } from "./turn-events.ts";

/**
 * What the caller is doing, and what was understood since the agent's last answer. Times are ms of call time.
 * `lastWordMs` is the time of the last new word, moved by the length of pauses; `wordlessMs` is how long speech had
 * gone on without a new word when it paused.
 */
export type Caller =
  | { at: "silent" }
  /** `speechStartMs`: when this stretch of speech started; `startMs`: when the first of the turn did. */
  | { at: "speaking"; startMs: CallMs; speechStartMs: CallMs; words: Words; lastWordMs: CallMs }
  /**
   * Speech ended at `endMs`. The turn ends when the pause is long enough and the words are final, or at once when
   * `done`.
   */
  | { at: "pausing"; startMs: CallMs; endMs: CallMs; words: Words; wordlessMs: number; done: boolean };

/** `final` will not change, `interim` may; joined by a space they are what was said. */
export interface Words {
  final: string;
  interim: string;
}

const NO_WORDS: Words = { final: "", interim: "" };

/** What was said so far, as one text. */
export const wordsText = (words: Words): string => joinTexts(words.final, words.interim);

/** Speech starts or continues at `nowMs`, and nothing was said yet. */
export const speakingWithoutWords = (nowMs: CallMs): Caller => ({
  at: "speaking",
  startMs: nowMs,
  speechStartMs: nowMs,
  words: NO_WORDS,
  lastWordMs: nowMs,
});

/** What the caller has said and was not answered yet, at `nowMs`. */
export function unansweredUtterance(
  caller: Caller,
  nowMs: CallMs,
): { text: string; startMs: CallMs; endMs: CallMs } | undefined {
  if (caller.at === "silent" || wordsText(caller.words) === "") return undefined;
  const endMs = caller.at === "pausing" ? caller.endMs : nowMs;
  return { text: wordsText(caller.words), startMs: caller.startMs, endMs };
}

/** Everything understood of the caller's turn. */
export const callerText = (caller: Caller): string => (caller.at === "silent" ? "" : wordsText(caller.words));

/** The interim transcript of the caller's turn. */
export const callerInterim = (caller: Caller): string => (caller.at === "silent" ? "" : caller.words.interim);

/**
 * The new text of an interim or final transcript whose beginning, `answered`, was answered before its final came. Where
 * the STT has changed a word of that beginning, all of the text is new; but not where the caller has not spoken since
 * (`hasSpokenSince`) and it has no more words than were answered. `language`, BCP 47, determines where words end.
 */
export function withoutAnsweredPrefix(
  { text, final }: { text: string; final: boolean },
  answered: string,
  language: string,
  hasSpokenSince = true,
): { text: string; answered: string } {
  if (answered === "" || text === "") return { text, answered };
  const rest = textAfter(answered, text, language);
  if (rest !== undefined) return { text: rest, answered };
  // Who has not spoken since has said nothing new: "zero one seven" became "017".
  if (!hasSpokenSince && wordsOf(text, language).length <= wordsOf(answered, language).length)
    return { text: "", answered };
  // An interim transcript may lack the last words of the one before it: they may come back.
  const isBeginning = !final && textAfter(text, answered, language) !== undefined;
  return isBeginning ? { text: "", answered } : { text, answered: "" };
}

/** The caller's side of the turn after an event at `nowMs`. Pure: `caller` is not modified. */
export function stepCaller(caller: Caller, event: TurnEvent, nowMs: CallMs): Caller {
  switch (event.kind) {
    case "speech-started": {
      const speaking = { at: "speaking", speechStartMs: event.startMs } as const;
      if (caller.at === "silent") return { ...speaking, startMs: event.startMs, words: NO_WORDS, lastWordMs: nowMs };
      if (caller.at === "speaking") return caller;
      return {
        ...speaking,
        startMs: caller.startMs,
        words: caller.words,
        lastWordMs: addMs(nowMs, -caller.wordlessMs),
      };
    }
    case "speech-ended":
      if (caller.at !== "speaking") return caller;
      return {
        at: "pausing",
        startMs: caller.startMs,
        endMs: latest(caller.startMs, event.endMs),
        words: caller.words,
        wordlessMs: Math.max(0, elapsedMs(caller.lastWordMs, event.endMs)),
        done: false,
      };
    case "words": {
      // Nothing new; but an empty final also takes back the interim words.
      if (event.text === "" && (!event.final || caller.at === "silent")) return caller;
      // The STT repeats its words where only its signal of the end has changed.
      if (!event.final && event.text === callerInterim(caller)) return caller;
      const words = addTranscript(caller.at === "silent" ? NO_WORDS : caller.words, event);
      // Words without speech: the STT recognized what the VAD missed.
      if (caller.at === "silent")
        return { at: "pausing", startMs: nowMs, endMs: nowMs, words, wordlessMs: 0, done: false };
      return caller.at === "speaking" ? { ...caller, words, lastWordMs: nowMs } : { ...caller, words, wordlessMs: 0 };
    }
    case "typed": {
      // Interim words were said before the typed text.
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

/** A turn has a maximum length; text beyond it is dropped. */
function addTranscript(words: Words, event: { text: string; final: boolean }): Words {
  const text = cutText(event.text, TURN_TEXT_CHARS_MAX - words.final.length);
  return event.final ? { final: joinTexts(words.final, text), interim: "" } : { ...words, interim: text };
}
