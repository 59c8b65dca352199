import type { ControlMetrics } from "../core/metrics/control-metrics.ts";
import type { CallStore } from "./call-store.ts";

/** Call store that counts each call that is created and each that is over in the metrics. */
export function meteredCallStore(
  calls: CallStore,
  metrics: Pick<ControlMetrics, "callCreated" | "callRecorded">,
): CallStore {
  return {
    async create(call, admit) {
      const creation = await calls.create(call, admit);
      if (creation.kind === "created") metrics.callCreated(call.spec.connectionType);
      return creation;
    },
    async cancel(accountId, callId) {
      const found = await calls.cancel(accountId, callId);
      if (found?.cancelled) metrics.callRecorded("ended", "api_hangup");
      return found;
    },
    async finish(callId, end, redemption) {
      const first = await calls.finish(callId, end, redemption);
      if (first) metrics.callRecorded(end.status, end.endReason);
      return first;
    },
    async expire() {
      const callIds = await calls.expire();
      for (const _ of callIds) metrics.callRecorded("expired", "token_expired");
      return callIds;
    },
    get: (accountId, callId) => calls.get(accountId, callId),
    list: (accountId, query) => calls.list(accountId, query),
    transcript: (accountId, callId, range) => calls.transcript(accountId, callId, range),
    listWaiting: () => calls.listWaiting(),
    listActive: (workerId) => calls.listActive(workerId),
    setCarrierCallId: (callId, carrierCallId) => calls.setCarrierCallId(callId, carrierCallId),
    remove: (accountId, callId) => calls.remove(accountId, callId),
  };
}
