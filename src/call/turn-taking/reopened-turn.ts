import { joinTexts } from "../../core/text/words.ts";
import { type Caller, wordsText } from "./caller-turn.ts";
import type { TurnEvent } from "./turn-events.ts";

/** A turn whose end was assumed. Until its answer is audible, the end can be taken back as if it had not been assumed. */
export interface AnsweredTurn {
  /** The caller's side, and the `answeredPrefix`, before the end. */
  readonly caller: Extract<Caller, { at: "pausing" }>;
  readonly answeredPrefix: string;
}

/**
 * The turn as it would be had it not been answered, when a transcript shows that it goes on; `caller` is what the caller
 * has done since. The transcript repeats what is not final of it.
 */
export function reopened(
  { caller: before, answeredPrefix }: AnsweredTurn,
  caller: Caller,
): { caller: Caller; answeredPrefix: string } {
  if (caller.at === "silent") return { caller: before, answeredPrefix };
  const { startMs, words } = before;
  if (caller.words.final === "") return { caller: { ...caller, startMs, words }, answeredPrefix };
  // A back-channel that has become final is a part of the turn, too.
  const final = joinTexts(wordsText(words), caller.words.final);
  return { caller: { ...caller, startMs, words: { final, interim: "" } }, answeredPrefix: "" };
}

/** The answered turn after `event`, which does not reopen it; undefined once it is final. */
export function stillOpen(answered: AnsweredTurn, event: TurnEvent): AnsweredTurn | undefined {
  switch (event.kind) {
    case "reply-audible":
    case "reply-done":
    case "typed":
    case "dtmf":
      return undefined;
    case "words": {
      // The final of what was answered: the next transcript does not repeat it.
      if (!event.final || event.text !== "" || event.isEcho === true) return answered;
      const { caller } = answered;
      const words = { final: wordsText(caller.words), interim: "" };
      return { caller: { ...caller, words }, answeredPrefix: "" };
    }
    default:
      return answered;
  }
}
