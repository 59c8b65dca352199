import type { CallDirection } from "../../core/calls/phone.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { addMs, type EpochMs, earliest } from "../../core/clocks.ts";
import { INBOUND_WAIT_MS_MAX } from "../../core/limits/phone/phone-calls.ts";

/** A transfer of the call; they are numbered 1, 2, ... */
export interface Transfer {
  readonly number: number;
  readonly target: string;
}

/** What the carrier's lists say of a call whose request to dial has no answer. */
export type Finding = "none" | "ambiguous" | "incomplete";

/**
 * Where a telephone call is. Every phase but `over` has a deadline, at which `step` leaves it or asks again, so that none lasts for
 * ever.
 */
export type Phase =
  /** Outbound: nothing was asked of the carrier, or it has done nothing. `attempts` counts the latter, `slotTries` those since then. */
  | { at: "queued"; sinceMs: EpochMs; attempts: number; slotTries: number; retryMs: EpochMs }
  /** It has a slot. From `sentAtMs` on the carrier may have placed the call. */
  | { at: "dialling"; sinceMs: EpochMs; attempt: number; sentAtMs?: EpochMs; untilMs: EpochMs }
  /** Whether the call was placed is not known, and the carrier is asked. It is not dialled again, whatever comes. */
  | {
      at: "asking";
      attempt: number;
      sentAtMs: EpochMs;
      sinceMs: EpochMs;
      asks: number;
      nextMs: EpochMs;
      finding: Finding;
    }
  /** Outbound: the carrier has placed the call, and reports `progress`. Inbound: the caller waits for a slot. */
  | { at: "ringing"; progress?: "initiated" | "ringing"; untilMs: EpochMs }
  /** The carrier has the address of a stream. */
  | { at: "answered"; untilMs: EpochMs }
  /** A worker carries the call. */
  | { at: "live"; untilMs: EpochMs }
  /** `isDetached`: the caller's stream is gone, as it has to be. `endStreamMs`: when the worker is asked again to end it. */
  | {
      at: "transferring";
      stage: "announcing" | "instructing" | "ringing";
      transfer: Transfer;
      isDetached: boolean;
      endStreamMs?: EpochMs;
      untilMs: EpochMs;
    }
  /** The transfer led to nothing, and the caller gets a stream again. */
  | { at: "returning"; transfer: Transfer; tries: number; untilMs: EpochMs }
  /** The record has ended while the target rings. */
  | { at: "leaving"; transfer: Transfer; untilMs: EpochMs }
  /** The worker is to end the call. `isBridged`: the caller speaks with the target of a transfer. `isRefused`: the caller hears why. */
  | { at: "ending"; reason: EndReason; isBridged: boolean; isRefused?: boolean; retryMs: EpochMs; untilMs: EpochMs }
  /** `cutMs`: when the call is hung up that hears a refusal until then. `priceMs`: when the carrier is asked for the price. */
  | { at: "over"; isBridged: boolean; sinceMs: EpochMs; cutMs?: EpochMs; priceAsks: number; priceMs?: EpochMs };

export type PhaseOf<At extends Phase["at"]> = Extract<Phase, { at: At }>;

/** Everything that the machine of one telephone call knows; plain data, which is stored as JSON. */
export interface PhoneCallState {
  readonly direction: CallDirection;
  readonly ringMsMax: number;
  /** The carrier takes instructions as answers to its webhooks. */
  readonly takesDocuments: boolean;
  /** It rings the target of a transfer only when the service has ended the stream. Absent in calls of an earlier version. */
  readonly waitsForStreamEnd?: boolean;
  readonly phase: Phase;
  readonly carrierCallId?: string;
  readonly hasSlot: boolean;
  /** It was answered, by the person that was called or by the service. */
  readonly isAnswered: boolean;
  /** How often a stream was to connect. */
  readonly connects: number;
  readonly transfers: number;
  readonly isRecordOver: boolean;
  /** The carrier has reported the end. */
  readonly isCarrierOver: boolean;
  /** The call is to end as soon as it is known where it is. */
  readonly hangUpReason?: EndReason;
  readonly hasPrice: boolean;
}

export interface NewCallOptions {
  /** The carrier takes instructions as answers to its webhooks. */
  takesDocuments: boolean;
  /** It rings the target of a transfer only when the service has ended the stream. */
  waitsForStreamEnd?: boolean;
  ringMsMax: number;
}

const initial = (direction: CallDirection, options: NewCallOptions, phase: Phase): PhoneCallState => ({
  direction,
  ringMsMax: options.ringMsMax,
  takesDocuments: options.takesDocuments,
  ...(options.waitsForStreamEnd === true && { waitsForStreamEnd: true }),
  phase,
  hasSlot: false,
  isAnswered: false,
  connects: 0,
  transfers: 0,
  isRecordOver: false,
  isCarrierOver: false,
  hasPrice: false,
});

/** An outbound call, which waits for its slot. */
export const outboundCall = (options: NewCallOptions, nowMs: EpochMs): PhoneCallState =>
  initial("outbound", options, { at: "queued", sinceMs: nowMs, attempts: 0, slotTries: 0, retryMs: nowMs });

/** An inbound call, whose caller waits. */
export const inboundCall = (options: NewCallOptions, carrierCallId: string, nowMs: EpochMs): PhoneCallState => ({
  ...initial("inbound", options, { at: "ringing", untilMs: addMs(nowMs, INBOUND_WAIT_MS_MAX) }),
  carrierCallId,
});

/** The carrier is asked for nothing more but the price, and for hang-ups that are ordered already. */
export const isOver = ({ phase }: PhoneCallState): boolean => phase.at === "over" && phase.cutMs === undefined;

/** When the machine wants a `tick`; undefined for never. */
export function dueMs({ phase }: PhoneCallState): EpochMs | undefined {
  switch (phase.at) {
    case "queued":
      return phase.retryMs;
    case "asking":
      return phase.nextMs;
    case "transferring":
      return earliest(phase.endStreamMs ?? phase.untilMs, phase.untilMs);
    case "ending":
      return earliest(phase.retryMs, phase.untilMs);
    case "over": {
      const { cutMs, priceMs } = phase;
      if (cutMs === undefined || priceMs === undefined) return cutMs ?? priceMs;
      return earliest(cutMs, priceMs);
    }
    default:
      return phase.untilMs;
  }
}
