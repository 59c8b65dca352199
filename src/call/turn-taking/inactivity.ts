import type { CallSpec } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs, earliest, latest } from "../../core/clocks.ts";
import { INACTIVITY_PROMPTS_MAX } from "../../core/limits/calls/calls.ts";
import type { TurnParameters } from "../parameters.ts";

/**
 * Detects inactivity: since when the agent was not heard and the caller gave no words, DTMF or typed text, and how many
 * prompts got no answer. Sound is no activity: a line with music or noise is as inactive as a silent one. Times are ms
 * of call time.
 */
export class Inactivity {
  readonly #timeoutMs: number;
  readonly #action: CallSpec["inactivityAction"];
  readonly #graceMs: number;
  readonly #wordlessMsMax: number;
  #quietSinceMs = callMs(0);
  /** Since when the caller has given no words, DTMF or typed text. */
  #wordlessSinceMs = callMs(0);
  #promptsUnanswered = 0;

  constructor(spec: CallSpec, { inactivityGraceMs, wordlessCallMsMax }: Readonly<TurnParameters>) {
    this.#timeoutMs = spec.inactivityTimeoutMs;
    this.#action = spec.inactivityAction;
    this.#graceMs = inactivityGraceMs;
    this.#wordlessMsMax = Math.max(wordlessCallMsMax, spec.inactivityTimeoutMs);
  }

  /** The caller or the agent was heard until `atMs`. */
  activityUntil(atMs: CallMs): void {
    this.#quietSinceMs = latest(this.#quietSinceMs, atMs);
  }

  /** The call begins, or the caller is present: words, DTMF or typed text. */
  callerActive(atMs: CallMs): void {
    this.activityUntil(atMs);
    this.#wordlessSinceMs = latest(this.#wordlessSinceMs, atMs);
    this.#promptsUnanswered = 0;
  }

  /** When the timeout expires. `playsUntilMs`: until when the agent is heard. */
  deadlineMs(playsUntilMs: CallMs): CallMs {
    return addMs(latest(this.#quietSinceMs, playsUntilMs), this.#timeoutMs);
  }

  /** The same, but while the caller's speech may become words, until `wordsDueMs`, it waits a little for them. */
  graceDeadlineMs(playsUntilMs: CallMs, wordsDueMs: CallMs): CallMs {
    const dueMs = this.deadlineMs(playsUntilMs);
    return earliest(addMs(dueMs, this.#graceMs), latest(dueMs, wordsDueMs));
  }

  /** When the call ends because the caller has given no words for too long, whatever else is heard. */
  get wordlessDeadlineMs(): CallMs {
    return addMs(this.#wordlessSinceMs, this.#wordlessMsMax);
  }

  /** The timeout has expired: returns what to do. */
  expired(nowMs: CallMs): "prompt" | "end" {
    if (this.#action === "hang_up" || this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX) return "end";
    this.#promptsUnanswered += 1;
    this.#quietSinceMs = nowMs;
    return "prompt";
  }
}
