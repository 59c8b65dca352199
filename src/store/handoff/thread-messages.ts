import type { AccountOverLimit, AccountSpend } from "../../core/billing/spend.ts";
import type { CallActivity } from "../../core/calls/activity.ts";
import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { CallId, CarrierCallId, WorkerId } from "../../core/ids.ts";
import type { LogLevel } from "../../core/log/logger.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { RelayNode } from "../../core/network/node-tags.ts";
import type { EndSummary, HoldReport, MediaReport } from "../call-handoff.ts";
import type { CallPrompts } from "../calls/call-store.ts";
import type { NodeHolder } from "../cluster/node-store.ts";
import type { StorePlace } from "../open-stores.ts";
import type { ReturnedCall } from "../redemptions.ts";
import type { SealingKey } from "../sealing/seal.ts";
import type { WorkerLoad } from "./messages.ts";

/** The configuration of the handoff thread. */
export interface HandoffThreadOptions {
  place: StorePlace;
  /** The path of the workers' Unix socket. */
  socketPath: string;
  /** The number of this start of the control process. */
  epoch: number;
  /** Who redeems in a cluster. */
  holder?: NodeHolder | undefined;
  /** The boot id of the AgeClock that the control process's stores use. */
  bootId: string;
  tokenKeys: readonly string[];
  /** The secrets keys, the current one first. */
  secretsKeys: readonly [SealingKey, ...SealingKey[]];
  encryptMedia: boolean;
  logLevel: LogLevel;
}

/** Messages from the control process to its handoff thread. */
export type ToHandoffThread =
  /** Always the first message. */
  | { kind: "serve"; options: HandoffThreadOptions }
  | { kind: "token-keys"; keys: readonly string[] }
  | { kind: "acknowledge"; callId: CallId }
  | { kind: "end-call"; workerId: WorkerId; callId: CallId; reason: EndReason }
  /** The answers to these four carry the same `id`. */
  | { kind: "phone-update"; id: number; workerId: WorkerId; callId: CallId; update: PhoneUpdate }
  | { kind: "live-request"; id: number; workerId: WorkerId; callId: CallId; request: LiveRequest }
  | { kind: "resume-address"; id: number; workerId: WorkerId; callId: CallId; connect?: number | undefined }
  | { kind: "listen-address"; id: number; workerId: WorkerId; callId: CallId }
  | { kind: "watch-activity"; isOn: boolean }
  | { kind: "accounts-over-limit"; accounts: readonly AccountOverLimit[] }
  | { kind: "relay-nodes"; nodes: readonly RelayNode[] }
  | { kind: "metrics"; id: number; timeoutMs: number }
  /** The answer carries the same `id`. */
  | { kind: "ping"; id: number }
  | { kind: "close" };

/** Messages from the handoff thread to the control process, in the order of the events. */
export type FromHandoffThread =
  | { kind: "listening" }
  | { kind: "redeemed"; callId: CallId; workerId: WorkerId; mediaKey: string | undefined }
  | { kind: "returned"; call: ReturnedCall }
  | { kind: "worker-connected"; workerId: WorkerId; connection: number; callIds: readonly CallId[]; load: WorkerLoad }
  | { kind: "load-reported"; workerId: WorkerId; load: WorkerLoad }
  | { kind: "spend-reported"; workerId: WorkerId; spends: readonly AccountSpend[]; all: boolean }
  | { kind: "incompatible-worker"; workerId: WorkerId }
  | { kind: "worker-disconnected"; workerId: WorkerId; connection: number }
  | { kind: "stream-started"; callId: CallId; carrierCallId: CarrierCallId }
  | { kind: "phone-request"; callId: CallId; workerId: WorkerId; request: PhoneRequest }
  | { kind: "media"; workerId: WorkerId; report: MediaReport }
  | { kind: "hold"; workerId: WorkerId; report: HoldReport }
  | { kind: "phone-updated"; id: number; isTaken: boolean }
  | { kind: "live-outcome"; id: number; outcome: LiveOutcome | undefined }
  | { kind: "resume-address"; id: number; url: string | undefined }
  | { kind: "listen-address"; id: number; answer: ListenAnswer | undefined }
  | { kind: "activity"; calls: readonly CallActivity[] }
  | { kind: "ended"; callId: CallId; end: EndSummary | undefined }
  | { kind: "metrics"; id: number; metrics: ReadonlyMap<WorkerId, ProcessMetrics | undefined> }
  /** Sent after all messages about events before the ping. */
  | { kind: "pong"; id: number };

/** The words of an unrecorded call that was created, or undefined when the call is over; sent on a separate port. */
export interface PromptsMessage {
  callId: CallId;
  prompts: CallPrompts | undefined;
}
