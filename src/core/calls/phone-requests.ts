import type { EndReason } from "./reasons.ts";

// What a worker and the control process say to each other about a live telephone call.

/** What the agent (by a tool) or a program (by the API) wants of the telephone network. */
export type PhoneRequest =
  /** A blind transfer to a number in E.164 or a SIP address. */
  { kind: "transfer"; target: string } | { kind: "send_dtmf"; digits: string } | { kind: "hang_up" };

/** What the control process says to the worker that carries the call. */
export type PhoneUpdate =
  /**
   * The carrier is about to ring the target: the agent is silent, and a lost leg leaves the call detached instead of ending it, until
   * `returnMsMax` from now. A call that has no leg then ends with `caller_hangup`; where it has one, the transfer counts as failed.
   */
  | { kind: "transferring"; target: string; returnMsMax: number }
  /** The carrier rings the target as soon as the leg has ended: the worker ends the leg, and the call stays detached. */
  | { kind: "end-leg" }
  /** The transfer led to nothing. The agent says so, on the leg that is there or on the next one. */
  | { kind: "transfer-failed"; target: string; outcome: TransferFailure }
  /** The carrier's side of the call is over, or the caller speaks with the target of a transfer: the call ends by this reason. */
  | { kind: "end"; reason: EndReason }
  /** The API sends digits to the other end, and the carrier takes none: they are tones in the agent's audio. */
  | { kind: "send-dtmf"; digits: string }
  /** The request was not carried out, and nothing changes. `reason` is a sentence for the model, without numbers. */
  | { kind: "refused"; request: PhoneRequest["kind"]; reason: string };

/** Whether the call of a telephone call has a media stream. */
export type MediaState = "attached" | "lost";

/** `refused`: the service or the carrier does not call this target. `failed`: anything else. */
export const TRANSFER_FAILURES = ["busy", "no_answer", "refused", "failed"] as const;
export type TransferFailure = (typeof TRANSFER_FAILURES)[number];
