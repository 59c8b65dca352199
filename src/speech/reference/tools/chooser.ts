import type { LlmRequest, Message, ToolDescription } from "../../contracts.ts";
import type { Arguments } from "../arguments/fill.ts";

// The interface between the reference LLM and the rules that choose tools (choose-tools.ts). The rules process schemas
// written by users, so they run in a child process; both processes use this module.

/** A tool that the caller's words request, with its arguments. */
export interface PlannedCall {
  name: string;
  arguments: Arguments;
}

/** Which of the offered tools a caller's words request. */
export interface ToolChoice {
  calls: readonly PlannedCall[];
  /** A question for an argument that a tool lacks; the caller answers it in the next turn. */
  question?: string;
  /** The caller was asked, and no longer wants the tool. */
  isDropped?: boolean;
}

export const NO_TOOLS: ToolChoice = { calls: [] };

export interface ToolChooser {
  /** Starts the child process, so that the first request need not wait for it. */
  prepare(): void;
  /** Chooses the tools of one reply. Never rejects: after a failure it chooses none. */
  choose(request: LlmRequest, signal: AbortSignal): Promise<ToolChoice>;
}

/** One turn of the caller, and what the agent was heard to say after it. */
export interface Exchange {
  callerText: string;
  heardReply: string;
}

/** Only the end of a longer turn is read. */
const CALLER_CHARS_MAX = 500;
/** How many turns back an open question is searched. */
const TURNS_MAX = 8;

/** The last turns of a conversation, in the form that the rules use. */
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

/** Whether there is a tool to choose. `hang_up` does not count: it is called only for a goodbye. */
export const hasChoice = (tools: readonly ToolDescription[]): boolean => tools.some(({ name }) => name !== "hang_up");
