import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { CallEvent } from "./call-store.ts";

/** Counts each call that is created and each that is over. */
export const countCalls =
  (metrics: Pick<ControlMetrics, "callCreated" | "callRecorded">) =>
  (event: CallEvent): void => {
    if (event.kind === "created") metrics.callCreated(event.call.spec.connectionType);
    if (event.kind === "phone-created") metrics.callCreated(event.spec.connectionType);
    if (event.kind === "ended") metrics.callRecorded(event.status, event.endReason);
  };
