import type { Clock } from "../../core/clock.ts";
import { addMs, earliest, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import type { ApiKeyId, CallId, WorkerId } from "../../core/ids.ts";
import {
  LAGGING_CALLS_MAX,
  LOAD_SILENCE_MS_MAX,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_RECOVERY_MS,
} from "../../core/limits/admission.ts";
import type { SlotUsage } from "../../core/metrics/control-metrics.ts";
import type { ActiveCall, WaitingCall } from "../call-store.ts";
import type { WorkerLoad } from "../handoff/messages.ts";

/**
 * Why a call is not admitted: the workers' slots are all taken, the API key has reached its limit of calls, or the
 * account its spend limit.
 */
export type AdmissionRefusal = "overloaded" | "rate_limited" | "spend_limit";

/** The slot of one call, from its creation to its end. */
interface Slot {
  apiKeyId: ApiKeyId | undefined;
  /** The worker that carries the call, or did when it was lost; undefined while the call waits for its stream. */
  workerId: WorkerId | undefined;
}

/** A worker that is connected. */
interface ConnectedWorker {
  load: WorkerLoad;
  /** When it last reported its load, and when its loop last lagged; ms of the clock. */
  reportedMs: MonotonicMs;
  laggedMs: MonotonicMs;
  /** How many calls it carries. */
  callCount: number;
}

export interface CapacityOptions {
  clock: Clock;
  /** How many calls one API key may have at once, created or active; undefined for no limit but the slots. */
  callsPerApiKey: number | undefined;
}

/**
 * Admission of calls. The connected workers offer slots, and each call takes one from its creation to its end, so that
 * a valid token always finds room. A waiting call holds its slot until its token expires, an active one as long as a
 * live worker carries it.
 *
 * Counted in memory because every creation asks. The store stays authoritative, and `restore` starts from it.
 */
export class Capacity {
  readonly #clock: Clock;
  readonly #callsPerApiKey: number;
  /** By call id; by the hash of its token while a call is being stored. */
  readonly #slots = new Map<string, Slot>();
  /** When the tokens of the waiting calls expire, ms of the clock. */
  readonly #expiries = new Map<string, MonotonicMs>();
  /** No token expires before this. */
  #nextExpiryMs = monotonicMs(Number.POSITIVE_INFINITY);
  readonly #callsByApiKey = new Map<ApiKeyId, number>();
  readonly #workers = new Map<WorkerId, ConnectedWorker>();

  constructor({ clock, callsPerApiKey = Number.POSITIVE_INFINITY }: CapacityOptions) {
    this.#clock = clock;
    this.#callsPerApiKey = callsPerApiKey;
  }

  /**
   * How many more calls can be created now. Negative when slots in use were lost with a worker or because its loop
   * lags.
   */
  get available(): number {
    const { max, active, reserved } = this.usage;
    return max - active - reserved;
  }

  /** The slots that connected workers offer in their present state, and how many are in use. */
  get usage(): SlotUsage {
    this.#dropExpired();
    let max = 0;
    let active = 0;
    for (const worker of this.#workers.values()) {
      max += this.#capacityOf(worker);
      active += worker.callCount;
    }
    return { max, active, reserved: this.#expiries.size };
  }

  /** How many calls of an API key there are, created or active. */
  callsOf(apiKeyId: ApiKeyId): number {
    this.#dropExpired();
    return this.#callsByApiKey.get(apiKeyId) ?? 0;
  }

  /**
   * Reserves a slot for a call that is about to be stored, if one is free. `name` identifies the call until it has an
   * id.
   */
  reserve(name: string, apiKeyId: ApiKeyId | undefined): AdmissionRefusal | undefined {
    if (apiKeyId !== undefined && this.callsOf(apiKeyId) >= this.#callsPerApiKey) return "rate_limited";
    if (this.available <= 0) return "overloaded";
    this.#addWaiting(name, apiKeyId, Number.POSITIVE_INFINITY);
    return undefined;
  }

  /** The call with the reservation `name` is stored and waits this long for its stream. */
  created(name: string, callId: CallId, remainingMs: number): void {
    const apiKeyId = this.#slots.get(name)?.apiKeyId;
    this.release(name);
    this.#addWaiting(callId, apiKeyId, remainingMs);
  }

  /** A redemption was returned: the call waits for its stream again. */
  returned(callId: CallId, remainingMs: number): void {
    this.created(callId, callId, remainingMs);
  }

  /** A worker has redeemed the call's token. */
  assign(callId: CallId, workerId: WorkerId): void {
    const apiKeyId = this.#slots.get(callId)?.apiKeyId;
    this.release(callId);
    this.#add(callId, { apiKeyId, workerId });
  }

  /** The call, by its id or the name of its reservation, is over or was never created. Without a slot it is ignored. */
  release(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.#expiries.delete(name);
    this.#count(slot, -1);
  }

  /** Starts from the calls in the store, before any other event. */
  restore(waiting: readonly WaitingCall[], active: readonly ActiveCall[]): void {
    for (const { id, apiKeyId, remainingMs } of waiting) this.#addWaiting(id, apiKeyId, remainingMs);
    for (const { id, apiKeyId, workerId } of active) this.#add(id, { apiKeyId, workerId });
  }

  /** A worker connected or reconnected, and carries exactly these calls. */
  workerConnected(workerId: WorkerId, callIds: readonly CallId[], load: WorkerLoad): void {
    const carried = new Set<string>(callIds);
    for (const [name, slot] of this.#slots) {
      if (slot.workerId === workerId && !carried.has(name)) this.release(name);
    }
    for (const callId of callIds) this.assign(callId, workerId);
    const never = Number.NEGATIVE_INFINITY;
    this.#workers.set(workerId, {
      load,
      reportedMs: monotonicMs(never),
      laggedMs: monotonicMs(never),
      callCount: carried.size,
    });
    this.loadReported(workerId, load);
  }

  /** A worker reported its load. */
  loadReported(workerId: WorkerId, load: WorkerLoad): void {
    const worker = this.#workers.get(workerId);
    if (worker === undefined) return;
    worker.load = load;
    worker.reportedMs = this.#clock.nowMs();
    if (load.loopLagMs > LOOP_LAG_MS_MAX) worker.laggedMs = worker.reportedMs;
  }

  /**
   * A worker disconnected and its slots are gone. Its calls still count for their API keys until they have their
   * records.
   */
  workerDisconnected(workerId: WorkerId): void {
    this.#workers.delete(workerId);
  }

  /**
   * How many calls a worker takes: no new ones when it says so, or when it reports nothing because its loop is stuck. A
   * worker whose loop lags still takes a few: with so few calls the machine is the cause, and refusing calls would not
   * help.
   */
  #capacityOf({ load, reportedMs, laggedMs, callCount }: ConnectedWorker): number {
    const nowMs = this.#clock.nowMs();
    const carried = Math.min(callCount, load.callsMax);
    if (!load.acceptsCalls || elapsedMs(reportedMs, nowMs) >= LOAD_SILENCE_MS_MAX) return carried;
    if (elapsedMs(laggedMs, nowMs) >= LOOP_LAG_RECOVERY_MS) return load.callsMax;
    return Math.max(carried, Math.min(LAGGING_CALLS_MAX, load.callsMax));
  }

  #addWaiting(name: string, apiKeyId: ApiKeyId | undefined, remainingMs: number): void {
    const expiresAtMs = addMs(this.#clock.nowMs(), remainingMs);
    this.#add(name, { apiKeyId, workerId: undefined });
    this.#expiries.set(name, expiresAtMs);
    this.#nextExpiryMs = earliest(this.#nextExpiryMs, expiresAtMs);
  }

  #add(name: string, slot: Slot): void {
    this.#slots.set(name, slot);
    this.#count(slot, 1);
  }

  #count({ apiKeyId, workerId }: Slot, by: 1 | -1): void {
    const worker = workerId === undefined ? undefined : this.#workers.get(workerId);
    if (worker !== undefined) worker.callCount += by;
    if (apiKeyId === undefined) return;
    const calls = (this.#callsByApiKey.get(apiKeyId) ?? 0) + by;
    if (calls === 0) this.#callsByApiKey.delete(apiKeyId);
    else this.#callsByApiKey.set(apiKeyId, calls);
  }

  #dropExpired(): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs < this.#nextExpiryMs) return;
    this.#nextExpiryMs = monotonicMs(Number.POSITIVE_INFINITY);
    for (const [name, expiresAtMs] of this.#expiries) {
      if (expiresAtMs <= nowMs) this.release(name);
      else this.#nextExpiryMs = earliest(this.#nextExpiryMs, expiresAtMs);
    }
  }
}
