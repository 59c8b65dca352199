import type { TransferFailure } from "../core/calls/phone-requests.ts";
import { addMs, type CallMs, callMs } from "../core/clocks.ts";
import type { ToolCallId } from "../core/ids.ts";
import { TRANSFER_REQUEST_MS_MAX, TRANSFER_RESULT_MS_MAX } from "../core/limits/calls/calls.ts";

/** What became of a transfer that led to nothing. */
export interface TransferResult {
  /** The tool call that asked for it; undefined where the API did. */
  toolCallId: ToolCallId | undefined;
  /** For the LLM. */
  text: string;
}

type State =
  | { readonly at: "none" }
  /** The agent has asked for it. */
  | { readonly at: "requested"; readonly toolCallId: ToolCallId }
  /** The carrier rings the target. */
  | { readonly at: "ringing"; readonly toolCallId: ToolCallId | undefined }
  /** It led to nothing, and the agent has not spoken again. */
  | { readonly at: "returning" };

const NEVER = callMs(Number.POSITIVE_INFINITY);

const FAILURES: Readonly<Record<TransferFailure, string>> = {
  busy: "the line was busy",
  no_answer: "there was no answer",
  refused: "this target is not called",
  failed: "the connection could not be made",
};

/** Why a transfer is refused to which there is no answer. */
export const UNREACHABLE_TEXT = "The telephone network cannot be reached at present.";

/**
 * A transfer by the telephone network, from the agent's or the API's request until the agent speaks again, or the call ends.
 * Meanwhile the agent is silent. Times are ms of call time.
 */
export class Transfer {
  #state: State = { at: "none" };
  #deadlineMs = NEVER;

  /** The agent is silent because of it. */
  get isActive(): boolean {
    return this.#state.at !== "none";
  }

  /** The carrier rings the target. */
  get isRinging(): boolean {
    return this.#state.at === "ringing";
  }

  /** It led to nothing, and the agent is to speak as soon as the caller can hear it. */
  get isReturning(): boolean {
    return this.#state.at === "returning";
  }

  /** When `expired` is to be called; Infinity for never. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  /** The agent asks for it by this tool call; false where the API was faster, and its transfer is the tool call's, too. */
  requested(toolCallId: ToolCallId, nowMs: CallMs): boolean {
    if (this.#state.at === "ringing") {
      this.#state = { at: "ringing", toolCallId };
      return false;
    }
    this.#state = { at: "requested", toolCallId };
    this.#deadlineMs = addMs(nowMs, TRANSFER_REQUEST_MS_MAX);
    return true;
  }

  /** The carrier rings the target. */
  started(): void {
    const state = this.#state;
    this.#state = { at: "ringing", toolCallId: "toolCallId" in state ? state.toolCallId : undefined };
    this.#deadlineMs = NEVER;
  }

  /** The caller has another leg. The carrier has made it because the transfer is over; the result may come a little later. */
  legStarted(nowMs: CallMs): void {
    if (this.#state.at === "ringing") this.#deadlineMs = addMs(nowMs, TRANSFER_RESULT_MS_MAX);
  }

  /** The agent's request was not carried out. Undefined where none awaits an answer. `why` is a sentence. */
  refused(why: string): TransferResult | undefined {
    if (this.#state.at !== "requested") return undefined;
    return this.#returning(`The transfer was refused. ${why} Say so to the caller, and go on.`);
  }

  /** The transfer led to nothing. Undefined where there is none. */
  failed(outcome: TransferFailure): TransferResult | undefined {
    if (this.#state.at !== "requested" && this.#state.at !== "ringing") return undefined;
    return this.#returning(
      `The transfer of the caller failed: ${FAILURES[outcome]}. The caller is back with you. Say so, and go on.`,
    );
  }

  /** Its deadline has come: no answer to the request, or no result after the caller is back. */
  expired(): TransferResult | undefined {
    return this.#state.at === "requested" ? this.refused(UNREACHABLE_TEXT) : this.failed("failed");
  }

  /** The agent speaks again. */
  over(): void {
    this.#state = { at: "none" };
  }

  #returning(text: string): TransferResult {
    const toolCallId = "toolCallId" in this.#state ? this.#state.toolCallId : undefined;
    this.#state = { at: "returning" };
    this.#deadlineMs = NEVER;
    return { toolCallId, text };
  }
}
