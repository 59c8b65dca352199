import type { Clock } from "../../../core/clock.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { CallStore } from "../../../store/calls/call-store.ts";

/** How often calls are looked for whose stream token has expired without a redemption. */
const EXPIRY_INTERVAL_MS = 5_000;

export interface CallExpiryOptions {
  calls: Pick<CallStore, "expire">;
  clock: Pick<Clock, "after">;
  log: Logger;
}

/** Expires calls whose stream token was not redeemed in time, every EXPIRY_INTERVAL_MS. */
export class CallExpiry {
  readonly #options: CallExpiryOptions;

  constructor(options: CallExpiryOptions) {
    this.#options = options;
  }

  /** Repeats until the process exits, also after a failure. */
  start(): void {
    this.#options.clock.after(EXPIRY_INTERVAL_MS, () => {
      void this.#expire();
      this.start();
    });
  }

  async #expire(): Promise<void> {
    const { calls, log } = this.#options;
    try {
      const callIds = await calls.expire();
      if (callIds.length > 0) log.info({ calls: callIds.length }, "calls expired");
    } catch (error) {
      log.error({ err: error }, "expiring calls failed");
    }
  }
}
