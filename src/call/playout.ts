import { MARKS_OUTSTANDING_MAX } from "../core/limits.ts";
import { PlaybackClock } from "../media/playback-clock.ts";

/** A peer that acknowledges later than this is not slow but broken, or lying: it moves our clock no further. */
const LAG_MS_MAX = 1_000;

interface OutstandingMark {
  turnId: number;
  piece: number;
  /** When its audio will have been played, by our own clock. */
  dueMs: number;
}

/**
 * What the far end has played of what we sent: the paced playback clock, put right by the marks that come back.
 * A mark forgotten by `flush` says nothing any more: after a clear the carrier returns it whether it was played or not.
 */
export class Playout {
  readonly #clock: PlaybackClock;
  readonly #marks = new Map<string, OutstandingMark>();
  #playsUntilMs = 0;
  /** How much later than by our clock the far end plays, as the last marks told. */
  #lagMs = 0;

  constructor(rateHz: number) {
    this.#clock = new PlaybackClock(rateHz);
  }

  /** When everything sent so far will have been played, ms; in the past when it has been. */
  get playsUntilMs(): number {
    return this.#playsUntilMs + this.#lagMs;
  }

  /** How much of what was sent has not been played, ms of audio. */
  unplayedMs(nowMs: number): number {
    return Math.max(0, this.playsUntilMs - nowMs);
  }

  sent(samples: number, nowMs: number): void {
    this.#clock.sent(samples, nowMs);
    this.#playsUntilMs = nowMs + this.#clock.unplayedMs(nowMs);
  }

  /**
   * A mark behind what was sent last: its name, or undefined when too many are out already. A piece whose end becomes known
   * only when its last frame has been played is marked late, and nobody is slow who returns that mark at once.
   */
  mark(turnId: number, piece: number, nowMs: number): string | undefined {
    if (this.#marks.size >= MARKS_OUTSTANDING_MAX) return undefined;
    const name = `${turnId}.${piece}`;
    this.#marks.set(name, { turnId, piece, dueMs: Math.max(nowMs, this.#playsUntilMs) });
    return name;
  }

  /** A mark came back; says what was played, or undefined for unknown, repeated and forgotten ones. */
  returned(name: string, nowMs: number): { turnId: number; piece: number } | undefined {
    const mark = this.#marks.get(name);
    if (mark === undefined) return undefined;
    this.#marks.delete(name);
    const lateMs = Math.min(LAG_MS_MAX, Math.max(0, nowMs - mark.dueMs));
    // Half the old: one mark that was held up must not move what is taken for heard by a second.
    this.#lagMs = (this.#lagMs + lateMs) / 2;
    return mark;
  }

  /** Everything not played yet was dropped. */
  flush(nowMs: number): void {
    this.#clock.flush(nowMs);
    this.#playsUntilMs = Math.min(this.#playsUntilMs, nowMs);
    this.#marks.clear();
  }
}
