import type { AccountLimits } from "../../core/accounts/account-settings.ts";
import { storesWords } from "../../core/calls/spec.ts";
import type { AccountId, NodeName } from "../../core/ids.ts";
import { KeyedQueue } from "../../core/keyed-queue.ts";
import type { CallEvent, CallStore, Creation, LimitReached, NewCall } from "../calls/call-store.ts";
import type { WorkerRole } from "../handoff/messages.ts";
import { type AdmissionRefusal, type Capacity, roleOf } from "./capacity.ts";
import type { CreationRates } from "./creation-rates.ts";

export interface Refused {
  kind: "refused";
  reason: AdmissionRefusal;
  /** After so long the account may create another call; absent where that is unknown. */
  waitMs?: number;
}

/** The outcome of a request for a call. */
export type AdmittedCreation = Exclude<Creation, LimitReached> | Refused;

/** What bounds the calls of one request's account, and why no new call of it is accepted now. */
export interface CreationBounds {
  limits?: AccountLimits | undefined;
  refusal?: AdmissionRefusal | undefined;
}

/** Where the calls of a cluster are placed. */
export interface CallPlacement {
  /** This node. */
  own: NodeName;
  /** The node for a new call of these workers; undefined where none has room. */
  place(role: WorkerRole): NodeName | undefined;
  /** So many calls one API key may have at once, over all nodes. */
  callsPerApiKey: number | undefined;
}

/** How a call is stored that takes its slot later. */
export interface QueuedCreation<Outcome> {
  findRepeated: () => Promise<Outcome | undefined>;
  /** `creationsPerMinute` is to be counted by the store, for all nodes; undefined in a service that is alone. */
  create: (creationsPerMinute: number | undefined) => Promise<Outcome>;
}

/** Creates calls that have a slot. A repeated request takes none, and is answered also where there is none. */
export class CallAdmission {
  readonly #calls: Pick<CallStore, "create" | "findRepeated">;
  readonly #capacity: Pick<Capacity, "reserve" | "release">;
  readonly #rates: Pick<CreationRates, "waitMs" | "take" | "giveBack">;
  readonly #placement: CallPlacement | undefined;
  /** By account and idempotency key. */
  readonly #requests = new KeyedQueue<string>();

  /** Without `placement` this service carries all calls. */
  constructor(
    calls: Pick<CallStore, "create" | "findRepeated">,
    capacity: Pick<Capacity, "reserve" | "release">,
    rates: Pick<CreationRates, "waitMs" | "take" | "giveBack">,
    placement?: CallPlacement,
  ) {
    this.#placement = placement;
    this.#calls = calls;
    this.#capacity = capacity;
    this.#rates = rates;
  }

  /**
   * Reserves a slot and stores the call in it, or stores nothing. With `refusal`, a new call is refused for this reason
   * without a reservation. Rejects as `CallStore.create` does; then the slot is free again. A refused call does not count
   * against the account's creations.
   */
  async create(call: NewCall, bounds: CreationBounds = {}): Promise<AdmittedCreation> {
    const { accountId, idempotency } = call;
    // Nothing is repeated without an idempotency key, so a flood of such requests is refused without a database access.
    if (idempotency === undefined) return await this.#createNew(call, bounds);
    // A repetition waits for the first request. Otherwise it could be refused the slot that the first one has taken.
    return await this.#requests.run(`${accountId} ${idempotency.keyHash}`, async () => {
      return (await this.#calls.findRepeated(call)) ?? (await this.#createNew(call, bounds));
    });
  }

  /**
   * Stores a call that takes its slot later, or stores nothing. A repeated request is answered also where a new call is refused. Rejects
   * as the stores do.
   */
  async createQueued<Outcome extends { kind: string }>(
    accountId: AccountId,
    bounds: CreationBounds,
    { findRepeated, create }: QueuedCreation<Outcome>,
  ): Promise<Exclude<Outcome, LimitReached> | Refused> {
    const repeated = await findRepeated();
    if (repeated !== undefined) return withoutLimit(repeated);
    const { limits = {} } = bounds;
    const refused = this.#refused(accountId, bounds);
    if (refused !== undefined) return refused;
    // The store counts the creations of all nodes.
    const shared = this.#placement === undefined ? undefined : limits.creationsPerMinute;
    return withoutLimit(await this.#counted(accountId, limits, () => create(shared)));
  }

  async #createNew(call: NewCall, { limits = {}, refusal }: CreationBounds): Promise<AdmittedCreation> {
    const { accountId, apiKeyId, tokenHash } = call;
    const { concurrentCalls } = limits;
    const refused = this.#refused(accountId, { limits, refusal });
    if (refused !== undefined) return refused;
    const role = roleOf(call.spec.connectionType);
    const placed = this.#placed(call, limits, role);
    if (placed === undefined) return { kind: "refused", reason: "overloaded" };
    const isHere = placed.node === this.#placement?.own;
    if (isHere) {
      // The store counts the calls of all nodes: those that other nodes carry do not end here.
      const isCounted = placed.callsMax !== undefined;
      const owner = isCounted ? {} : { accountId, apiKeyId };
      const reason = this.#capacity.reserve(tokenHash, owner, isCounted ? undefined : concurrentCalls, role);
      if (reason !== undefined) return { kind: "refused", reason };
    }
    try {
      const creation = await this.#counted(accountId, limits, () => this.#calls.create(placed));
      return withoutLimit(creation);
    } finally {
      // The reservation of a call that was not stored; a stored one has its slot under its id.
      if (isHere) this.#capacity.release(call.tokenHash);
    }
  }

  /** The call with its node, and with the limits that the store counts for all nodes. Undefined where no node has room. */
  #placed(
    call: NewCall,
    { concurrentCalls, creationsPerMinute }: AccountLimits,
    role: WorkerRole,
  ): NewCall | undefined {
    if (this.#placement === undefined) return call;
    const { own, place, callsPerApiKey } = this.#placement;
    // The words of a call that stores none are in the memory of this node.
    const node = storesWords(call.spec) ? place(role) : own;
    return (
      node && {
        ...call,
        node,
        callsMax: { perApiKey: callsPerApiKey, perAccount: concurrentCalls, creationsPerMinute },
      }
    );
  }

  #refused(accountId: AccountId, { limits = {}, refusal }: CreationBounds): Refused | undefined {
    if (refusal !== undefined) return { kind: "refused", reason: refusal };
    const { creationsPerMinute } = limits;
    const waitMs = creationsPerMinute === undefined ? 0 : this.#rates.waitMs(accountId, creationsPerMinute);
    return waitMs > 0 ? { kind: "refused", reason: "account_creations", waitMs } : undefined;
  }

  async #counted<Outcome extends { kind: string }>(
    accountId: AccountId,
    { creationsPerMinute }: AccountLimits,
    create: () => Promise<Outcome>,
  ): Promise<Outcome> {
    if (creationsPerMinute === undefined) return await create();
    this.#rates.take(accountId, creationsPerMinute);
    let isCreated = false;
    try {
      const creation = await create();
      isCreated = creation.kind === "created";
      return creation;
    } finally {
      // Otherwise visitors of a page at its limit would use up the creations of the account.
      if (!isCreated) this.#rates.giveBack(accountId, creationsPerMinute);
    }
  }
}

function withoutLimit<Outcome extends { kind: string }>(
  outcome: Outcome | LimitReached,
): Exclude<Outcome, LimitReached> | Refused {
  if (!isLimitReached(outcome)) return outcome as Exclude<Outcome, LimitReached>;
  const { reason, waitMs } = outcome;
  return { kind: "refused", reason, ...(waitMs !== undefined && { waitMs }) };
}

const isLimitReached = (outcome: { kind: string }): outcome is LimitReached => outcome.kind === "limit-reached";

/**
 * Moves the reservation of a call that is stored to its id, and frees the slot of a call that is over. `own` is this node of a cluster:
 * calls that are placed on others take no slot here.
 */
export const followCalls =
  (capacity: Pick<Capacity, "created" | "release">, own?: NodeName) =>
  (event: CallEvent): void => {
    switch (event.kind) {
      case "created":
        if ((event.call.node ?? own) === own)
          capacity.created(event.call.tokenHash, event.callId, event.call.tokenTtlMs);
        return;
      case "ended":
      case "removed":
        capacity.release(event.callId);
        return;
      case "phone-created":
      case "repeated":
      case "end-not-stored":
        return;
    }
  };
