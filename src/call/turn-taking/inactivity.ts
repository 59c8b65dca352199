import type { CallSpec } from "../../core/calls/spec.ts";
import { addMs, type CallMs, callMs, latest } from "../../core/clocks.ts";
import { INACTIVITY_PROMPTS_MAX } from "../../core/limits/calls.ts";

/**
 * Detects inactivity: since when neither side was heard, and how many prompts got no answer. Times are ms of call time.
 */
export class Inactivity {
  readonly #timeoutMs: number;
  readonly #action: CallSpec["inactivityAction"];
  #quietSinceMs = callMs(0);
  #promptsUnanswered = 0;

  constructor(spec: CallSpec) {
    this.#timeoutMs = spec.inactivityTimeoutMs;
    this.#action = spec.inactivityAction;
  }

  /** The caller or the agent was heard until `atMs`. */
  activityUntil(atMs: CallMs): void {
    this.#quietSinceMs = latest(this.#quietSinceMs, atMs);
  }

  /** The caller is present: words or DTMF, or speech where there are no interim transcripts. */
  callerActive(atMs: CallMs): void {
    this.activityUntil(atMs);
    this.#promptsUnanswered = 0;
  }

  /**
   * When the silence becomes too long. `lastSpeechMs` and `playsUntilMs`: when either side was last heard, NaN for
   * never.
   */
  deadlineMs(lastSpeechMs: CallMs, playsUntilMs: CallMs): CallMs {
    const since = latest(this.#quietSinceMs, Number.isNaN(lastSpeechMs) ? callMs(0) : lastSpeechMs, playsUntilMs);
    return addMs(since, this.#timeoutMs);
  }

  /** The timeout has expired: returns what to do. */
  expired(nowMs: CallMs): "prompt" | "end" {
    if (this.#action === "hang_up" || this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX) return "end";
    this.#promptsUnanswered += 1;
    this.#quietSinceMs = nowMs;
    return "prompt";
  }
}
