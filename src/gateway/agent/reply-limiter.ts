import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import {
  TOOL_ARGUMENTS_CHARS_MAX,
  TOOL_ARGUMENTS_CHARS_PER_ANSWER_MAX,
  TOOL_CALLS_PER_ANSWER_MAX,
  TOOL_NAME_CHARS_MAX,
} from "../../core/limits/tools.ts";
import { cutText } from "../../core/text/words.ts";
import type { LlmEvent } from "../../speech/contracts.ts";

/** What of arguments that are too long is kept. */
const HEAD_CHARS = 64;
/** Behind what was cut off: such arguments are no JSON, and a tool of such a name there is not. */
const ELLIPSIS = "…";

/**
 * What one answer of a model may come to. All that it tells is journaled, and some of it told to it again with every question
 * that follows, so it is bounded before anybody keeps it.
 */
export class ReplyLimiter {
  #textChars = 0;
  #argumentsChars = 0;
  #toolCalls = 0;

  /** It has told as much as it may: whatever it tells now is nobody's business any more. */
  get isLimitReached(): boolean {
    return this.#textChars >= TURN_TEXT_CHARS_MAX || this.#toolCalls >= TOOL_CALLS_PER_ANSWER_MAX;
  }

  /** What the call is told of `event`. */
  limit(event: LlmEvent): LlmEvent {
    switch (event.kind) {
      case "text": {
        const roomChars = TURN_TEXT_CHARS_MAX - this.#textChars;
        const text = cutText(event.text, roomChars);
        this.#textChars += Math.min(event.text.length, roomChars);
        return text.length === event.text.length ? event : { ...event, text };
      }
      case "tool-call": {
        const { id, name, argumentsJson } = event;
        this.#toolCalls += 1;
        const fits =
          argumentsJson.length <= TOOL_ARGUMENTS_CHARS_MAX &&
          this.#argumentsChars + argumentsJson.length <= TOOL_ARGUMENTS_CHARS_PER_ANSWER_MAX;
        const told = fits ? argumentsJson : truncate(argumentsJson, HEAD_CHARS);
        this.#argumentsChars += told.length;
        return {
          ...event,
          id: truncate(id, TOOL_NAME_CHARS_MAX),
          name: truncate(name, TOOL_NAME_CHARS_MAX),
          argumentsJson: told,
        };
      }
      case "end":
        return event;
    }
  }
}

const truncate = (text: string, chars: number): string =>
  text.length <= chars ? text : cutText(text, chars) + ELLIPSIS;
