import type { CallAcceptance } from "../../api/http/health.ts";
import { RECORDS_WAITING_MAX } from "../../core/limits/storage/storage.ts";

/** The state that decides whether the service accepts new calls; each is read at every decision. */
export interface AdmissionOptions {
  isDatabaseLost: () => boolean;
  isDiskLow: () => boolean;
  /** How many workers are connected. */
  workerCount: () => number;
  isRendererFailing: () => boolean;
  /** Ended calls whose records are not made yet. */
  recordsWaiting: () => number;
  /** How many more calls the workers have capacity for. */
  freeSlots: () => number;
}

/** Decides whether the service accepts new calls, and names the first reason why it does not. */
export class Admission {
  readonly #options: AdmissionOptions;
  #isDraining = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Refuses all new calls from now on. */
  drain(): void {
    this.#isDraining = true;
  }

  get newCalls(): CallAcceptance {
    const { isDatabaseLost, isDiskLow, workerCount, isRendererFailing, recordsWaiting, freeSlots } = this.#options;
    if (this.#isDraining) return { accepted: false, reason: "draining" };
    if (isDatabaseLost()) return { accepted: false, reason: "database_lost" };
    if (isDiskLow()) return { accepted: false, reason: "insufficient_storage" };
    if (workerCount() === 0 || isRendererFailing()) return { accepted: false, reason: "unavailable" };
    if (recordsWaiting() >= RECORDS_WAITING_MAX) return { accepted: false, reason: "overloaded" };
    return freeSlots() > 0 ? { accepted: true } : { accepted: false, reason: "overloaded" };
  }
}
