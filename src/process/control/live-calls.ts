import { carrierOf } from "../../carriers/list.ts";
import { serviceUrlOf } from "../../config/network/addresses.ts";
import type { CarrierType } from "../../core/calls/spec.ts";
import type { CallId } from "../../core/ids.ts";
import { MetricsAggregator } from "../../core/metrics/aggregation.ts";
import { LostCallRecovery } from "../../record/finalization/lost-call-recovery.ts";
import { LostCommits } from "../../record/finalization/lost-commits.ts";
import { journalFileOf, journalHeaderOf } from "../../record/journal/reader.ts";
import { EndRequests } from "../../store/handoff/end-requests.ts";
import type { HandoffHandlers } from "../../store/handoff/thread-client.ts";
import { CarrierAccounts } from "../../telephony/carrier-accounts.ts";
import { isOnThisMachine } from "../../telephony/emulated.ts";
import { HttpCarrierClient } from "../../telephony/http-client.ts";
import { type CallsOfNodes, callsOfNodes } from "./calls/calls-of-nodes.ts";
import { handoffEvents } from "./calls/handoff-events.ts";
import { LiveActivity } from "./calls/live-activity.ts";
import { LiveHolds } from "./calls/live-holds.ts";
import { type Telephony, telephony } from "./calls/telephony.ts";
import type { Foundation } from "./foundation.ts";
import type { Records } from "./records.ts";
import { TranscriptionActivity } from "./transcriptions/transcription-activity.ts";

/** The calls that are in progress: at the workers of this node, at those of other nodes, and at carriers. */
export interface LiveCallsOfService {
  calls: CallsOfNodes;
  carrierAccounts: CarrierAccounts;
  /** Undefined where carriers know no address of the service. */
  phone: Telephony | undefined;
  lostCalls: LostCallRecovery;
  workersMetrics: MetricsAggregator;
  /** What this node is transcribing. */
  transcriptionActivity: TranscriptionActivity;
  /** Called for each report of the workers. */
  handoffHandlers: HandoffHandlers;
  /** A call has its record. */
  finalized(callId: CallId): void;
}

/** `onWorkerAccepting` is called for each report of a worker that accepts calls. */
export function liveCallsOf(base: Foundation, records: Records, onWorkerAccepting: () => void): LiveCallsOfService {
  const { handoff, stores, cluster, capacity, accountTotals, clock, log } = base;
  const { finalizer } = records;
  const endRequests = new EndRequests({
    calls: stores.calls,
    endCall: (workerId, callId) => handoff.endCall(workerId, callId, "api_hangup"),
    clock,
    log,
  });
  const activity = new LiveActivity(handoff);
  const transcriptionActivity = new TranscriptionActivity(clock);
  const nodeParts = { endRequests, activity, transcriptionActivity, phone: () => phone };
  const calls = callsKnownTo(base, records, nodeParts);
  const { carrierAccounts, phone } = phoneCallsOf(base, calls);
  const workersMetrics = new MetricsAggregator();
  const lostCalls = new LostCallRecovery({
    calls: stores.calls,
    finalizer,
    workers: handoff,
    epoch: base.epoch,
    earlierWorkersAreGone: base.assignment.earlierWorkersAreGone,
    endCall: (workerId, callId) => handoff.endCall(workerId, callId, "worker_lost"),
    onWorkerLost: (workerId) => workersMetrics.workerLost(workerId),
    clock,
    log,
  });
  const lostCommits = lostCommitsOf(base, records);
  const handlers = handoffEvents({
    phoneCalls: phone?.phoneCalls,
    activity,
    holds: calls.holds,
    capacity,
    lostCommits,
    lostCalls,
    accountTotals,
    handoff,
    endRequests,
    finalizer,
    calls: stores.calls,
    onWorkerAccepting,
    log,
  });
  return {
    calls,
    carrierAccounts,
    phone,
    lostCalls,
    workersMetrics,
    transcriptionActivity,
    handoffHandlers: cluster?.following(handlers) ?? handlers,
    finalized(callId) {
      endRequests.callEnded(callId);
      lostCommits.recorded(callId);
      handoff.acknowledge(callId);
    },
  };
}

interface NodeParts {
  endRequests: EndRequests;
  activity: LiveActivity;
  transcriptionActivity: TranscriptionActivity;
  phone: () => Telephony | undefined;
}

function callsKnownTo(base: Foundation, { events }: Records, parts: NodeParts): CallsOfNodes {
  const { config, cluster, handoff, accountTotals, keys, metrics, clock, log } = base;
  const { endRequests, activity, transcriptionActivity, phone } = parts;
  const { databaseUrl } = config;
  return callsOfNodes({
    cluster: cluster && databaseUrl !== undefined ? { ...cluster.holder, databaseUrl } : undefined,
    liveCalls: {
      endCall: (workerId, call) => endRequests.request(workerId, call),
      requestLive: (workerId, callId, request) => handoff.requestLive(workerId, callId, request),
      listenAddress: (workerId, callId) => handoff.listenAddress(workerId, callId),
      phoneUpdate: (workerId, callId, update) => handoff.phoneUpdate(workerId, callId, update),
      resumeAddress: (workerId, callId, connect) => handoff.resumeAddress(workerId, callId, connect),
      requestPhone: async (callId, request, hangUpReason) => phone()?.phoneCalls.request(callId, request, hangUpReason),
      callEvents: (callId, from, limit) => events.page(callId, from, limit),
    },
    holds: new LiveHolds(),
    activity,
    transcriptionActivity,
    hasWorker: (workerId) => handoff.has(workerId),
    spends: accountTotals,
    onSpendChanged: () => handoff.sendAccountsOverLimit(accountTotals.allOverLimit()),
    keys,
    metrics,
    clock,
    log,
  });
}

function phoneCallsOf(base: Foundation, calls: CallsOfNodes): Pick<LiveCallsOfService, "carrierAccounts" | "phone"> {
  const { config, stores, carriers, keys, capacity, cluster, signer, metrics, clock, log } = base;
  const apiUrls: Readonly<Partial<Record<CarrierType, string>>> = config.carrierApiUrls;
  const client = new HttpCarrierClient({
    apiUrls,
    clock,
    log,
    onAnswer: (carrier, operation, outcome) => metrics.carrierAsked(carrier, operation, outcome),
  });
  const publicUrl = serviceUrlOf(config.publicApiUrls);
  const carrierAccounts = new CarrierAccounts({
    client,
    telephonyOf: (carrier) => carrierOf(carrier)?.telephony,
    numbers: stores.phoneNumbers,
    publicUrl,
    isEmulated(carrier) {
      const url = apiUrls[carrier];
      return !config.isProduction && url !== undefined && isOnThisMachine(url);
    },
  });
  if (publicUrl === undefined) return { carrierAccounts, phone: undefined };
  const phone = telephony({
    stores,
    carriers,
    keys,
    capacity,
    workers: calls.liveCalls,
    client,
    mediaUrls: base.assignment.mediaUrls,
    mintToken: () => signer.mint(),
    isShared: cluster !== undefined,
    publicUrl,
    clock,
    log,
  });
  return { carrierAccounts, phone };
}

function lostCommitsOf(base: Foundation, { finalizer }: Records): LostCommits {
  const { config, stores, mediaKeys, handoff, epoch, clock, log } = base;
  const lostCommits = new LostCommits({
    calls: stores.calls,
    mediaKeys,
    finalizer,
    workers: handoff,
    headerOf: async (callId, key) => await journalHeaderOf(journalFileOf(config.dataDir, callId, key)),
    endCall: (workerId, callId) => handoff.endCall(workerId, callId, "worker_lost"),
    isDatabaseLost: () => stores.isDatabaseLost(),
    epoch,
    clock,
    log,
  });
  stores.onServerChanged((answeredMs) => void lostCommits.compare(answeredMs));
  return lostCommits;
}
