import { addMs, type CallMs, callMs, earliest, elapsedMs, latest } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import { MARKS_OUTSTANDING_MAX } from "../../core/limits/calls/calls.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";

/** Upper bound of the lag. A peer that plays or acknowledges later is broken or reports wrong times. */
const LAG_MS_MAX = 1_000;

interface OutstandingMark {
  turnId: TurnId;
  segment: number;
  /** When its audio will have been played, by the playback clock. */
  dueMs: CallMs;
}

/** A clear that may be answered: the total audio played by the peer at that time, ms. */
interface Flushed {
  /** By the playback clock. */
  playedMs: number;
  /** If the peer had played everything. */
  playedMsMax: number;
}

/**
 * Playout at the peer: the paced playback clock, corrected by returned marks and by the answers to clears. A mark that
 * `flush` has removed says nothing any more: after a clear the carrier returns it whether it was played or not.
 */
export class Playout {
  readonly #clock: PlaybackClock;
  readonly #marks = new Map<string, OutstandingMark>();
  #playsUntilMs = callMs(0);
  /** How much later than the playback clock the peer plays, by its latest report. */
  #lagMs = 0;
  /** Audio played until the last flush, and audio sent since, ms. */
  #playedMs = 0;
  #sentMs = 0;
  #flushed: Flushed | undefined;
  /** When the peer last confirmed that the connection delivers. */
  #confirmedMs = callMs(0);
  readonly #rateHz: number;
  readonly #confirmationMs: number;

  /** `confirmationMs`: see `TurnParameters`. */
  constructor(rateHz: number, confirmationMs: number) {
    this.#rateHz = rateHz;
    this.#confirmationMs = confirmationMs;
    this.#clock = new PlaybackClock(rateHz);
  }

  /** When the playout of everything sent so far ends, ms; in the past when it has ended. */
  get playsUntilMs(): CallMs {
    return addMs(this.#playsUntilMs, this.#lagMs);
  }

  /** The earliest time at which everything sent so far can have been played, ms, whatever the peer reports. */
  get playsUntilMsMin(): CallMs {
    return this.#playsUntilMs;
  }

  /** How much of the audio sent has not been played, ms. */
  unplayedMs(nowMs: CallMs): number {
    return Math.max(0, elapsedMs(nowMs, this.playsUntilMs));
  }

  /** The peer sent a frame, a mark or a pong: what the clock reports as played until now was played. */
  confirmed(nowMs: CallMs): void {
    this.#confirmedMs = nowMs;
  }

  /** Whether the clock can be relied on at `atMs`: the last confirmation is no older than `confirmationMs` then. */
  isConfirmed(atMs: CallMs): boolean {
    return elapsedMs(this.#confirmedMs, atMs) <= this.#confirmationMs;
  }

  /** The latest time, at most `nowMs`, up to which the playback clock is taken as what the caller has heard. */
  confirmedUntilMs(nowMs: CallMs): CallMs {
    return this.isConfirmed(nowMs) ? nowMs : this.#confirmedMs;
  }

  sent(samples: number, nowMs: CallMs): void {
    this.#clock.sent(samples, nowMs);
    this.#playsUntilMs = addMs(nowMs, this.#clock.unplayedMs(nowMs));
    this.#sentMs += (samples * 1_000) / this.#rateHz;
  }

  /**
   * Adds a mark after the last audio sent. Returns its name, or undefined when too many are outstanding. Where a
   * segment's end becomes known only after its last frame was played, the mark is sent late; then its return at once is
   * no lag.
   */
  mark(turnId: TurnId, segment: number, nowMs: CallMs): string | undefined {
    if (this.#marks.size >= MARKS_OUTSTANDING_MAX) return undefined;
    const name = `${turnId}.${segment}`;
    this.#marks.set(name, { turnId, segment, dueMs: latest(nowMs, this.#playsUntilMs) });
    return name;
  }

  /** A mark was returned. Returns what was played, or undefined for an unknown, duplicate or removed mark. */
  markReturned(name: string, nowMs: CallMs): { turnId: TurnId; segment: number } | undefined {
    const mark = this.#marks.get(name);
    if (mark === undefined) return undefined;
    this.#marks.delete(name);
    this.#updateLag(elapsedMs(mark.dueMs, nowMs));
    return mark;
  }

  /** Drops everything that has not been played. */
  flush(nowMs: CallMs): void {
    const playedMsMax = this.#playedMs + this.#sentMs;
    this.#playedMs = playedMsMax - this.#clock.unplayedMs(nowMs);
    this.#sentMs = 0;
    this.#flushed = { playedMs: this.#playedMs, playedMsMax };
    this.#clock.flush(nowMs);
    this.#playsUntilMs = earliest(this.#playsUntilMs, nowMs);
    this.#marks.clear();
  }

  /** The leg is lost: what has not been played is dropped, and the peer of the next leg counts from 0. */
  restart(nowMs: CallMs): void {
    this.flush(nowMs);
    this.#playedMs = 0;
    this.#lagMs = 0;
    this.#flushed = undefined;
  }

  /**
   * The peer reports how much it had played in total when it received the clear. Its count replaces ours, at most up to
   * what was sent. The clear took as long on its way as the audio before it, so the difference is delay at the peer.
   */
  cleared(playedMs: number): void {
    if (this.#flushed === undefined) return;
    const creditedMs = Math.min(playedMs, this.#flushed.playedMsMax);
    const lateMs = this.#flushed.playedMs - creditedMs;
    this.#flushed = undefined;
    this.#playedMs -= lateMs;
    this.#updateLag(lateMs);
  }

  /** Averages with the old value: one delayed message must not move the heard position by a second. */
  #updateLag(lateMs: number): void {
    this.#lagMs = (this.#lagMs + Math.min(LAG_MS_MAX, Math.max(0, lateMs))) / 2;
  }
}
