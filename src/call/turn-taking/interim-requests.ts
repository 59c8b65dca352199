import { addMs, type CallMs, callMs, latest } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import type { TurnParameters } from "../parameters.ts";
import { type Caller, callerInterim, callerText } from "./caller-turn.ts";
import type { TurnEvent } from "./turn-events.ts";
import type { Agent } from "./turn-state.ts";

const NEVER = callMs(Number.POSITIVE_INFINITY);

/**
 * Decides when an STT without interim transcripts is asked for the words of the speech so far: while the caller speaks
 * over the agent or over an answer that is held, and before an inactivity timeout expires over speech. Requests are bounded in rate
 * (`interimIntervalMs`) and in number: over one reply `interimRequestsMax`, over speech without words those of
 * `steadyNoiseMs`, and before a timeout those of `inactivityRequestMs`. Times are ms of call time.
 */
export class InterimRequests {
  readonly #parameters: Readonly<TurnParameters>;
  readonly #sttHasInterim: boolean;
  #requestedMs = callMs(Number.NEGATIVE_INFINITY);
  /** When the STT last answered that there are no new words. */
  #wordlessMs = callMs(Number.NEGATIVE_INFINITY);
  /** The reply of the last request, and how many there were over it. */
  #turnId: TurnId | undefined;
  #replyRequests = 0;

  constructor(parameters: Readonly<TurnParameters>, sttHasInterim: boolean) {
    this.#parameters = parameters;
    this.#sttHasInterim = sttHasInterim;
  }

  /** When the next request is due; Infinity for never. `inactivityMs`: when the inactivity timeout expires. */
  dueMs(caller: Caller, agent: Agent, inactivityMs: CallMs): CallMs {
    if (this.#sttHasInterim || caller.at !== "speaking") return NEVER;
    const { interimRequestMs, interimIntervalMs, steadyNoiseMs } = this.#parameters;
    const earliestMs = latest(
      addMs(caller.speechStartMs, interimRequestMs),
      addMs(this.#requestedMs, interimIntervalMs),
    );
    if (this.#isOver(agent)) return earliestMs < addMs(caller.lastWordMs, steadyNoiseMs) ? earliestMs : NEVER;
    const { inactivityRequestMs, inactivityGraceMs } = this.#parameters;
    const dueMs = latest(earliestMs, addMs(inactivityMs, -inactivityRequestMs));
    return dueMs < addMs(inactivityMs, inactivityGraceMs) ? dueMs : NEVER;
  }

  /** A request is made at `nowMs`. */
  requested(agent: Agent, nowMs: CallMs): void {
    this.#requestedMs = nowMs;
    if (agent.at !== "replying") return;
    this.#replyRequests = agent.turnId === this.#turnId ? this.#replyRequests + 1 : 1;
    this.#turnId = agent.turnId;
  }

  /** Whether an event with a text brings words. A requested interim covers what was said before the last one, too. */
  hasNewWords(event: Extract<TurnEvent, { text: string }>, caller: Caller): boolean {
    const isRequested = !this.#sttHasInterim && event.kind === "words" && !event.final;
    return event.text !== "" && !(isRequested && event.text === callerInterim(caller));
  }

  /** The STT has answered that there are no new words. */
  wordless(nowMs: CallMs): void {
    this.#wordlessMs = nowMs;
  }

  /**
   * Until when the caller's speech may still become words, as far as that is known; in the past for none.
   * `inactivityMs`: when the inactivity timeout expires.
   */
  wordsDueMs(caller: Caller, inactivityMs: CallMs): CallMs {
    const { finalWaitMs, steadyNoiseMs, inactivityRequestMs } = this.#parameters;
    switch (caller.at) {
      case "silent":
        return callMs(0);
      case "pausing":
        // Words that are known have been counted as activity.
        return callerText(caller) === "" ? addMs(caller.endMs, finalWaitMs) : callMs(0);
      case "speaking":
        if (this.#sttHasInterim) return addMs(caller.lastWordMs, steadyNoiseMs);
        return this.#wordlessMs >= addMs(inactivityMs, -inactivityRequestMs) ? callMs(0) : NEVER;
    }
  }

  /** The caller speaks over a reply that words would interrupt or drop, and the requests for it are not used up. */
  #isOver(agent: Agent): boolean {
    if (agent.at !== "replying") return false;
    const { audible, interruptible, pausedSinceMs } = agent;
    // One that is not audible is paused only where its turn may be taken back.
    if (!(audible ? interruptible : pausedSinceMs !== undefined)) return false;
    return agent.turnId !== this.#turnId || this.#replyRequests < this.#parameters.interimRequestsMax;
  }
}
