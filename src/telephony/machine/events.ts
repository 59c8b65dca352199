import type { CarrierAnswer, CarrierNotice, CarrierPrice, FoundCall } from "../../carriers/telephony.ts";
import type { EndReason } from "../../core/calls/reasons.ts";

/** What happens to a telephone call. It is stored, so it has neither a secret nor a token. */
export type PhoneCallEvent =
  /** The time of `dueMs` has come. */
  | { kind: "tick" }
  | { kind: "slot-granted" }
  | { kind: "slot-refused"; afterMs?: number }
  /** The request of this attempt is about to be sent. A second one for an attempt: the process that sent the first is lost. */
  | { kind: "dial-due"; attempt: number }
  | { kind: "dial-answered"; attempt: number; answer: CarrierAnswer<{ carrierCallId: string }> }
  /** The answer to the question `ask`; `answer` has no calls that are known to be others. */
  | {
      kind: "calls-found";
      ask: number;
      answer: CarrierAnswer<{ calls: readonly FoundCall[]; isComplete: boolean }>;
    }
  /** A webhook. `transfer` is the number of the transfer in its address. */
  | { kind: "notice"; notice: CarrierNotice; transfer?: number }
  /**
   * The carrier asks what follows the stream of this connection: it is over, or could not be connected. `hasConnected`: the call has had
   * a stream.
   */
  | { kind: "stream-over"; connect: number; hasConnected: boolean }
  /** The answer to the request that connects a stream, and to the one that transfers the caller. */
  | { kind: "connect-answered"; connect: number; answer: CarrierAnswer<undefined> }
  | { kind: "transfer-answered"; transfer: number; answer: CarrierAnswer<undefined> }
  | { kind: "dtmf-answered"; answer: CarrierAnswer<undefined> }
  /** Whether the worker knows of the transfer that is to begin. */
  | { kind: "worker-informed"; transfer: number; isInformed: boolean }
  | { kind: "media-attached" }
  /** The stream of a call that its worker keeps, because it is detached. */
  | { kind: "media-lost" }
  /** The record has ended, whatever ended it. */
  | { kind: "record-ended"; reason: EndReason }
  /** What `check-record` has found of a record that has not ended: whether a stream has connected. */
  | { kind: "record-checked"; isActive: boolean }
  | { kind: "hang-up-requested"; reason: EndReason }
  | { kind: "transfer-requested"; target: string }
  | { kind: "dtmf-requested"; digits: string }
  | { kind: "price-read"; answer: CarrierAnswer<CarrierPrice | undefined> };
