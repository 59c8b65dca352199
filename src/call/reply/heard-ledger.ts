import type { TranscriptTurn } from "../../core/calls/spec.ts";
import type { CallEvent } from "../events.ts";
import type { TurnParameters } from "../parameters.ts";
import type { Playout } from "./playout.ts";
import type { Reply } from "./reply.ts";

/**
 * Whether the event shows that the line carries at this very moment. Keys do not: they may have waited for one that was pressed
 * before them.
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
 * What the caller has heard of the reply that lives: what its marks confirm, and what the playback clock says was played until the
 * last confirmation of the peer. Speech that the clock puts behind that may have been played to nobody: it is not counted. Times are
 * ms of call time.
 */
export class HeardLedger {
  readonly #playout: Playout;
  readonly #parameters: Readonly<TurnParameters>;

  constructor(playout: Playout, parameters: Readonly<TurnParameters>) {
    this.#playout = playout;
    this.#parameters = parameters;
  }

  /** The peer sent a frame, a mark or a pong. Called with every frame. */
  confirmed(reply: Reply | undefined, nowMs: number): void {
    this.#playout.confirmed(nowMs);
    reply?.confirmed(this.#playout.unplayedMs(nowMs));
  }

  /** How much of what was sent of the reply does not count as played, ms of audio. */
  unplayedMs(reply: Reply, nowMs: number): number {
    return this.#playout.isConfirmed(nowMs) ? this.#playout.unplayedMs(nowMs) : reply.unconfirmedMs;
  }

  /** What was heard of the reply. */
  text(reply: Reply, nowMs: number): string {
    return reply.audible ? reply.heardText(reply.heardSamples(this.unplayedMs(reply, nowMs))) : "";
  }

  /** The turn that the reply was, `whole` where it was heard to its end. The reply is audible. */
  turn(reply: Reply, whole: boolean, nowMs: number): TranscriptTurn {
    // What was heard whole may have ended after the last confirmation, while the clock was still believed.
    if (whole) return reply.heardTurn(0, Math.min(nowMs, this.#playout.playsUntilMs));
    return reply.heardTurn(this.unplayedMs(reply, nowMs), this.heardUntilMs(nowMs), this.#playout.unplayedMs(nowMs));
  }

  /** When the agent was heard last. */
  heardUntilMs(nowMs: number): number {
    return Math.min(this.#playout.confirmedUntilMs(nowMs), this.#playout.playsUntilMs);
  }

  /** Whether the reply was played to its end, though no mark may have confirmed it yet. */
  isPlayedToEnd(reply: Reply, nowMs: number): boolean {
    return reply.audible && reply.allSent && this.unplayedMs(reply, nowMs) === 0;
  }

  /** From when on the reply counts as heard to its end; Infinity while some of it was not sent, or while nothing confirms the end. */
  deadlineMs(reply: Reply, nowMs: number): number {
    if (!reply.allSent) return Number.POSITIVE_INFINITY;
    if (!reply.audible) return nowMs;
    const { playsUntilMs, playsUntilMsMin } = this.#playout;
    // Some carriers return a mark as soon as they have it.
    const playedMs = reply.allPlayed ? playsUntilMsMin : playsUntilMs;
    if (!this.#playout.isConfirmed(playedMs)) return Number.POSITIVE_INFINITY;
    return reply.allPlayed ? playedMs : playedMs + this.#parameters.markGraceMs;
  }
}
