import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import { addMs, type CallMs, callMs, earliest } from "../../core/clocks.ts";
import type { CallEvent } from "../events.ts";
import type { TurnParameters } from "../parameters.ts";
import type { Playout } from "./playout.ts";
import type { Reply } from "./reply.ts";

/**
 * Whether the event proves that the connection delivers right now. DTMF does not: a digit may have been delayed by
 * an earlier one.
 */
export function isConfirmation({ kind }: CallEvent): boolean {
  switch (kind) {
    case "frame-in":
    case "mark":
    case "pong":
    case "cleared":
    case "typed":
    case "leg-started":
      return true;
    default:
      return false;
  }
}

/**
 * How much of the current reply the caller has heard: what returned marks confirm, and what the playback clock reports
 * as played until the peer's last confirmation. Audio that the clock places after it may have been sent into a dead
 * connection, so it does not count. Times are ms of call time.
 */
export class HeardLedger {
  readonly #playout: Playout;
  readonly #parameters: Readonly<TurnParameters>;

  constructor(playout: Playout, parameters: Readonly<TurnParameters>) {
    this.#playout = playout;
    this.#parameters = parameters;
  }

  /** The peer sent a frame, a mark or a pong. Called on every frame. */
  confirmed(reply: Reply | undefined, nowMs: CallMs): void {
    this.#playout.confirmed(nowMs);
    reply?.confirmed(this.#playout.unplayedMs(nowMs));
  }

  /** How much of the audio sent for the reply does not count as played, ms. */
  unplayedMs(reply: Reply, nowMs: CallMs): number {
    return this.#playout.isConfirmed(nowMs) ? this.#playout.unplayedMs(nowMs) : reply.unconfirmedMs;
  }

  /** The text of the reply that was heard. */
  text(reply: Reply, nowMs: CallMs): string {
    return reply.audible ? reply.heardText(reply.heardSamples(this.unplayedMs(reply, nowMs))) : "";
  }

  /** The agent's turn. `isComplete`: the reply was heard to its end. The reply is audible. */
  turn(reply: Reply, isComplete: boolean, nowMs: CallMs): TranscriptTurn {
    // A complete reply may have ended after the last confirmation, while the clock was still trusted.
    if (isComplete) return reply.heardTurn(0, earliest(nowMs, this.#playout.playsUntilMs));
    return reply.heardTurn(this.unplayedMs(reply, nowMs), this.heardUntilMs(nowMs), this.#playout.unplayedMs(nowMs));
  }

  /** When the agent was last heard. */
  heardUntilMs(nowMs: CallMs): CallMs {
    return earliest(this.#playout.confirmedUntilMs(nowMs), this.#playout.playsUntilMs);
  }

  /** Whether the reply was played to its end, whether or not a mark has confirmed it yet. */
  isPlayedToEnd(reply: Reply, nowMs: CallMs): boolean {
    return reply.audible && reply.allSent && this.unplayedMs(reply, nowMs) === 0;
  }

  /**
   * When the reply counts as heard to its end; Infinity while some of it is not sent, or while no confirmation covers
   * the end.
   */
  deadlineMs(reply: Reply, nowMs: CallMs): CallMs {
    if (!reply.allSent) return callMs(Number.POSITIVE_INFINITY);
    if (!reply.audible) return nowMs;
    const { playsUntilMs, playsUntilMsMin } = this.#playout;
    // Some carriers return a mark on receipt, before its audio is played.
    const playedMs = reply.allPlayed ? playsUntilMsMin : playsUntilMs;
    if (!this.#playout.isConfirmed(playedMs)) return callMs(Number.POSITIVE_INFINITY);
    return reply.allPlayed ? playedMs : addMs(playedMs, this.#parameters.markGraceMs);
  }
}
