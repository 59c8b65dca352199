import type { AccountLimits } from "../core/accounts/account-settings.ts";
import type { Clock } from "../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../core/clocks.ts";
import type { CallId, CarrierId } from "../core/ids.ts";
import { KeyedQueue } from "../core/keyed-queue.ts";
import type { Capacity } from "../store/admission/capacity.ts";
import type { Carrier } from "../store/telephony/carrier-store.ts";
import type { CountedOwner, PhoneCallStore, StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import type { PhoneNumber } from "../store/telephony/phone-number-store.ts";

/** Whose slot it is, and what bounds it. */
export interface SlotOwner {
  carrier: Carrier;
  /** Of an inbound call. */
  number?: PhoneNumber | undefined;
  limits?: AccountLimits | undefined;
}

/** `afterMs`: when it may be asked again. */
export type SlotAnswer = { isGranted: true } | { isGranted: false; afterMs?: number };

/**
 * Slots of telephone calls: those of the workers, and the limits of the account, its carrier and its numbers. A call takes its slot when
 * it is dialled or comes in, and keeps it to its end.
 */
export class PhoneCallSlots {
  readonly #capacity: Pick<Capacity, "hold" | "release">;
  readonly #phoneCalls: Pick<PhoneCallStore, "countLive" | "countAlone" | "paceDial">;
  readonly #isShared: boolean;
  readonly #clock: Pick<Clock, "nowMs">;
  /** So that two calls do not count the same free slot of a carrier. */
  readonly #queue = new KeyedQueue<CarrierId | "all">();
  /** When the next call may be placed from a number, by carrier and number. */
  readonly #nextDialMs = new Map<string, MonotonicMs>();

  constructor(options: {
    capacity: Pick<Capacity, "hold" | "release">;
    phoneCalls: Pick<PhoneCallStore, "countLive" | "countAlone" | "paceDial">;
    /** Other nodes take slots of the same accounts, carriers and numbers. */
    isShared?: boolean;
    clock: Pick<Clock, "nowMs">;
  }) {
    this.#isShared = options.isShared ?? false;
    this.#capacity = options.capacity;
    this.#phoneCalls = options.phoneCalls;
    this.#clock = options.clock;
  }

  /** Takes a slot, if one is free; `store` then stores that, before another call of the carrier is counted. */
  async take(call: StoredPhoneCall, owner: SlotOwner, store: (answer: SlotAnswer) => Promise<void>): Promise<void> {
    if (!this.#isShared) {
      await this.#queue.run(owner.carrier.id, () => this.#take(call, owner, store));
      return;
    }
    const owners: CountedOwner[] = [{ accountId: call.accountId }, { carrierId: owner.carrier.id }];
    if (owner.number !== undefined) owners.push({ phoneNumberId: owner.number.id });
    // One at a time: each holds a connection of this node while it waits for the other nodes.
    await this.#queue.run("all", () => this.#phoneCalls.countAlone(owners, () => this.#take(call, owner, store)));
  }

  async #take(call: StoredPhoneCall, owner: SlotOwner, store: (answer: SlotAnswer) => Promise<void>): Promise<void> {
    const answer = await this.#decide(call, owner);
    try {
      await store(answer);
    } catch (error) {
      if (answer.isGranted) this.#capacity.release(call.callId);
      throw error;
    }
  }

  release({ callId }: Pick<StoredPhoneCall, "callId">): void {
    this.#capacity.release(callId);
  }

  async #decide(call: StoredPhoneCall, { carrier, number, limits }: SlotOwner): Promise<SlotAnswer> {
    const { callId, accountId, apiKeyId, facts } = call;
    const isOutbound = facts.direction === "outbound";
    const waitMs = isOutbound ? this.#dialWaitMs(carrier, facts.from) : 0;
    // What another node has dialled is noted by the store alone.
    if (waitMs > 0) return { isGranted: false, afterMs: waitMs };
    // The store counts an inbound call from its creation.
    const own = isOutbound ? 0 : 1;
    const { maxConcurrentCalls } = carrier;
    if (maxConcurrentCalls !== undefined) {
      const live = await this.#phoneCalls.countLive({ carrierId: carrier.id });
      if (live - own >= maxConcurrentCalls) return { isGranted: false };
    }
    if (!isOutbound && number?.maxConcurrentCalls !== undefined) {
      const live = await this.#phoneCalls.countLive({ phoneNumberId: number.id });
      if (live - own >= number.maxConcurrentCalls) return { isGranted: false };
    }
    const callsMax = limits?.concurrentCalls;
    if (this.#isShared && callsMax !== undefined) {
      const live = await this.#phoneCalls.countLive({ accountId });
      if (live - own >= callsMax) return { isGranted: false };
    }
    if (this.#capacity.hold(callId, { accountId, apiKeyId }, this.#isShared ? undefined : callsMax) !== undefined) {
      return { isGranted: false };
    }
    if (!isOutbound) return { isGranted: true };
    const sharedWaitMs = this.#isShared ? await this.#paceDial(callId, carrier, facts.from) : 0;
    if (sharedWaitMs > 0) return { isGranted: false, afterMs: sharedWaitMs };
    this.#noteDial(carrier, facts.from);
    return { isGranted: true };
  }

  /** Last of all, so that a node without a free slot does not use up what others may dial. */
  async #paceDial(callId: CallId, { id, callsPerSecond }: Carrier, from: string): Promise<number> {
    let waitMs = 1;
    try {
      waitMs = await this.#phoneCalls.paceDial(id, from, 1_000 / callsPerSecond);
      return waitMs;
    } finally {
      if (waitMs > 0) this.#capacity.release(callId);
    }
  }

  #dialWaitMs({ id }: Carrier, from: string): number {
    const nextMs = this.#nextDialMs.get(`${id} ${from}`);
    return nextMs === undefined ? 0 : Math.max(0, elapsedMs(this.#clock.nowMs(), nextMs));
  }

  #noteDial({ id, callsPerSecond }: Carrier, from: string): void {
    const nowMs = this.#clock.nowMs();
    for (const [name, nextMs] of this.#nextDialMs) if (nextMs <= nowMs) this.#nextDialMs.delete(name);
    this.#nextDialMs.set(`${id} ${from}`, addMs(nowMs, 1_000 / callsPerSecond));
  }
}
