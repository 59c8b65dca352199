import type { AccountOverLimit, AccountSpend } from "../../core/billing/spend.ts";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { EndSummary, RedeemedCall } from "../call-handoff.ts";

/**
 * The number of the language below. It goes up with every change that a process of the version before could not deal with; processes
 * with different numbers do not work together, which `welcome` and `hello` find out. Versions before number 2 tell none.
 */
export const HANDOFF_PROTOCOL_VERSION = 3;

/** How a worker stands. */
export interface WorkerLoad {
  /** Calls that live in it. */
  callCount: number;
  /** How many may. */
  callsMax: number;
  /** How late its event loop comes round: the 99th percentile of the last seconds. */
  loopLagMs: number;
  /** It listens; false also when it ends with the calls that it has. */
  acceptsCalls: boolean;
}

/** A redemption whose outcome its worker did not learn, and of which it therefore began no call. */
export interface UnconfirmedRedemption {
  tokenHash: string;
  nonce: string;
}

/** What a worker tells the control process, one JSON object a line. */
export type WorkerMessage =
  /**
   * First, and again after every reconnection: who it is, which of its connections this is (1, 2, ...), what it carries, how it
   * stands, and which redemptions it returns.
   */
  | {
      kind: "hello";
      protocol: number;
      workerId: string;
      connection: number;
      callIds: readonly string[];
      load: WorkerLoad;
      /** All accounts whose calls have spent something within the last minute. */
      spends: readonly AccountSpend[];
      returned: readonly UnconfirmedRedemption[];
    }
  /** Every LOAD_TELL_MS, and when it begins to take calls, or takes no more; with the accounts whose spend has changed. */
  | ({ kind: "load"; spends: readonly AccountSpend[] } & WorkerLoad)
  | { kind: "redeem"; id: number; tokenHash: string; nonce: string; only?: readonly ConnectionType[] | undefined }
  /** Repeated until it is answered. */
  | ({ kind: "return" } & UnconfirmedRedemption)
  | { kind: "stream-started"; callId: string; carrierCallId: string }
  | { kind: "ended"; callId: string; end?: EndSummary | undefined }
  /** Its metrics as they are now; null when they could not be told. */
  | { kind: "metrics"; metrics: ProcessMetrics | null };

export type ControlMessage =
  /** First, before the worker's hello has been read. */
  | { kind: "welcome"; protocol: number }
  | { kind: "redeemed"; id: number; call: RedeemedCall | null }
  | { kind: "redeem-failed"; id: number }
  /** The answer to `return`: what there was to take back has been taken back. */
  | { kind: "returned"; nonce: string }
  /** The keys that tokens are signed with, base64url: when a worker has said hello, and when they change. */
  | { kind: "token-keys"; keys: readonly string[] }
  /** Somebody asked by the API that this call be ended. */
  | { kind: "end-call"; callId: string }
  /** The accounts that have reached a limit, in all workers together; all others have not. Sent when that changes. */
  | { kind: "accounts-over-limit"; accounts: readonly AccountOverLimit[] }
  /** Somebody asked for the metrics. */
  | { kind: "metrics" }
  /** The record of an ended call is on its way; the worker may forget the call. */
  | { kind: "ended-acknowledged"; callId: string };

/** A line longer than this is not one of ours. A call's spec is bounded by the API's body limit. */
const LINE_CHARS_MAX = 2 * 1024 * 1024;

/** Splits a stream of text into lines and parses each. Throws on what is not ours: both ends are. */
export class LineParser<T> {
  #rest = "";

  push(text: string, deliver: (message: T) => void): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LINE_CHARS_MAX) throw new Error("a line of the hand-off socket is too long");
    for (const line of lines) deliver(JSON.parse(line) as T);
  }
}

export const toLine = (message: WorkerMessage | ControlMessage): string => `${JSON.stringify(message)}\n`;
