import type { Clock } from "../../core/clock.ts";
import { WORKER_REGISTRATION_MS } from "../../record/finalization/lost-call-recovery.ts";

/** The first worker of this start that accepts calls. */
export interface FirstWorker {
  /** A worker accepts calls; called again for each of its reports. */
  accepting: () => void;
  /** Resolves when a worker accepts calls, or when all workers of an earlier start have had time to connect. */
  ready: Promise<void>;
}

/** Begins to wait for a worker. */
export function awaitFirstWorker(clock: Pick<Clock, "after">): FirstWorker {
  let accepting = (): void => {};
  const ready = new Promise<void>((resolve) => {
    accepting = resolve;
    clock.after(WORKER_REGISTRATION_MS, resolve);
  });
  return { accepting, ready };
}
