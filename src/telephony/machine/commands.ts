import type { CarrierPrice } from "../../carriers/telephony.ts";
import type { PhoneRequest, PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";

/** What is stored of the call in the same transaction as the step. */
export type RecordCommand =
  | { kind: "set-status"; status: "ringing" }
  /** The record ends without a stream. */
  | { kind: "end-record"; reason: EndReason }
  | { kind: "set-carrier-code"; code: string }
  | { kind: "set-price"; price: CarrierPrice };

/** What is asked of the carrier by a durable job, at least once. */
export type CarrierCommand =
  /** Reports `dial-due`, after which the request is sent, or never. */
  | { kind: "dial"; attempt: number }
  | { kind: "find-calls"; ask: number }
  | { kind: "connect"; by: "rest"; connect: number; isAnswered: boolean }
  | { kind: "transfer"; transfer: number; target: string }
  /** Says that the call cannot go on, and hangs up. */
  | { kind: "refuse"; by: "rest"; isAnswered: boolean }
  | { kind: "hang-up"; carrierCallId: string }
  | { kind: "read-price"; ask: number };

/** The answer to the webhook that is being handled. */
export type DocumentCommand =
  /** A stream, with a token that is new. */
  | { kind: "connect"; by: "document"; connect: number }
  /** The stream of the latest `connect`, with its token. */
  | { kind: "repeat-connect" }
  /** The transfer that is going on. */
  | { kind: "transfer-by-document" }
  | { kind: "refuse"; by: "document" }
  | { kind: "hang-up-by-document" };

/** What is done at once, and not again when the process is lost: the machine's deadlines cover that. */
export type TransientCommand =
  | { kind: "reserve-slot" }
  | { kind: "release-slot" }
  | { kind: "send-dial"; attempt: number }
  | { kind: "send-dtmf"; digits: string }
  /** `transfer`: the worker's answer is awaited as `worker-informed`. */
  | { kind: "inform"; update: PhoneUpdate; transfer?: number }
  | { kind: "refuse-request"; request: PhoneRequest["kind"]; reason: string }
  /** Reads the record: the answer is `record-ended` or `record-checked`. */
  | { kind: "check-record" };

export type PhoneCallCommand = RecordCommand | CarrierCommand | DocumentCommand | TransientCommand;

const CARRIER_COMMANDS: readonly PhoneCallCommand["kind"][] = [
  "dial",
  "find-calls",
  "transfer",
  "hang-up",
  "read-price",
];

/** Whether a job carries out this command. */
export const isCarrierCommand = (command: PhoneCallCommand): command is CarrierCommand =>
  CARRIER_COMMANDS.includes(command.kind) || ("by" in command && command.by === "rest");
