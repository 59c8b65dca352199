import type { CarrierPrice } from "../../carriers/telephony.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { addMs } from "../../core/clocks.ts";
import { PRICE_AT_MS, WORKER_END_MS, WORKER_END_MS_MAX } from "../../core/limits/phone/phone-calls.ts";
import type { Draft } from "./draft.ts";
import type { PhoneCallEvent } from "./events.ts";
import type { PhaseOf } from "./state.ts";

type EventOf<Kind extends PhoneCallEvent["kind"]> = Extract<PhoneCallEvent, { kind: Kind }>;

/**
 * The worker ends the call. It is asked until the record has ended. `isAware`: it sees the end itself, and is asked only where it has
 * not.
 */
export function endByWorker(
  draft: Draft,
  reason: EndReason,
  { isBridged = false, isRefused = false, isAware = false } = {},
): void {
  if (!isAware) draft.emit({ kind: "inform", update: { kind: "end", reason } });
  draft.go({
    at: "ending",
    reason,
    isBridged,
    ...(isRefused && { isRefused }),
    retryMs: addMs(draft.nowMs, WORKER_END_MS),
    untilMs: addMs(draft.nowMs, WORKER_END_MS_MAX),
  });
}

export function endingTick(draft: Draft, phase: PhaseOf<"ending">): void {
  const { nowMs } = draft;
  if (nowMs >= phase.untilMs) {
    // The record of an active call ends with its journal.
    draft.change({ isRecordOver: true });
    overAfterEnding(draft, phase, phase.reason);
    return;
  }
  draft.emit({ kind: "inform", update: { kind: "end", reason: phase.reason } }, { kind: "check-record" });
  draft.go({ ...phase, retryMs: addMs(nowMs, WORKER_END_MS) });
}

/** A caller who hears why the call cannot go on hears it to the end. */
function overAfterEnding(draft: Draft, { isBridged, isRefused = false }: PhaseOf<"ending">, reason: EndReason): void {
  if (!isBridged && !isRefused) draft.hangUp();
  draft.over(reason, { isBridged, isRefused });
}

/** The record has ended, whatever ended it. */
export function recordEnded(draft: Draft, { reason }: EventOf<"record-ended">): void {
  const { phase } = draft;
  draft.change({ isRecordOver: true });
  switch (phase.at) {
    case "dialling":
    case "asking":
      hangUpRequested(draft, reason);
      return;
    case "transferring":
      if (phase.stage === "announcing" || reason === "api_hangup") draft.cut(reason);
      // The caller hears the target ring.
      else draft.go({ at: "leaving", transfer: phase.transfer, untilMs: phase.untilMs });
      return;
    case "returning":
      draft.refuse(reason, "rest");
      return;
    case "ending":
      overAfterEnding(draft, phase, reason);
      return;
    case "leaving":
    case "over":
      return;
    default:
      draft.cut(reason);
  }
}

/** The API, or the agent, hangs up. Where the call is not known yet, it is hung up as soon as it is. */
export function hangUpRequested(draft: Draft, reason: EndReason): void {
  const { phase } = draft;
  switch (phase.at) {
    case "dialling":
      if (phase.sentAtMs === undefined) draft.over(reason);
      else draft.change({ hangUpReason: reason });
      return;
    case "asking":
      draft.change({ hangUpReason: reason });
      return;
    case "live":
      draft.hangUp();
      endByWorker(draft, reason, { isAware: true });
      return;
    case "transferring":
    case "returning":
      draft.hangUp();
      endByWorker(draft, reason);
      return;
    case "ending":
    case "over":
      return;
    default:
      draft.cut(reason);
  }
}

export function overTick(draft: Draft, { cutMs, priceMs, ...phase }: PhaseOf<"over">): void {
  const { nowMs } = draft;
  const isCut = cutMs !== undefined && nowMs >= cutMs;
  if (isCut) draft.hangUp();
  const asksPrice = priceMs !== undefined && nowMs >= priceMs;
  const priceAsks = phase.priceAsks + (asksPrice ? 1 : 0);
  if (asksPrice) draft.emit({ kind: "read-price", ask: priceAsks });
  const nextPriceMs = asksPrice ? PRICE_AT_MS[priceAsks] : undefined;
  const nextMs = nextPriceMs === undefined ? priceMs : addMs(phase.sinceMs, nextPriceMs);
  draft.go({
    ...phase,
    priceAsks,
    ...(cutMs !== undefined && !isCut && { cutMs }),
    ...(nextMs !== undefined && !(asksPrice && nextPriceMs === undefined) && { priceMs: nextMs }),
  });
}

export function priceRead(draft: Draft, { answer }: EventOf<"price-read">): void {
  if (answer.kind === "done" && answer.value !== undefined) learnPrice(draft, answer.value);
}

export function learnPrice(draft: Draft, price: CarrierPrice): void {
  if (draft.state.hasPrice) return;
  draft.emit({ kind: "set-price", price });
  draft.change({ hasPrice: true });
  if (draft.phase.at !== "over") return;
  const { priceMs: _, ...phase } = draft.phase;
  draft.go(phase);
}
