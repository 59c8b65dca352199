import { codeOf } from "../../../core/errors.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { CallFinalizer } from "../../../record/finalization/finalizer.ts";
import type { LostCallRecovery } from "../../../record/finalization/lost-call-recovery.ts";
import type { LostCommits } from "../../../record/finalization/lost-commits.ts";
import type { AccountSpendTotals } from "../../../store/admission/account-spend.ts";
import type { Capacity } from "../../../store/admission/capacity.ts";
import type { CallStore } from "../../../store/calls/call-store.ts";
import type { EndRequests } from "../../../store/handoff/end-requests.ts";
import type { HandoffHandlers, HandoffThreadClient } from "../../../store/handoff/thread-client.ts";
import type { PhoneCalls } from "../../../telephony/phone-calls.ts";
import type { LiveActivity } from "./live-activity.ts";
import type { LiveHolds } from "./live-holds.ts";

export interface HandoffEventsOptions {
  capacity: Pick<
    Capacity,
    "assign" | "returned" | "workerConnected" | "loadReported" | "workerDisconnected" | "release"
  >;
  lostCommits: Pick<LostCommits, "begun" | "returned" | "ended">;
  lostCalls: Pick<LostCallRecovery, "workerConnected" | "ignoreWorker" | "workerDisconnected">;
  accountTotals: Pick<AccountSpendTotals, "reported" | "allOverLimit" | "workerDisconnected">;
  handoff: Pick<HandoffThreadClient, "sendAccountsOverLimit">;
  endRequests: Pick<EndRequests, "redemptionReturned">;
  finalizer: Pick<CallFinalizer, "finalize">;
  calls: Pick<CallStore, "setCarrierCallId">;
  /** Undefined where the service manages no telephone calls. */
  phoneCalls: Pick<PhoneCalls, "phoneRequested" | "mediaChanged"> | undefined;
  activity: Pick<LiveActivity, "reported">;
  holds: Pick<LiveHolds, "reported" | "ended" | "workerDisconnected">;
  /** A worker accepts calls; called again for every further report of such a worker. */
  onWorkerAccepting: () => void;
  log: Logger;
}

/** Passes each event of the workers' socket to the parts of the control process that it concerns. */
export function handoffEvents(options: HandoffEventsOptions): HandoffHandlers {
  const { capacity, lostCalls, accountTotals, handoff, endRequests, finalizer, calls, onWorkerAccepting, log } =
    options;
  const { phoneCalls, holds, lostCommits } = options;
  return {
    onRedeemed(callId, workerId, mediaKey) {
      capacity.assign(callId, workerId);
      lostCommits.begun(callId, workerId, mediaKey);
    },
    onReturned({ callId, remainingMs }) {
      lostCommits.returned(callId);
      capacity.returned(callId, remainingMs);
      void endRequests.redemptionReturned(callId);
    },
    onWorkerConnected(workerId, connection, callIds, load) {
      capacity.workerConnected(workerId, callIds, load);
      lostCalls.workerConnected(workerId, connection, callIds);
      if (load.acceptsCalls) onWorkerAccepting();
    },
    onIncompatibleWorker: (workerId) => lostCalls.ignoreWorker(workerId),
    onLoadReported(workerId, load) {
      capacity.loadReported(workerId, load);
      if (load.acceptsCalls) onWorkerAccepting();
    },
    onSpendReported(workerId, spends, all) {
      accountTotals.reported(workerId, spends, all);
      handoff.sendAccountsOverLimit(accountTotals.allOverLimit());
    },
    onWorkerDisconnected(workerId, connection) {
      capacity.workerDisconnected(workerId);
      accountTotals.workerDisconnected(workerId);
      holds.workerDisconnected(workerId);
      lostCalls.workerDisconnected(workerId, connection);
    },
    onStreamStarted(callId, carrierCallId) {
      // The journal holds the id too, so the record has it in any case.
      calls.setCarrierCallId(callId, carrierCallId).catch((error: unknown) => {
        log.warn({ callId, code: codeOf(error) }, "carrier call id could not be stored yet");
      });
    },
    onPhoneRequest: (callId, workerId, request) => phoneCalls?.phoneRequested(callId, workerId, request),
    onMedia: (_, { callId, state }) => phoneCalls?.mediaChanged(callId, state),
    onHold: (workerId, report) => holds.reported(workerId, report),
    onActivity: (calls) => options.activity.reported(calls),
    onEnded(callId, end) {
      holds.ended(callId);
      capacity.release(callId);
      lostCommits.ended(callId, end);
      finalizer.finalize(callId, end);
    },
  };
}
