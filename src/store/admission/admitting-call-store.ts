import type { CallStore } from "../call-store.ts";
import type { Capacity } from "./capacity.ts";

/** Call store that admits each new call to a slot, and creates none where no slot is free. */
export function admittingCallStore(calls: CallStore, capacity: Capacity): CallStore {
  return {
    async create(call, admit) {
      const { tokenHash, tokenTtlMs, apiKeyId } = call;
      try {
        const creation = await calls.create(call, () => admit?.() ?? capacity.reserve(tokenHash, apiKeyId));
        if (creation.kind === "created") {
          capacity.created(tokenHash, creation.call.id, tokenTtlMs);
        }
        return creation;
      } finally {
        // The reservation of a call that could not be stored.
        capacity.release(tokenHash);
      }
    },
    async cancel(accountId, callId) {
      const found = await calls.cancel(accountId, callId);
      if (found?.cancelled) capacity.release(callId);
      return found;
    },
    async remove(accountId, callId) {
      const removed = await calls.remove(accountId, callId);
      if (removed) capacity.release(callId);
      return removed;
    },
    async finish(callId, end, redemption) {
      const first = await calls.finish(callId, end, redemption);
      if (first) capacity.release(callId);
      return first;
    },
    async expire() {
      const callIds = await calls.expire();
      for (const callId of callIds) capacity.release(callId);
      return callIds;
    },
    get: (accountId, callId) => calls.get(accountId, callId),
    list: (accountId, query) => calls.list(accountId, query),
    transcript: (accountId, callId, range) => calls.transcript(accountId, callId, range),
    listWaiting: () => calls.listWaiting(),
    listActive: (workerId) => calls.listActive(workerId),
    setCarrierCallId: (callId, carrierCallId) => calls.setCarrierCallId(callId, carrierCallId),
  };
}
