import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { GOODBYE_MS_MAX, LLM_FAILURES_MAX } from "../../../src/core/limits/calls/calls.ts";
import { LEG_START_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import type { MessageKind } from "../network/message-kinds.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, isComplete, TICK_MS } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { Rule } from "./rule.ts";

const { llmSilenceMs, ttsSilenceMs } = DEFAULT_TURN_PARAMETERS;
const EPSILON_MS = 1e-6;
const ONE_END: Invariant = "one end, and nothing after it";
const CAUSE: Invariant = "an end has its cause, and a cause its end";

/** One end, for a reason that there is, in time, and nothing after it. */
export class Ending implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  /** What the line, the carrier or the operator did that ends a call. */
  readonly #causes = new Set<EndReason>();
  #modelFailures = 0;
  /** When the providers of the current reply were last asked, or last sent something. */
  #modelHeardMs = 0;
  #ttsHeardMs = 0;
  /** An event that ends the call arrived: the end must come before anything else. */
  #owed: string | undefined;
  /** When the STT failed: a goodbye follows. */
  #sttFailedMs = Number.POSITIVE_INFINITY;
  #socketEnds = 0;
  #ends = 0;
  /** When the socket first took a message no more; Infinity while it does. */
  #refusedMs = Number.POSITIVE_INFINITY;

  constructor(facts: Facts, chronicle: Chronicle) {
    this.#facts = facts;
    this.#chronicle = chronicle;
  }

  /** `handle` tells the call something that must end it, for this reason or for one that came first. */
  mustEnd(reason: EndReason, handle: () => void): void {
    this.#causes.add(reason);
    handle();
    if (this.#facts.end !== undefined) return;
    this.#chronicle.violated(CAUSE, `nothing ended after ${reason}`);
  }

  socketEnded(): void {
    this.#socketEnds += 1;
    if (this.#socketEnds > 1) this.#chronicle.violated(ONE_END, "the socket was closed twice");
  }

  event(event: CallEvent): void {
    this.#checkOwed();
    if (this.#facts.end !== undefined) {
      this.#chronicle.violated(ONE_END, `the event ${event.kind} was journaled after the end`);
    }
    const { lastEventCounts } = this.#facts;
    if (lastEventCounts && event.kind.startsWith("segment-")) this.#ttsHeardMs = this.#facts.nowMs;
    if (lastEventCounts && event.kind.startsWith("reply-")) this.#modelHeardMs = this.#facts.nowMs;
    if (lastEventCounts && event.kind === "reply-end") this.#modelFailures = 0;
    if (lastEventCounts && event.kind === "reply-failed") this.#modelFailures += 1;
    if (event.kind === "stt-failed") this.#sttFailedMs = Math.min(this.#sttFailedMs, this.#facts.nowMs);
    const fatal =
      (event.kind === "stt-failed" && this.#facts.legStartedMs === undefined) ||
      (lastEventCounts && event.kind === "segment-failed") ||
      (lastEventCounts && event.kind === "reply-failed" && this.#modelFailures >= LLM_FAILURES_MAX);
    if (fatal) this.#owed = event.kind;
  }

  command(command: CallCommand): void {
    const { end } = this.#facts;
    const ends = command.kind === "end";
    if (command.kind === "generate-reply") this.#modelHeardMs = this.#facts.nowMs;
    if (command.kind === "speak" || command.kind === "resume") this.#ttsHeardMs = this.#facts.nowMs;
    // A failure that the LLM does not report shows as its silence.
    if (command.kind === "cancel-reply" && command.reason === "llm_failed" && this.#facts.lastEvent?.kind === "tick") {
      this.#modelFailures += 1;
    }
    if (ends) this.#ends += 1;
    if (end !== undefined && (!ends || this.#ends > 1)) {
      this.#chronicle.violated(ONE_END, `the command ${command.kind} came after the end`);
    } else if (ends) {
      const wrong = this.#objection(command.reason);
      if (wrong !== undefined) {
        this.#chronicle.violated(CAUSE, `${command.reason}: ${wrong}`);
      }
    }
  }

  /** Only a wire with a message for it is notified of the end. */
  sent(kind: MessageKind, taken: boolean): void {
    if (this.#facts.end !== undefined && kind !== "other") this.#chronicle.violated(ONE_END, "something was sent");
    if (taken) return;
    this.#causes.add("slow_consumer");
    this.#refusedMs = Math.min(this.#refusedMs, this.#facts.nowMs);
  }

  inspect(): void {
    this.#checkOwed();
    const { end, spec, legStartedMs } = this.#facts;
    if (end !== undefined) return;
    this.#checkDeadline(spec.maxDurationMs, "maxDuration");
    if (legStartedMs === undefined) this.#checkDeadline(LEG_START_MS_MAX, "the wait for start");
    this.#checkDeadline(this.#sttFailedMs + GOODBYE_MS_MAX, "the goodbye of a call without STT");
    this.#checkDeadline(this.#refusedMs, "a message that was not taken");
  }

  over(): void {
    if (this.#facts.end === undefined) this.#chronicle.violated("no deadline is missed", "the call never ended");
  }

  #checkDeadline(dueMs: number, what: string): void {
    const { nowMs } = this.#facts;
    if (nowMs <= this.#facts.latestMs(dueMs, TICK_MS)) return;
    this.#chronicle.violated(
      "no deadline is missed",
      `${what} was due at ${dueMs} ms, and at ${nowMs} ms nothing ended`,
    );
  }

  #checkOwed(): void {
    if (this.#owed !== undefined && this.#facts.end === undefined) {
      this.#chronicle.violated(CAUSE, `nothing ended after ${this.#owed}`);
    }
    this.#owed = undefined;
  }

  /** The LLM, for the second time in a row, or the TTS has sent nothing for longer than the timeout. */
  #isFailedBySilence(): boolean {
    const { nowMs, lastEvent, reply } = this.#facts;
    if (lastEvent?.kind !== "tick" || reply === undefined) return false;
    const isModelSilent = !reply.llmDone && nowMs - this.#modelHeardMs >= llmSilenceMs - EPSILON_MS;
    if (isModelSilent) return this.#modelFailures + 1 >= LLM_FAILURES_MAX;
    return !isComplete(reply) && nowMs - this.#ttsHeardMs >= ttsSilenceMs - EPSILON_MS;
  }

  /** What speaks against this reason, if anything does. */
  #objection(reason: EndReason): string | undefined {
    const { nowMs, spec, lastEvent, legStartedMs, reply } = this.#facts;
    switch (reason) {
      case "max_duration":
        return nowMs >= spec.maxDurationMs ? undefined : `at ${nowMs} ms`;
      case "agent_hangup":
      case "transferred":
        if (reply?.afterwards !== (reason === "transferred" ? "transfer" : "hang_up")) return "it was not requested";
        return isComplete(reply) ? undefined : "the goodbye has not been said";
      case "connection_lost": {
        const silentMs = nowMs - this.#facts.confirmedMs;
        return silentMs + TICK_MS >= DEFAULT_LIVENESS.pingTimeoutMs ? undefined : `after ${silentMs} ms of silence`;
      }
      case "inactivity":
        return lastEvent?.kind === "tick" ? undefined : `upon ${lastEvent?.kind}`;
      case "provider_error":
        return this.#owed !== undefined || this.#sttFailedMs <= nowMs || this.#isFailedBySilence()
          ? undefined
          : `upon ${lastEvent?.kind}`;
      case "protocol_error":
        if (legStartedMs === undefined && nowMs >= LEG_START_MS_MAX) return undefined;
        return this.#causes.has(reason) ? undefined : "the peer broke no rule";
      default:
        return this.#causes.has(reason) ? undefined : "nothing that happened leads to it";
    }
  }
}
