import { setImmediate } from "node:timers/promises";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type MonotonicMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import { REDEMPTION_LOCK_MS_MAX, REDEMPTION_LOCK_POLL_MS } from "../../core/limits/service/admission.ts";
import type { RedeemedCall } from "../call-handoff.ts";
import type { Redeemer, Redemptions, ReturnedCall, StreamProof } from "../redemptions.ts";
import { isLocked } from "./database/dialect.ts";

/**
 * Runs redemptions one after another in order of arrival, with a turn of the event loop after each. While another
 * program has the write lock, this thread does not block in SQLite: the first of the queue tries again every
 * REDEMPTION_LOCK_POLL_MS, and one that has waited for REDEMPTION_LOCK_MS_MAX is refused. The database itself must not
 * wait for locks.
 */
export class QueuedRedemptions implements Redemptions {
  readonly #redemptions: Redemptions;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();

  constructor(redemptions: Redemptions, clock: Clock) {
    this.#redemptions = redemptions;
    this.#clock = clock;
  }

  redeem(
    tokenHash: string,
    redeemer: Redeemer,
    only?: readonly ConnectionType[],
    proof?: StreamProof,
  ): Promise<RedeemedCall | undefined> {
    return this.#inTurn(() => this.#redemptions.redeem(tokenHash, redeemer, only, proof));
  }

  isStreamOf(callId: CallId, proof: StreamProof): Promise<boolean> {
    return this.#inTurn(() => this.#redemptions.isStreamOf(callId, proof));
  }

  returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined> {
    return this.#inTurn(() => this.#redemptions.returnRedemption(tokenHash, nonce));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const untilMs = addMs(this.#clock.nowMs(), REDEMPTION_LOCK_MS_MAX);
    const result = this.#last.then(() => this.#once(work, untilMs));
    const turn = (): Promise<void> => setImmediate();
    this.#last = result.then(turn, turn);
    return result;
  }

  async #once<T>(work: () => Promise<T>, untilMs: MonotonicMs): Promise<T> {
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
