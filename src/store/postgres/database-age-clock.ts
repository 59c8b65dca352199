import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { type AgeMs, ageMs, type EpochMs, type MonotonicMs, millisecondsOf } from "../../core/clocks.ts";

/**
 * The age clock of everything that shares one Postgres: the server's clock, as this process follows it by its own monotonic
 * one. So machines agree on it although their clocks differ. A step of the server's clock is followed within a second.
 */
export class DatabaseAgeClock implements AgeClock {
  readonly bootId = "postgres";
  readonly #clock: Clock;
  /** The server's time less this process's monotonic time; unknown before the first reading. */
  #offsetMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): AgeMs {
    if (this.#offsetMs === undefined) throw new Error("the database's clock was not read yet");
    return ageMs(Math.floor(millisecondsOf(this.#clock.nowMs()) + this.#offsetMs));
  }

  /**
   * Takes a reading of the server's clock that was requested at `sentMs` and arrived just now. One that the time under way can
   * explain changes nothing, so that a slow answer does not move the clock.
   */
  follow(serverMs: EpochMs, sentMs: MonotonicMs): void {
    const [sent, arrived] = [millisecondsOf(sentMs), millisecondsOf(this.#clock.nowMs())];
    const offsetMs = millisecondsOf(serverMs) - (sent + arrived) / 2;
    const uncertaintyMs = (arrived - sent) / 2 + 1;
    if (this.#offsetMs === undefined || Math.abs(offsetMs - this.#offsetMs) > uncertaintyMs) this.#offsetMs = offsetMs;
  }
}
