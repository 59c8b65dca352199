import type { AccountOverLimit, AccountSpend } from "../../core/billing/spend.ts";
import type { CallActivity } from "../../core/calls/activity.ts";
import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { CallId, CarrierCallId, WorkerId } from "../../core/ids.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { RelayNode } from "../../core/network/node-tags.ts";
import type { EndSummary, HoldReport, MediaReport, RedeemedCall } from "../call-handoff.ts";
import type { StreamProof } from "../redemptions.ts";

/**
 * The version of the protocol below. It goes up with every change that a process of the previous version could not
 * handle. Processes with different versions do not work together, which `welcome` and `hello` detect. Versions before
 * number 2 send none.
 */
export const HANDOFF_PROTOCOL_VERSION = 9;

/** What a worker carries: calls of carriers and of programs over WebSockets, or WebRTC calls. */
export const WORKER_ROLES = ["media", "webrtc"] as const;
export type WorkerRole = (typeof WORKER_ROLES)[number];

/** The state of a worker. */
export interface WorkerLoad {
  /** "media" where it is absent. */
  role?: WorkerRole;
  /** The calls that it carries. */
  callCount: number;
  /** How many calls it can carry. */
  callsMax: number;
  /** Its event-loop delay: the 99th percentile of the last seconds. */
  loopLagMs: number;
  /** It listens; false also when it drains. */
  acceptsCalls: boolean;
}

/** A redemption whose outcome the worker does not know. It therefore began no call. */
export interface UnconfirmedRedemption {
  tokenHash: string;
  nonce: string;
}

/** Messages from a worker to the control process, one JSON object a line. */
export type WorkerMessage =
  /**
   * The first message of each connection: the worker's id, the number of its connection (1, 2, ...), its calls, its
   * load, and the redemptions that it returns.
   */
  | {
      kind: "hello";
      protocol: number;
      workerId: WorkerId;
      connection: number;
      callIds: readonly CallId[];
      load: WorkerLoad;
      /** All accounts whose calls have spent something within the last minute. */
      spends: readonly AccountSpend[];
      returned: readonly UnconfirmedRedemption[];
    }
  /**
   * Sent every LOAD_REPORT_MS, and when the worker starts or stops accepting calls; with the accounts whose spend has
   * changed.
   */
  | ({ kind: "load"; spends: readonly AccountSpend[] } & WorkerLoad)
  | {
      kind: "redeem";
      id: number;
      tokenHash: string;
      nonce: string;
      only?: readonly ConnectionType[] | undefined;
      /** Absent from workers of earlier versions, which carry no telephone calls that need it. */
      proof?: StreamProof | undefined;
    }
  /** Asks whether the sender of a further stream of a telephone call knows the call's own credentials. */
  | { kind: "check-stream"; id: number; callId: CallId; proof: StreamProof }
  /** Repeated until it is answered. */
  | ({ kind: "return" } & UnconfirmedRedemption)
  | { kind: "stream-started"; callId: CallId; carrierCallId: CarrierCallId }
  | { kind: "ended"; callId: CallId; end?: EndSummary | undefined }
  /** The agent of a telephone call wants something of the telephone network. */
  | { kind: "phone-request"; callId: CallId; request: PhoneRequest }
  /** A telephone call has a media stream from now on, or has lost it; sent for all of them after each hello. */
  | ({ kind: "media" } & MediaReport)
  /** A caller is on hold from now on, or no longer; sent for all who are on hold after each hello. */
  | ({ kind: "hold" } & HoldReport)
  /** The answer to `phone-update`: whether the worker has the call. */
  | { kind: "phone-updated"; id: number; isTaken: boolean }
  /** The answer to `live-request`. */
  | { kind: "live-outcome"; id: number; outcome: LiveOutcome }
  /** The answer to `resume-address`: a secret; null where the worker has no such call. Never logged. */
  | { kind: "resume-address"; id: number; url: string | null }
  /** What calls do, of those that have changed; only after `watch-activity`. */
  | { kind: "activity"; calls: readonly CallActivity[] }
  /** The answer to `listen-address`. Never logged. */
  | { kind: "listen-address"; id: number; answer: ListenAnswer }
  /** The worker's metrics at present; null when they could not be read. */
  | { kind: "metrics"; metrics: ProcessMetrics | null };

export type ControlMessage =
  /** The first message, sent before the worker's hello is read. */
  | { kind: "welcome"; protocol: number }
  | { kind: "redeemed"; id: number; call: RedeemedCall | null }
  | { kind: "redeem-failed"; id: number }
  /** The answer to `check-stream`; null when that cannot be found out. */
  | { kind: "stream-checked"; id: number; isAuthentic: boolean | null }
  /** The answer to `return`: the redemption is returned, if it existed. */
  | { kind: "returned"; nonce: string }
  /** The keys that sign tokens, base64url: sent after a worker's hello and when they change. */
  | { kind: "token-keys"; keys: readonly string[] }
  /** This call is to end at once, for this reason. */
  | { kind: "end-call"; callId: CallId; reason: EndReason }
  /** What the telephone network does about a call. */
  | { kind: "phone-update"; id: number; callId: CallId; update: PhoneUpdate }
  /** What a program asks of a live call. */
  | { kind: "live-request"; id: number; callId: CallId; request: LiveRequest }
  /** Requests the single-use address for this connection of a telephone call; a new one where it has no number, as of older versions. */
  | { kind: "resume-address"; id: number; callId: CallId; connect?: number | undefined }
  /** Requests a single-use address at which a client listens to a call. */
  | { kind: "listen-address"; id: number; callId: CallId }
  /** With `isOn` the worker sends what all of its calls do, and then what changes, until it is off; sent to each worker that connects. */
  | { kind: "watch-activity"; isOn: boolean }
  /** The accounts that have reached a limit, in all workers together; all others have not. Sent when that changes. */
  | { kind: "accounts-over-limit"; accounts: readonly AccountOverLimit[] }
  /** The nodes to which streams of their calls can be relayed: sent after a worker's hello and when they change. Older workers ignore it. */
  | { kind: "relay-nodes"; nodes: readonly RelayNode[] }
  /** Requests the worker's metrics. */
  | { kind: "metrics" }
  /** The record of an ended call is being made; the worker may discard the call. */
  | { kind: "ended-acknowledged"; callId: CallId };

/** A longer line is not part of the protocol. The API's body limit bounds a call's spec. */
const LINE_CHARS_MAX = 2 * 1024 * 1024;

/** Splits a stream of text into lines and parses each. Throws on invalid lines, because both ends are this service. */
export class LineParser<T> {
  #rest = "";

  push(text: string, deliver: (message: T) => void): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LINE_CHARS_MAX)
      throw new Error(`a line on the handoff socket exceeds ${LINE_CHARS_MAX} characters`);
    for (const line of lines) deliver(JSON.parse(line) as T);
  }
}

/** A message as one line for `LineParser`. */
export const toLine = (message: WorkerMessage | ControlMessage): string => `${JSON.stringify(message)}\n`;
