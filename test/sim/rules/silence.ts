import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import { INACTIVITY_PROMPTS_MAX } from "../../../src/core/limits/calls/calls.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isOver, TICK_MS } from "../observer/facts.ts";
import type { Rule } from "./rule.ts";

const EPSILON_MS = 1e-6;
/** Speech may still become words: for that long the end of the timeout waits. */
const { inactivityGraceMs } = DEFAULT_TURN_PARAMETERS;

/**
 * Inactivity, from the words of the design: it counts from the last heard sample or the caller's last word, key or text,
 * whichever is later, whatever sounds on the line. Where the service may know better or worse than we do, there are two such times: one that counts surely,
 * and one that may.
 */
export class Silence implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #sttHasInterim: boolean;
  #surelyMs = 0;
  #perhapsMs = 0;
  /** The STT's last interim transcript of this utterance. */
  #interim = "";
  #prompts = 0;
  /** Prompts that may have been due, where an answer to the caller came in between. */
  #perhapsPrompts = 0;

  constructor(facts: Facts, chronicle: Chronicle, sttHasInterim: boolean) {
    this.#facts = facts;
    this.#chronicle = chronicle;
    this.#sttHasInterim = sttHasInterim;
  }

  event(event: CallEvent): void {
    switch (event.kind) {
      case "leg-started":
        this.#sign(true);
        return;
      case "dtmf":
      case "typed":
        this.#interim = "";
        this.#callerSign();
        return;
      case "stt-interim":
      case "stt-final":
        this.#transcript(event);
        return;
      case "tool-result":
        this.#sign(false);
        return;
      case "reply-end":
        // Tools of the service's own are done at once.
        if ((this.#facts.reply?.toolsAsked ?? 0) > 0) this.#sign(false);
        return;
      default:
        return;
    }
  }

  command(command: CallCommand): void {
    const { lastEvent, nowMs, spec } = this.#facts;
    if (command.kind === "speak" && command.reason === "inactivity") {
      this.#checkDue("a prompt");
      this.#prompts += 1;
      if (this.#prompts > INACTIVITY_PROMPTS_MAX) this.#wrong(`prompt ${this.#prompts} in a row`);
      if (spec.inactivityAction !== "prompt") this.#wrong("a prompt, where the call should end");
      this.#sign(true);
    } else if (command.kind === "turn" && command.turn.role === "agent" && !command.turn.interrupted) {
      // The last sample is known to be heard when its mark is back, or is not waited for any longer.
      this.#sign(false);
    } else if (command.kind === "end" && command.reason === "inactivity") {
      this.#checkDue("the end");
      const prompts = this.#prompts + this.#perhapsPrompts;
      if (spec.inactivityAction === "prompt" && prompts < INACTIVITY_PROMPTS_MAX)
        this.#wrong(`after ${prompts} prompts`);
    } else if (lastEvent?.kind === "tick" && nowMs >= this.#sinceMs(this.#surelyMs) + spec.inactivityTimeoutMs) {
      // The end of the hung reply that a prompt was to replace made way for an answer.
      this.#perhapsPrompts += 1;
      this.#sign(false);
    }
  }

  inspect(): void {
    const { end, legStartedMs, nowMs, spec, reply } = this.#facts;
    // While a tool runs, the silence is not the caller's.
    if (reply !== undefined && reply.toolsRunning.size > 0 && !isOver(reply)) this.#sign(true);
    if (end !== undefined || legStartedMs === undefined) return;
    const sinceMs = this.#sinceMs(this.#perhapsMs) + this.#facts.markLateMs;
    if (nowMs <= this.#facts.latestMs(sinceMs + spec.inactivityTimeoutMs + inactivityGraceMs, TICK_MS)) return;
    this.#wrong(`nothing at ${nowMs} ms, silent since ${sinceMs} ms at the latest`);
  }

  /** The same words in another requested interim are no new ones. */
  #transcript({ kind, text }: Extract<CallEvent, { kind: "stt-interim" | "stt-final" }>): void {
    const isRepeated = kind === "stt-interim" && !this.#sttHasInterim && text === this.#interim;
    this.#interim = kind === "stt-interim" ? text : "";
    if (text === "") return;
    if (isRepeated) this.#sign(false);
    else this.#callerSign();
  }

  #callerSign(): void {
    this.#prompts = 0;
    this.#perhapsPrompts = 0;
    this.#sign(true);
  }

  #sign(surely: boolean): void {
    const { nowMs } = this.#facts;
    this.#perhapsMs = nowMs;
    if (surely) this.#surelyMs = nowMs;
  }

  /** The agent's voice counts on both sides of a call. */
  #sinceMs(signMs: number): number {
    return Math.max(signMs, this.#facts.playsUntilMs);
  }

  #checkDue(what: string): void {
    const { nowMs, spec } = this.#facts;
    const sinceMs = this.#sinceMs(this.#surelyMs);
    if (nowMs < sinceMs + spec.inactivityTimeoutMs - EPSILON_MS)
      this.#wrong(`${what} ${nowMs - sinceMs} ms after the last sign`);
  }

  #wrong(detail: string): void {
    this.#chronicle.violated("inactivity comes when it is due and not before", detail);
  }
}
