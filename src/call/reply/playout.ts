import { MARKS_OUTSTANDING_MAX } from "../../core/limits/calls.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";

/** A peer that plays, or acknowledges, later than this is not slow but broken, or lying: it moves our clock no further. */
const LAG_MS_MAX = 1_000;

interface OutstandingMark {
  turnId: number;
  segment: number;
  /** When its audio will have been played, by our own clock. */
  dueMs: number;
}

/** A clear that may be answered: how much audio the far end has played in all at that moment, ms. */
interface Flushed {
  /** By our own clock. */
  playedMs: number;
  /** If it had played everything. */
  playedMsMax: number;
}

/**
 * What the far end has played of what we sent: the paced playback clock, put right by the marks that come back and by what is told
 * in answer to a clear. A mark forgotten by `flush` says nothing any more: after a clear the carrier returns it whether it was
 * played or not.
 */
export class Playout {
  readonly #clock: PlaybackClock;
  readonly #marks = new Map<string, OutstandingMark>();
  #playsUntilMs = 0;
  /** How much later than by our clock the far end plays, as it told last. */
  #lagMs = 0;
  /** Audio that was played until the last flush, and that was sent since, ms. */
  #playedMs = 0;
  #sentMs = 0;
  #flushed: Flushed | undefined;
  /** When the peer last confirmed that the line carries. */
  #confirmedMs = 0;
  readonly #rateHz: number;
  readonly #confirmationMs: number;

  /** `confirmationMs`: see `TurnParameters`. */
  constructor(rateHz: number, confirmationMs: number) {
    this.#rateHz = rateHz;
    this.#confirmationMs = confirmationMs;
    this.#clock = new PlaybackClock(rateHz);
  }

  /** When everything sent so far will have been played, ms; in the past when it has been. */
  get playsUntilMs(): number {
    return this.#playsUntilMs + this.#lagMs;
  }

  /** Before this nobody can have played everything sent so far, ms: audio takes its time, whatever a peer says. */
  get playsUntilMsMin(): number {
    return this.#playsUntilMs;
  }

  /** How much of what was sent has not been played, ms of audio. */
  unplayedMs(nowMs: number): number {
    return Math.max(0, this.playsUntilMs - nowMs);
  }

  /** The peer sent a frame, a mark or a pong: what the clock says was played until now was played. */
  confirmed(nowMs: number): void {
    this.#confirmedMs = nowMs;
  }

  /** Whether the clock is believed at `atMs`: the last confirmation is no older than `confirmationMs` then. */
  isConfirmed(atMs: number): boolean {
    return atMs - this.#confirmedMs <= this.#confirmationMs;
  }

  /** Until when the clock is believed, if that is before `nowMs`; `nowMs` otherwise. */
  confirmedUntilMs(nowMs: number): number {
    return this.isConfirmed(nowMs) ? nowMs : this.#confirmedMs;
  }

  sent(samples: number, nowMs: number): void {
    this.#clock.sent(samples, nowMs);
    this.#playsUntilMs = nowMs + this.#clock.unplayedMs(nowMs);
    this.#sentMs += (samples * 1_000) / this.#rateHz;
  }

  /**
   * A mark behind what was sent last: its name, or undefined when too many are out already. A piece whose end becomes known
   * only when its last frame has been played is marked late, and nobody is slow who returns that mark at once.
   */
  mark(turnId: number, segment: number, nowMs: number): string | undefined {
    if (this.#marks.size >= MARKS_OUTSTANDING_MAX) return undefined;
    const name = `${turnId}.${segment}`;
    this.#marks.set(name, { turnId, segment, dueMs: Math.max(nowMs, this.#playsUntilMs) });
    return name;
  }

  /** A mark came back; says what was played, or undefined for unknown, repeated and forgotten ones. */
  markReturned(name: string, nowMs: number): { turnId: number; segment: number } | undefined {
    const mark = this.#marks.get(name);
    if (mark === undefined) return undefined;
    this.#marks.delete(name);
    this.#updateLag(nowMs - mark.dueMs);
    return mark;
  }

  /** Everything not played yet was dropped. */
  flush(nowMs: number): void {
    const playedMsMax = this.#playedMs + this.#sentMs;
    this.#playedMs = playedMsMax - this.#clock.unplayedMs(nowMs);
    this.#sentMs = 0;
    this.#flushed = { playedMs: this.#playedMs, playedMsMax };
    this.#clock.flush(nowMs);
    this.#playsUntilMs = Math.min(this.#playsUntilMs, nowMs);
    this.#marks.clear();
  }

  /**
   * The far end tells how much it had played in all when it was told to drop the rest. Its count takes the place of ours, as far as
   * so much was sent. On its way the clear was as slow as the audio before it, so that what is missing was held up over there.
   */
  cleared(playedMs: number): void {
    if (this.#flushed === undefined) return;
    const creditedMs = Math.min(playedMs, this.#flushed.playedMsMax);
    const lateMs = this.#flushed.playedMs - creditedMs;
    this.#flushed = undefined;
    this.#playedMs -= lateMs;
    this.#updateLag(lateMs);
  }

  /** Half the old: one message that was held up must not move what is taken for heard by a second. */
  #updateLag(lateMs: number): void {
    this.#lagMs = (this.#lagMs + Math.min(LAG_MS_MAX, Math.max(0, lateMs))) / 2;
  }
}
