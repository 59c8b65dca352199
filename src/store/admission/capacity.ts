import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, earliest, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import type { AccountId, ApiKeyId, CallId, WorkerId } from "../../core/ids.ts";
import {
  LAGGING_CALLS_MAX,
  LOAD_SILENCE_MS_MAX,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_RECOVERY_MS,
  WEBRTC_LOOP_LAG_MS_MAX,
} from "../../core/limits/service/admission.ts";
import type { SlotUsage } from "../../core/metrics/control-metrics.ts";
import type { ActiveCall, WaitingCall } from "../calls/call-store.ts";
import type { WorkerLoad, WorkerRole } from "../handoff/messages.ts";

/**
 * Why a call is not admitted: the workers' slots are all taken, the API key or the account has reached its limit of
 * calls, or the account its limit of creations or its spend limit.
 */
export type AdmissionRefusal = "overloaded" | "api_key_calls" | "account_calls" | "account_creations" | "spend_limit";

/** Whose call it is. Absent members are those of calls of older versions, and do not count. */
export interface CallOwner {
  accountId?: AccountId | undefined;
  apiKeyId?: ApiKeyId | undefined;
}

/** The workers that carry calls of a connection type. */
export const roleOf = (connectionType: ConnectionType): WorkerRole =>
  connectionType === "webrtc" ? "webrtc" : "media";

/** The slot of one call, from its creation to its end. */
interface Slot {
  owner: CallOwner;
  /** Of the workers that may carry it. */
  role: WorkerRole;
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

/** More event-loop delay than this, ms, is lag in a worker of this role. */
export const loopLagMsMaxOf = (role: WorkerRole): number =>
  role === "webrtc" ? WEBRTC_LOOP_LAG_MS_MAX : LOOP_LAG_MS_MAX;

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
  /** Slots that `compareHeld` has missed in the store once. */
  #missing: ReadonlySet<string> = new Set();
  readonly #callsByApiKey = new Map<ApiKeyId, number>();
  readonly #callsByAccount = new Map<AccountId, number>();
  readonly #workers = new Map<WorkerId, ConnectedWorker>();
  /** How many calls wait for their streams. */
  readonly #reserved: Record<WorkerRole, number> = { media: 0, webrtc: 0 };

  constructor({ clock, callsPerApiKey = Number.POSITIVE_INFINITY }: CapacityOptions) {
    this.#clock = clock;
    this.#callsPerApiKey = callsPerApiKey;
  }

  /** How many more calls of carriers and WebSockets can be created now: see `availableTo`. */
  get available(): number {
    return this.availableTo("media");
  }

  /**
   * How many more calls can be created now that workers of this role carry. Negative when slots in use were lost with a
   * worker or because its loop lags.
   */
  availableTo(role: WorkerRole): number {
    const { max, active, reserved } = this.usageOf(role);
    return max - active - reserved;
  }

  /** The slots that connected workers offer in their present state, and how many are in use. */
  get usage(): SlotUsage {
    const [media, webrtc] = [this.usageOf("media"), this.usageOf("webrtc")];
    return {
      max: media.max + webrtc.max,
      active: media.active + webrtc.active,
      reserved: media.reserved + webrtc.reserved,
    };
  }

  /** As `usage`, of the workers of one role. */
  usageOf(role: WorkerRole): SlotUsage {
    this.#dropExpired();
    let max = 0;
    let active = 0;
    for (const worker of this.#workers.values()) {
      if ((worker.load.role ?? "media") !== role) continue;
      max += this.#capacityOf(worker);
      active += worker.callCount;
    }
    return { max, active, reserved: this.#reserved[role] };
  }

  /** The workers that are connected, with the load that they have reported last. */
  get workers(): readonly { id: WorkerId; load: WorkerLoad }[] {
    return [...this.#workers].map(([id, { load }]) => ({ id, load }));
  }

  /** How many calls of an API key there are, created or active. */
  callsOf(apiKeyId: ApiKeyId): number {
    this.#dropExpired();
    return this.#callsByApiKey.get(apiKeyId) ?? 0;
  }

  /** How many calls of an account there are, created or active. */
  callsOfAccount(accountId: AccountId): number {
    this.#dropExpired();
    return this.#callsByAccount.get(accountId) ?? 0;
  }

  /**
   * Reserves a slot for a call that is about to be stored, if one is free. `name` identifies the call until it has an
   * id. `callsPerAccount` is how many calls its account may have at once, and `role` that of the workers that can carry
   * it.
   */
  reserve(
    name: string,
    owner: CallOwner,
    callsPerAccount = Number.POSITIVE_INFINITY,
    role: WorkerRole = "media",
  ): Extract<AdmissionRefusal, "overloaded" | "api_key_calls" | "account_calls"> | undefined {
    const { accountId, apiKeyId } = owner;
    if (apiKeyId !== undefined && this.callsOf(apiKeyId) >= this.#callsPerApiKey) return "api_key_calls";
    if (accountId !== undefined && this.callsOfAccount(accountId) >= callsPerAccount) return "account_calls";
    if (this.availableTo(role) <= 0) return "overloaded";
    this.#addWaiting(name, { owner, role }, Number.POSITIVE_INFINITY);
    return undefined;
  }

  /**
   * As `reserve`, for a telephone call that is about to be dialled, or comes in. It keeps its slot without a token, until a worker
   * carries it or it is over; a call that has one already keeps it.
   */
  hold(callId: CallId, owner: CallOwner, callsPerAccount?: number): ReturnType<Capacity["reserve"]> {
    if (this.#slots.has(callId)) return undefined;
    return this.reserve(callId, owner, callsPerAccount);
  }

  /** The call with the reservation `name` is stored and waits this long for its stream. */
  created(name: string, callId: CallId, remainingMs: number): void {
    const { owner = {}, role = "media" } = this.#slots.get(name) ?? {};
    this.release(name);
    this.#addWaiting(callId, { owner, role }, remainingMs);
  }

  /** A redemption was returned: the call waits for its stream again. */
  returned(callId: CallId, remainingMs: number): void {
    this.created(callId, callId, remainingMs);
  }

  /** A worker has redeemed the call's token. */
  assign(callId: CallId, workerId: WorkerId): void {
    const { owner = {}, role = "media" } = this.#slots.get(callId) ?? {};
    this.release(callId);
    this.#add(callId, { owner, role, workerId });
  }

  /** The calls that workers carry, or carried when they were lost, and these workers. */
  get carriedCalls(): ReadonlyMap<CallId, WorkerId> {
    return new Map(
      [...this.#slots].flatMap(([name, { workerId }]) => (workerId === undefined ? [] : [[name as CallId, workerId]])),
    );
  }

  /** The call, by its id or the name of its reservation, is over or was never created. Without a slot it is ignored. */
  release(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    if (this.#expiries.delete(name)) this.#reserved[slot.role] -= 1;
    this.#count(slot, -1);
  }

  /**
   * Frees the slots of telephone calls that the store does not know as pending at this node any more: in a cluster another node may have
   * handled the end of one. One that was taken just now is not stored yet, so it is freed only when it was missing before, too.
   */
  compareHeld(pending: ReadonlySet<CallId>): void {
    const missing = new Set<string>();
    for (const [name, expiresAtMs] of this.#expiries) {
      const isHeld = !Number.isFinite(Number(expiresAtMs));
      if (!isHeld || pending.has(name as CallId)) continue;
      if (this.#missing.has(name)) this.release(name);
      else missing.add(name);
    }
    this.#missing = missing;
  }

  /** Starts from the calls in the store, before any other event. `held`: telephone calls that have a slot without a stream. */
  restore(
    waiting: readonly WaitingCall[],
    active: readonly ActiveCall[],
    held: readonly ({ callId: CallId } & CallOwner)[] = [],
  ): void {
    for (const { callId, accountId, apiKeyId } of held)
      this.#addWaiting(callId, { owner: { accountId, apiKeyId }, role: "media" }, Number.POSITIVE_INFINITY);
    for (const { id, remainingMs, connectionType, ...owner } of waiting)
      this.#addWaiting(id, { owner, role: roleOf(connectionType) }, remainingMs);
    // Where they count is their workers' matter.
    for (const { id, accountId, apiKeyId, workerId } of active)
      this.#add(id, { owner: { accountId, apiKeyId }, role: "media", workerId });
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
    if (load.loopLagMs > loopLagMsMaxOf(load.role ?? "media")) worker.laggedMs = worker.reportedMs;
  }

  /**
   * A worker disconnected and its slots are gone. Its calls still count for their API keys and accounts until they have
   * their records.
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

  #addWaiting(name: string, { owner, role }: Pick<Slot, "owner" | "role">, remainingMs: number): void {
    const expiresAtMs = addMs(this.#clock.nowMs(), remainingMs);
    this.#add(name, { owner, role, workerId: undefined });
    this.#reserved[role] += 1;
    this.#expiries.set(name, expiresAtMs);
    this.#nextExpiryMs = earliest(this.#nextExpiryMs, expiresAtMs);
  }

  #add(name: string, slot: Slot): void {
    this.#slots.set(name, slot);
    this.#count(slot, 1);
  }

  #count({ owner: { accountId, apiKeyId }, workerId }: Slot, by: 1 | -1): void {
    const worker = workerId === undefined ? undefined : this.#workers.get(workerId);
    if (worker !== undefined) worker.callCount += by;
    addTo(this.#callsByApiKey, apiKeyId, by);
    addTo(this.#callsByAccount, accountId, by);
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

/** Adds to the count of an id; those that are 0 are not held. */
function addTo<Id>(counts: Map<Id, number>, id: Id | undefined, by: 1 | -1): void {
  if (id === undefined) return;
  const count = (counts.get(id) ?? 0) + by;
  if (count === 0) counts.delete(id);
  else counts.set(id, count);
}
