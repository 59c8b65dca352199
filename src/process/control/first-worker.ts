import type { Clock } from "../../core/clock.ts";
import { WORKER_REGISTRATION_MS } from "../../record/finalization/lost-call-recovery.ts";

/** Waits until calls can be carried. */
export interface FirstWorker {
  /** A worker accepts calls; called again for each of its reports. */
  accepting: () => void;
  /** Resolves when a worker accepts calls, or when all workers of an earlier start have had time to connect. */
  ready: Promise<void>;
}

export function firstWorker(clock: Pick<Clock, "after">): FirstWorker {
  let accepting = (): void => {};
  const ready = new Promise<void>((resolve) => {
    accepting = resolve;
    clock.after(WORKER_REGISTRATION_MS, resolve);
  });
  return { accepting, ready };
}
