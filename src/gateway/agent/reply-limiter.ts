import {
  TOOL_ARGUMENTS_CHARS_MAX,
  TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX,
  TOOL_CALLS_PER_REPLY_MAX,
  TOOL_NAME_CHARS_MAX,
} from "../../core/limits/agents/tools.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls/calls.ts";
import { cutText } from "../../core/text/graphemes.ts";
import type { LlmEvent } from "../../speech/contracts.ts";

/** How many characters of overlong tool arguments are kept. */
const HEAD_CHARS = 64;
/** Marks truncation: such arguments are not valid JSON, and no tool has such a name. */
const ELLIPSIS = "…";

/**
 * Limits one reply of an LLM. Everything in a reply is journaled, and parts of it are sent again with every later
 * request, so it is limited before it is stored.
 */
export class ReplyLimiter {
  #textChars = 0;
  #argumentsChars = 0;
  #toolCalls = 0;

  /** The limit is reached: everything that follows is ignored. */
  get isLimitReached(): boolean {
    return this.#textChars >= TURN_TEXT_CHARS_MAX || this.#toolCalls >= TOOL_CALLS_PER_REPLY_MAX;
  }

  /** The event as the call gets it, truncated where it exceeds a limit. */
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
          this.#argumentsChars + argumentsJson.length <= TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX;
        const limited = fits ? argumentsJson : truncate(argumentsJson, HEAD_CHARS);
        this.#argumentsChars += limited.length;
        return {
          ...event,
          id: truncate(id, TOOL_NAME_CHARS_MAX),
          name: truncate(name, TOOL_NAME_CHARS_MAX),
          argumentsJson: limited,
        };
      }
      case "end":
        return event;
    }
  }
}

const truncate = (text: string, chars: number): string =>
  text.length <= chars ? text : cutText(text, chars) + ELLIPSIS;
