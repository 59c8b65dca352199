import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ActiveCall, CallStore } from "../../store/calls/call-store.ts";
import type { CallFinalizer } from "./finalizer.ts";

/** How long workers that may run have after a start to report their calls. All other calls are recovered. */
export const WORKER_REGISTRATION_MS = 3_000;
/** How long a worker whose connection broke has to reconnect and report its calls. */
export const WORKER_RECONNECT_MS = 500;
const RETRY_MS = 1_000;
/** How often a worker is asked to end a call that came back: it may be reconnecting, or slow to end it. */
const RETURNED_END_TRIES = 6;

export interface LostCallRecoveryOptions {
  calls: Pick<CallStore, "listActive">;
  finalizer: Pick<CallFinalizer, "finalizeLost">;
  workers: {
    /** Whether the worker is connected, as far as events have been delivered. */
    has(workerId: WorkerId): boolean;
    /** Resolves when all earlier events of the workers' socket have been delivered. */
    caughtUp(): Promise<void>;
  };
  /** The number of this start of the control process. */
  epoch: number;
  /** No worker of a start before this one is left. */
  earlierWorkersAreGone: boolean;
  /** Requests a worker to end a call; nothing happens where it has none of that id. */
  endCall: (workerId: WorkerId, callId: CallId) => void;
  /** A worker did not reconnect in time. */
  onWorkerLost: (workerId: WorkerId) => void;
  clock: Clock;
  log: Logger;
}

/**
 * Finds active calls whose workers are gone and finalizes them. It compares the numbers of starts and connections,
 * never times, so that a clock step neither keeps a lost call active nor ends a live one. It decides that a worker is
 * gone only after all earlier events have been delivered, however long this process's event loop was blocked.
 */
export class LostCallRecovery {
  readonly #options: LostCallRecoveryOptions;
  /** Workers that have connected since this process started. */
  readonly #seenWorkers = new Set<WorkerId>();

  constructor(options: LostCallRecoveryOptions) {
    this.#options = options;
  }

  /** Call this when workers can connect. */
  start(): void {
    const { clock, epoch, earlierWorkersAreGone } = this.#options;
    const isLost = (call: ActiveCall): boolean => call.epoch < epoch && !this.#seenWorkers.has(call.workerId);
    clock.after(earlierWorkersAreGone ? 0 : WORKER_REGISTRATION_MS, () => void this.#recoverUnseen(isLost));
  }

  async #recoverUnseen(isLost: (call: ActiveCall) => boolean): Promise<void> {
    await this.#options.workers.caughtUp();
    await this.#recover(isLost);
  }

  /**
   * An incompatible worker is alive with calls that this process cannot know. They stay with it until the next start.
   */
  ignoreWorker(workerId: WorkerId): void {
    this.#seenWorkers.add(workerId);
  }

  /**
   * A worker connected or reconnected with these calls. Calls that were redeemed over this very connection cannot be in
   * its list.
   */
  workerConnected(workerId: WorkerId, connection: number, callIds: readonly CallId[]): void {
    this.#seenWorkers.add(workerId);
    void this.#recover((call) => call.workerConnection < connection && !callIds.includes(call.id), workerId);
  }

  workerDisconnected(workerId: WorkerId, connection: number): void {
    this.#options.clock.after(WORKER_RECONNECT_MS, () => void this.#recoverAfterDisconnect(workerId, connection));
  }

  async #recoverAfterDisconnect(workerId: WorkerId, connection: number): Promise<void> {
    const { workers, onWorkerLost } = this.#options;
    await workers.caughtUp();
    if (workers.has(workerId)) return;
    onWorkerLost(workerId);
    await this.#recover(
      (call) => call.workerConnection <= connection,
      workerId,
      () => !workers.has(workerId),
    );
  }

  /**
   * These calls of a node that is gone are this node's. None of its workers carries them, unless they come back: other nodes had taken them
   * from this one, and are gone by now. A worker that carries such a call still ends it, and then it is recorded. Never rejects.
   */
  async recoverTaken(taken: ReadonlySet<CallId>): Promise<void> {
    const { workers } = this.#options;
    const isBack = ({ id, workerId }: ActiveCall): boolean => taken.has(id) && this.#seenWorkers.has(workerId);
    await workers.caughtUp();
    await this.#recover(({ id, workerId }) => taken.has(id) && !this.#seenWorkers.has(workerId));
    await this.#endReturned(isBack, RETURNED_END_TRIES);
  }

  /** The end that a worker reports finalizes a call. Those that no worker ends have none, and are lost. */
  async #endReturned(isBack: (call: ActiveCall) => boolean, triesLeft: number): Promise<void> {
    const { endCall, clock } = this.#options;
    if (triesLeft === 0) {
      await this.#recover(isBack);
      return;
    }
    const back = (await this.#listActive())?.filter(isBack);
    if (back?.length === 0) return;
    for (const { id, workerId } of back ?? []) endCall(workerId, id);
    const nextTries = back === undefined ? triesLeft : triesLeft - 1;
    clock.after(WORKER_RECONNECT_MS, () => void this.#endReturned(isBack, nextTries));
  }

  /**
   * No worker of this supervisor is left to carry a call, but workers of an earlier supervisor that died may be. Calls
   * that the store cannot list now are recovered at the next start.
   */
  async recoverAll(): Promise<void> {
    const { calls, finalizer, workers, log } = this.#options;
    await workers.caughtUp();
    try {
      for (const call of await calls.listActive()) if (!workers.has(call.workerId)) finalizer.finalizeLost(call);
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "search for lost calls failed");
    }
  }

  /**
   * Finalizes the lost calls of one worker or of all. If the store cannot list calls, this retries later unless `holds`
   * returns false by then.
   */
  async #recover(isLost: (call: ActiveCall) => boolean, workerId?: WorkerId, holds = () => true): Promise<void> {
    const { finalizer, clock } = this.#options;
    if (!holds()) return;
    const active = await this.#listActive(workerId);
    if (active === undefined) clock.after(RETRY_MS, () => void this.#recover(isLost, workerId, holds));
    for (const call of active ?? []) if (isLost(call)) finalizer.finalizeLost(call, () => holds());
  }

  /** Undefined where the store cannot say it at present. */
  async #listActive(workerId?: WorkerId): Promise<readonly ActiveCall[] | undefined> {
    const { calls, log } = this.#options;
    try {
      return await calls.listActive(workerId);
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "search for lost calls failed");
      return undefined;
    }
  }
}
