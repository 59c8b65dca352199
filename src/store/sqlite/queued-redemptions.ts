import { setImmediate } from "node:timers/promises";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { REDEMPTION_LOCK_MS_MAX, REDEMPTION_LOCK_POLL_MS } from "../../core/limits/admission.ts";
import type { RedeemedCall } from "../call-handoff.ts";
import type { Redeemer, Redemptions, ReturnedCall } from "../redemptions.ts";
import { isLocked } from "./database/dialect.ts";

/**
 * Redemptions one after another, in the order of their arrival, with a turn of the loop after each. While somebody else has the write
 * lock, nothing of this thread waits in SQLite: the first in the queue looks for the lock again every REDEMPTION_LOCK_LOOK_MS, and who
 * has waited for REDEMPTION_LOCK_MS_MAX is refused. The database must not wait for locks by itself.
 */
export class QueuedRedemptions implements Redemptions {
  readonly #redemptions: Redemptions;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(redemptions: Redemptions, clock: Clock) {
    this.#redemptions = redemptions;
    this.#clock = clock;
  }

  redeem(tokenHash: string, redeemer: Redeemer, only?: readonly ConnectionType[]): Promise<RedeemedCall | undefined> {
    return this.#inTurn(() => this.#redemptions.redeem(tokenHash, redeemer, only));
  }

  returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined> {
    return this.#inTurn(() => this.#redemptions.returnRedemption(tokenHash, nonce));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const untilMs = this.#clock.nowMs() + REDEMPTION_LOCK_MS_MAX;
    const result = this.#last.then(() => this.#once(work, untilMs));
    const turn = (): Promise<void> => setImmediate();
    this.#last = result.then(turn, turn);
    return result;
  }

  async #once<T>(work: () => Promise<T>, untilMs: number): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isLocked(error) || this.#clock.nowMs() >= untilMs) throw error;
      }
      await new Promise<void>((resolve) => {
        this.#clock.after(REDEMPTION_LOCK_POLL_MS, resolve);
      });
    }
  }
}
