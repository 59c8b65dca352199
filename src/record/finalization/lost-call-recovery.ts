import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ActiveCall, CallStore } from "../../store/call-store.ts";
import type { CallFinalizer } from "./finalizer.ts";

/** After a start, workers that live have this long to say which calls they carry; the rest is recovered. */
export const WORKER_REGISTRATION_MS = 3_000;
/** A connection may break where the worker lives: it comes back within this time, and tells what it carries. */
export const WORKER_RECONNECT_MS = 500;
const RETRY_MS = 1_000;

export interface LostCallRecoveryOptions {
  calls: Pick<CallStore, "listActive">;
  finalizer: Pick<CallFinalizer, "finalizeLost">;
  workers: {
    /** Whether the worker is there, as far as has been told. */
    has(workerId: string): boolean;
    /** Resolves when everything that has happened at the workers' socket until now has been told. */
    caughtUp(): Promise<void>;
  };
  /** The number of this start of the control process. */
  epoch: number;
  /** A worker did not come back. */
  onWorkerLost: (workerId: string) => void;
  clock: Clock;
  log: Logger;
}

/**
 * Finds the active calls whose workers are gone, and has them recorded. It compares the numbers of starts and connections, never times,
 * so that no step of a clock keeps a lost call alive, or ends one that lives; and it judges whether a worker is gone only when
 * everything that happened before has been told, however long this process's loop was held.
 */
export class LostCallRecovery {
  readonly #options: LostCallRecoveryOptions;
  /** Workers that have been here since this process began. */
  readonly #seenWorkers = new Set<string>();

  constructor(options: LostCallRecoveryOptions) {
    this.#options = options;
  }

  /** Call it when workers can connect. */
  start(): void {
    const { clock, epoch } = this.#options;
    const isLost = (call: ActiveCall): boolean => call.epoch < epoch && !this.#seenWorkers.has(call.workerId);
    clock.after(WORKER_REGISTRATION_MS, () => void this.#recoverUnseen(isLost));
  }

  async #recoverUnseen(isLost: (call: ActiveCall) => boolean): Promise<void> {
    await this.#options.workers.caughtUp();
    await this.#recover(isLost);
  }

  /** A worker lives with calls that nobody here is told of: they are left to it, and to the next start. */
  ignoreWorker(workerId: string): void {
    this.#seenWorkers.add(workerId);
  }

  /** A worker is there, first or again, with these calls. What came of its connection itself it could not list yet. */
  workerConnected(workerId: string, connection: number, callIds: readonly string[]): void {
    this.#seenWorkers.add(workerId);
    void this.#recover((call) => call.workerConnection < connection && !callIds.includes(call.id), workerId);
  }

  workerDisconnected(workerId: string, connection: number): void {
    this.#options.clock.after(WORKER_RECONNECT_MS, () => void this.#recoverAfterDisconnect(workerId, connection));
  }

  async #recoverAfterDisconnect(workerId: string, connection: number): Promise<void> {
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
   * No worker of this service is left to carry a call; those of a service before it, whose supervisor is gone, may be. What the store
   * cannot tell now is recovered at the next start.
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
   * Records those calls, of one worker or of all, that are lost. When the store cannot say which calls there are, it is asked again
   * later, unless `holds` has become false by then.
   */
  async #recover(isLost: (call: ActiveCall) => boolean, workerId?: string, holds = () => true): Promise<void> {
    const { calls, finalizer, clock, log } = this.#options;
    if (!holds()) return;
    try {
      for (const call of await calls.listActive(workerId))
        if (isLost(call)) finalizer.finalizeLost(call, () => holds());
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "search for lost calls failed");
      clock.after(RETRY_MS, () => void this.#recover(isLost, workerId, holds));
    }
  }
}
