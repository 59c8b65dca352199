import type { LlmRequest, Message, ToolDescription } from "../../contracts.ts";
import type { Arguments } from "../arguments/fill.ts";

// What the reference LLM asks of the rules that choose tools (reference-tools.ts). Those go through schemas that users wrote, so they run
// in a process of their own; this module is for both sides.

/** A tool that the caller's words ask for, with all that it needs. */
export interface PlannedCall {
  name: string;
  arguments: Arguments;
}

/** What a caller's words mean for the tools that are offered. */
export interface ToolChoice {
  calls: readonly PlannedCall[];
  /** A tool lacks an argument: the caller is asked for it, and the next turn answers. */
  question?: string;
  /** The caller was asked, and no longer wants the tool. */
  isDropped?: boolean;
}

export const NO_TOOLS: ToolChoice = { calls: [] };

export interface ToolChooser {
  /** Starts what the first request would wait for. */
  prepare(): void;
  /** Chooses the tools of one reply. Never rejects; where it cannot be found out, there are none. */
  choose(request: LlmRequest, signal: AbortSignal): Promise<ToolChoice>;
}

/** One turn of the caller, and what the agent was heard to say after it. */
export interface Exchange {
  callerText: string;
  heardReply: string;
}

/** Of a long turn the last of it is read. */
const CALLER_CHARS_MAX = 500;
/** So far back a question can have begun. */
const TURNS_MAX = 8;

/** The last turns of a conversation, as far as they matter to tools. */
export function exchangesOf(messages: readonly Message[]): Exchange[] {
  const exchanges: Exchange[] = [];
  for (const message of messages) {
    const last = exchanges.at(-1);
    if (message.role === "user") exchanges.push({ callerText: message.text.slice(-CALLER_CHARS_MAX), heardReply: "" });
    else if (message.role === "assistant" && last !== undefined)
      last.heardReply = `${last.heardReply} ${message.text}`.trim();
  }
  return exchanges.slice(-TURNS_MAX);
}

/** Whether there is anything to choose: `hang_up` is called for a goodbye, and for nothing else. */
export const hasChoice = (tools: readonly ToolDescription[]): boolean => tools.some(({ name }) => name !== "hang_up");
