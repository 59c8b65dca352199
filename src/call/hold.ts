import { addMs, type CallMs, callMs, elapsedMs } from "../core/clocks.ts";
import type { ToolCallId } from "../core/ids.ts";

/** What the LLM is given when the caller is with the agent again. */
export interface HoldResult {
  /** The tool call that asked for the hold; undefined where the API did. */
  toolCallId: ToolCallId | undefined;
  heldMs: number;
  text: string;
}

type State =
  | { readonly at: "none" }
  /** `hasBegun`: the caller hears hold audio. Before that the current reply is being dropped. */
  | {
      readonly at: "held";
      readonly toolCallId: ToolCallId | undefined;
      readonly msMax: number;
      readonly sinceMs: CallMs;
      readonly hasBegun: boolean;
    }
  /** It is over, and the agent has not spoken again. */
  | { readonly at: "returning" };

const NEVER = callMs(Number.POSITIVE_INFINITY);

/**
 * A hold, from the agent's or the API's request until the agent speaks again, or the call ends. Meanwhile the agent is silent, and
 * nothing that the caller says, types or presses reaches it. Times are ms of call time.
 */
export class Hold {
  #state: State = { at: "none" };
  #deadlineMs = NEVER;

  /** The agent is silent because of it. */
  get isActive(): boolean {
    return this.#state.at !== "none";
  }

  /** The caller hears hold audio, or is about to. */
  get isHeld(): boolean {
    return this.#state.at === "held";
  }

  /** It is over, and the agent is to speak as soon as the caller can hear it. */
  get isReturning(): boolean {
    return this.#state.at === "returning";
  }

  /** When it ends by itself; Infinity for never. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  /** It begins, for `msMax` at most. Where it is there already, because the API was faster, it is that of the tool call, too. */
  requested(toolCallId: ToolCallId | undefined, msMax: number, nowMs: CallMs): void {
    if (this.#state.at === "held") this.#state = { ...this.#state, toolCallId };
    else {
      this.#state = { at: "held", toolCallId, msMax, sinceMs: nowMs, hasBegun: false };
      this.#deadlineMs = addMs(nowMs, msMax);
    }
  }

  /** No reply is left: the hold audio begins, for this time at most, ms. Undefined where it has begun, or where there is no hold. */
  begin(): number | undefined {
    if (this.#state.at !== "held" || this.#state.hasBegun) return undefined;
    this.#state = { ...this.#state, hasBegun: true };
    return this.#state.msMax;
  }

  /** The hold audio ends. Undefined where the caller hears none. */
  end(nowMs: CallMs): HoldResult | undefined {
    if (this.#state.at !== "held" || !this.#state.hasBegun) return undefined;
    const { toolCallId, sinceMs } = this.#state;
    const heldMs = Math.round(elapsedMs(sinceMs, nowMs));
    this.#state = { at: "returning" };
    this.#deadlineMs = NEVER;
    const seconds = Math.max(1, Math.round(heldMs / 1_000));
    return {
      toolCallId,
      heldMs,
      text: `The caller was on hold for ${seconds} s and heard music. The caller is back with you. Say so, and go on.`,
    };
  }

  /** The agent speaks again, or something else has taken its place. */
  over(): void {
    this.#state = { at: "none" };
    this.#deadlineMs = NEVER;
  }
}
