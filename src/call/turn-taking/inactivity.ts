import type { CallSpec } from "../../core/calls/spec.ts";
import { INACTIVITY_PROMPTS_MAX } from "../../core/limits/calls.ts";

/** The silence of a call: since when nobody was heard, and how often the caller was asked for nothing. Times are ms of call time. */
export class Inactivity {
  readonly #timeoutMs: number;
  readonly #action: CallSpec["inactivityAction"];
  #quietSinceMs = 0;
  #promptsUnanswered = 0;

  constructor(spec: CallSpec) {
    this.#timeoutMs = spec.inactivityTimeoutMs;
    this.#action = spec.inactivityAction;
  }

  /** Somebody was heard until `atMs`. */
  activityUntil(atMs: number): void {
    this.#quietSinceMs = Math.max(this.#quietSinceMs, atMs);
  }

  /** The caller gave a sign of life: words or a key, or voice where there is no ear for words. */
  callerActive(atMs: number): void {
    this.activityUntil(atMs);
    this.#promptsUnanswered = 0;
  }

  /** When the silence has lasted too long; `lastSpeechMs` and `playsUntilMs` are when either side was heard last, NaN for never. */
  deadlineMs(lastSpeechMs: number, playsUntilMs: number): number {
    const since = Math.max(this.#quietSinceMs, Number.isNaN(lastSpeechMs) ? 0 : lastSpeechMs, playsUntilMs);
    return since + this.#timeoutMs;
  }

  /** It has: what to do now. */
  expired(nowMs: number): "prompt" | "end" {
    if (this.#action === "hang_up" || this.#promptsUnanswered >= INACTIVITY_PROMPTS_MAX) return "end";
    this.#promptsUnanswered += 1;
    this.#quietSinceMs = nowMs;
    return "prompt";
  }
}
