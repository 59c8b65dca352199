import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { AccountId, CallId, WorkerId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallStore } from "../calls/call-store.ts";

const RETRY_MS = 1_000;

export interface EndRequestsOptions {
  calls: Pick<CallStore, "cancel">;
  /** Requests a worker to end one of its calls; false when the worker is not connected. */
  endCall: (workerId: WorkerId, callId: CallId) => boolean;
  clock: Clock;
  log: Logger;
}

/**
 * Active calls with a pending request to end. A worker that is about to return a call's redemption has no call to end;
 * the call is ended when it waits for its stream again.
 */
export class EndRequests {
  readonly #options: EndRequestsOptions;
  /** Account ids by call id. Bounded: only active calls are in it, and the workers limit their number. */
  readonly #requested = new Map<CallId, AccountId>();

  constructor(options: EndRequestsOptions) {
    this.#options = options;
  }

  /** Requests a worker to end one of its calls; false when the worker is not connected. */
  request(workerId: WorkerId, { id, accountId }: { id: CallId; accountId: AccountId }): boolean {
    if (!this.#options.endCall(workerId, id)) return false;
    this.#requested.set(id, accountId);
    return true;
  }

  /** The call is over. */
  callEnded(callId: CallId): void {
    this.#requested.delete(callId);
  }

  /** The call's redemption was returned. If the call has been redeemed again since, its new worker gets the request. */
  async redemptionReturned(callId: CallId): Promise<void> {
    const { calls, endCall, clock, log } = this.#options;
    const accountId = this.#requested.get(callId);
    if (accountId === undefined) return;
    try {
      const found = await calls.cancel(accountId, callId);
      if (found?.workerId === undefined) this.callEnded(callId);
      else endCall(found.workerId, callId);
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "returned call could not be ended yet");
      clock.after(RETRY_MS, () => void this.redemptionReturned(callId));
    }
  }
}
