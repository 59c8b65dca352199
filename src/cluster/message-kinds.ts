import type { AccountSpend } from "../core/billing/spend.ts";
import type { CallActivity } from "../core/calls/activity.ts";
import type { ListenAnswer } from "../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../core/calls/phone-requests.ts";
import type { EndReason } from "../core/calls/reasons.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, CallId, WorkerId } from "../core/ids.ts";
import { NODE_END_LASTS_MS } from "../core/limits/cluster/node-messages.ts";
import type { TranscriptionProgress } from "../core/transcriptions/progress.ts";

/** One message and its answer; both pass through JSON. */
interface Exchange<Payload, Answer> {
  payload: Payload;
  answer: Answer;
}

/** A call and the worker that carries it, as the database has them. */
export interface CallAtWorker {
  callId: CallId;
  workerId: WorkerId;
}

/** What a node asks the node of a call. */
export interface NodeRequests {
  /** To end it; false where its worker is not connected. */
  "end-call": Exchange<CallAtWorker & { accountId: AccountId }, boolean>;
  /** A hold, a pause of the recording; without an outcome where the worker does not answer. */
  "live-request": Exchange<
    CallAtWorker & { request: LiveRequest },
    { outcome?: LiveOutcome | undefined; heldSinceMs?: EpochMs | undefined }
  >;
  /** A transfer, digits, the end of a telephone call; without an outcome for an unknown call. */
  "phone-request": Exchange<
    { callId: CallId; request: PhoneRequest; hangUpReason: EndReason },
    { outcome?: { kind: "accepted" } | { kind: "refused"; reason: string; isInvalid: boolean } | undefined }
  >;
  /** To inform the worker of a telephone call; whether the call acts by it. */
  "phone-update": Exchange<CallAtWorker & { update: PhoneUpdate }, boolean>;
  /** The address at which the carrier makes this connection of a telephone call. */
  "resume-address": Exchange<CallAtWorker & { connect?: number | undefined }, { url?: string | undefined }>;
  /** An address at which a client listens. */
  "listen-address": Exchange<CallAtWorker, { answer?: ListenAnswer | undefined }>;
  /** Some of the events in the journal of a live call, as the API shows them. */
  "call-events": Exchange<
    { callId: CallId; from: number; limit: number },
    { events: readonly object[]; next: number; more: "now" | "later" | "never" }
  >;
}

export type NodeRequestKind = keyof NodeRequests;
export type PayloadOf<Kind extends NodeRequestKind> = NodeRequests[Kind]["payload"];
export type AnswerOf<Kind extends NodeRequestKind> = NodeRequests[Kind]["answer"];

export interface RequestRule {
  /** The node that has died at it, or has been restarted, handles it again: it may be done twice. */
  isRepeatable: boolean;
  /** For how long it is handled, also when the node that has asked waits no longer. By default it is handled only while that waits. */
  lastsMs?: number;
}

export const REQUEST_RULES: Readonly<Record<NodeRequestKind, RequestRule>> = {
  "end-call": { isRepeatable: true, lastsMs: NODE_END_LASTS_MS },
  "live-request": { isRepeatable: false },
  // A target that is rung twice, or digits that come twice, are worse than none.
  "phone-request": { isRepeatable: false },
  "phone-update": { isRepeatable: false },
  "resume-address": { isRepeatable: true },
  "listen-address": { isRepeatable: true },
  "call-events": { isRepeatable: true },
};

export const NODE_REQUEST_KINDS = Object.keys(REQUEST_RULES) as readonly NodeRequestKind[];

/** What a node says to all others. It may be lost, and has no words of calls. */
export interface NodeAnnouncements {
  /** A client of this node wants what live calls do. `isFirst`: of all calls, and not only of those that change. */
  "activity-wanted": { isFirst: boolean };
  activity: { calls: readonly CallActivity[] };
  "transcription-activity": { transcriptions: readonly TranscriptionProgress[] };
  /** What accounts have spent at the node within the last minute. */
  spend: { spends: readonly AccountSpend[] };
  /** Which callers are on hold, or with `isOver` no longer. `isFirst`: those that other nodes know are to be announced, too. */
  holds: { holds: readonly { callId: CallId; sinceMs: EpochMs }[]; isOver: boolean; isFirst?: boolean };
}

export type AnnouncementKind = keyof NodeAnnouncements;
