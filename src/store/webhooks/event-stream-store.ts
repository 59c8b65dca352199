import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import type { WebhookEvent } from "./webhook-store.ts";

/** A fact with its place among the facts of its account. */
export interface StreamEvent extends WebhookEvent {
  /** 1, 2, ... in the order in which streams deliver them; a number without an event was deleted. */
  sequence: number;
}

/** Where the events of an account are. */
export interface StreamPosition {
  /** The number of the last event. */
  last: number;
  /** Events up to this number may have been lost: they were deleted for their age, or were not kept. */
  lostThrough: number;
}

/**
 * The events of accounts that read them as a stream, under the ids under which webhooks deliver them. The stores of other facts
 * write them in the transaction of the fact. They are kept only for accounts that have had a stream within EVENTS_KEPT_MS.
 * Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface EventStreamStore {
  /** A stream of the account is open: from now on its events are kept for EVENTS_KEPT_MS. */
  open(accountId: AccountId): Promise<StreamPosition>;
  /**
   * Gives a number to every event that has none, in any account. An event gets it after its commit, so none can appear
   * before one that was read already.
   */
  number(): Promise<void>;
  /** The number of the last event of each of these accounts. */
  lastNumbers(accountIds: readonly AccountId[]): Promise<ReadonlyMap<AccountId, number>>;
  /** The events of the account after this number, in order. */
  read(accountId: AccountId, after: number, limit: number): Promise<readonly StreamEvent[]>;
  /** Deletes events that were created before this time, a limited number. Returns how many. */
  deleteOld(createdBeforeMs: EpochMs): Promise<number>;
}
