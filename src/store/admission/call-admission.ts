import { KeyedQueue } from "../../core/keyed-queue.ts";
import type { CallEvent, CallStore, Creation, NewCall } from "../call-store.ts";
import type { AdmissionRefusal, Capacity } from "./capacity.ts";

/** The outcome of a request for a call. */
export type AdmittedCreation = Creation | { kind: "refused"; reason: AdmissionRefusal };

/** Creates calls that have a slot. A repeated request takes none, and is answered also where there is none. */
export class CallAdmission {
  readonly #calls: Pick<CallStore, "create" | "findRepeated">;
  readonly #capacity: Pick<Capacity, "reserve" | "release">;
  /** By account and idempotency key. */
  readonly #requests = new KeyedQueue<string>();

  constructor(calls: Pick<CallStore, "create" | "findRepeated">, capacity: Pick<Capacity, "reserve" | "release">) {
    this.#calls = calls;
    this.#capacity = capacity;
  }

  /**
   * Reserves a slot and stores the call in it, or stores nothing. With `refusal`, a new call is refused for this reason
   * without a reservation. Rejects as `CallStore.create` does; then the slot is free again.
   */
  async create(call: NewCall, refusal?: AdmissionRefusal): Promise<AdmittedCreation> {
    const { accountId, idempotency } = call;
    // Nothing is repeated without an idempotency key, so a flood of such requests is refused without a database access.
    if (idempotency === undefined) return await this.#createNew(call, refusal);
    // A repetition waits for the first request. Otherwise it could be refused the slot that the first one has taken.
    return await this.#requests.run(`${accountId} ${idempotency.keyHash}`, async () => {
      return (await this.#calls.findRepeated(call)) ?? (await this.#createNew(call, refusal));
    });
  }

  async #createNew(call: NewCall, refusal: AdmissionRefusal | undefined): Promise<AdmittedCreation> {
    const reason = refusal ?? this.#capacity.reserve(call.tokenHash, call.apiKeyId);
    if (reason !== undefined) return { kind: "refused", reason };
    try {
      return await this.#calls.create(call);
    } finally {
      // The reservation of a call that was not stored; a stored one has its slot under its id.
      this.#capacity.release(call.tokenHash);
    }
  }
}

/** Moves the reservation of a call that is stored to its id, and frees the slot of a call that is over. */
export const followCalls =
  (capacity: Pick<Capacity, "created" | "release">) =>
  (event: CallEvent): void => {
    switch (event.kind) {
      case "created":
        capacity.created(event.call.tokenHash, event.callId, event.call.tokenTtlMs);
        return;
      case "ended":
      case "removed":
        capacity.release(event.callId);
        return;
      case "repeated":
      case "end-not-stored":
        return;
    }
  };
