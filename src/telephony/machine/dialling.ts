import { strict as assert } from "node:assert";
import type { PhoneCallOutcome } from "../../core/calls/phone.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { addMs, earliest, latest } from "../../core/clocks.ts";
import {
  CARRIER_QUEUE_MS_MAX,
  DIAL_ANSWER_MS_MAX,
  DIAL_RETRY_MS,
  FIND_CALL_ANSWER_MS_MAX,
  FIND_CALL_AT_MS,
  FIND_CALL_LAST_MS,
  QUEUED_MS_MAX,
  RING_MARGIN_MS,
  SLOT_RETRY_MS,
} from "../../core/limits/phone/phone-calls.ts";
import type { Draft } from "./draft.ts";
import type { PhoneCallEvent } from "./events.ts";
import type { Finding, PhaseOf } from "./state.ts";

// Outbound calls until they ring. The request to dial is sent at most once for each attempt, and another attempt follows only an answer
// that says that the carrier has done nothing.

type EventOf<Kind extends PhoneCallEvent["kind"]> = Extract<PhoneCallEvent, { kind: Kind }>;

/** The end reason of a call that the carrier reports as over before a stream connected. */
export function reasonOf(outcome: PhoneCallOutcome): EndReason {
  switch (outcome) {
    case "completed":
      return "caller_hangup";
    case "canceled":
      return "no_answer";
    case "failed":
      return "carrier_failed";
    default:
      return outcome;
  }
}

/** A queued call is due. */
export function queuedTick(draft: Draft, phase: PhaseOf<"queued">): void {
  const { sinceMs, attempts, slotTries } = phase;
  const endMs = addMs(sinceMs, QUEUED_MS_MAX);
  if (draft.nowMs >= endMs) {
    draft.over(attempts === 0 ? "no_capacity" : "carrier_failed");
    return;
  }
  draft.emit({ kind: "reserve-slot" });
  // The next try is planned here, so that a refusal changes nothing and is not stored.
  const retryMs = addMs(draft.nowMs, SLOT_RETRY_MS[slotTries] ?? SLOT_RETRY_MS.at(-1) ?? 0);
  draft.go({ ...phase, slotTries: slotTries + 1, retryMs: earliest(retryMs, endMs) });
}

export function slotGranted(draft: Draft): void {
  const { phase } = draft;
  if (phase.at === "over") {
    draft.emit({ kind: "release-slot" });
    return;
  }
  draft.change({ hasSlot: true });
  if (phase.at !== "queued") return;
  const { sinceMs, attempts } = phase;
  const attempt = attempts + 1;
  draft.emit({ kind: "dial", attempt });
  draft.go({ at: "dialling", sinceMs, attempt, untilMs: addMs(sinceMs, QUEUED_MS_MAX) });
}

export function slotRefused(draft: Draft, { afterMs = 0 }: EventOf<"slot-refused">): void {
  const { phase } = draft;
  if (phase.at !== "queued") return;
  const retryMs = earliest(addMs(draft.nowMs, afterMs), addMs(phase.sinceMs, QUEUED_MS_MAX));
  if (retryMs > phase.retryMs) draft.go({ ...phase, retryMs });
}

export function dialDue(draft: Draft, { attempt }: EventOf<"dial-due">): void {
  const { phase, nowMs } = draft;
  if (phase.at !== "dialling" || phase.attempt !== attempt) return;
  if (phase.sentAtMs !== undefined) {
    ask(draft, phase);
    return;
  }
  draft.emit({ kind: "send-dial", attempt });
  draft.go({ ...phase, sentAtMs: nowMs, untilMs: addMs(nowMs, DIAL_ANSWER_MS_MAX) });
}

export function dialAnswered(draft: Draft, { attempt, answer }: EventOf<"dial-answered">): void {
  const { phase } = draft;
  if (answer.kind === "done") {
    placed(draft, answer.value.carrierCallId);
    return;
  }
  // A webhook has shown meanwhile that there is a call, or the answer is that of an earlier attempt.
  if (!(phase.at === "dialling" || phase.at === "asking") || phase.attempt !== attempt) return;
  switch (answer.kind) {
    case "refused":
      draft.emit({ kind: "set-carrier-code", code: answer.code });
      draft.over(draft.state.hangUpReason ?? reasonOf(answer.outcome ?? "failed"));
      return;
    case "busy":
      retryDial(draft, phase, answer.afterMs);
      return;
    case "gone":
    case "uncertain":
      if (phase.at === "dialling") ask(draft, phase);
  }
}

/** The carrier has done nothing, and may do it later. */
function retryDial(draft: Draft, phase: PhaseOf<"dialling" | "asking">, afterMs = 0): void {
  const { hangUpReason, hasSlot } = draft.state;
  // What was in doubt once is not dialled again.
  if (hangUpReason !== undefined || phase.at === "asking") {
    draft.over(hangUpReason ?? "carrier_failed");
    return;
  }
  if (hasSlot) draft.emit({ kind: "release-slot" });
  draft.change({ hasSlot: false });
  const plannedMs = DIAL_RETRY_MS[phase.attempt - 1] ?? DIAL_RETRY_MS.at(-1) ?? 0;
  const retryMs = addMs(draft.nowMs, Math.max(afterMs, plannedMs));
  draft.go({
    at: "queued",
    sinceMs: phase.sinceMs,
    attempts: phase.attempt,
    slotTries: 0,
    retryMs: earliest(retryMs, addMs(phase.sinceMs, QUEUED_MS_MAX)),
  });
}

export function diallingTick(draft: Draft, phase: PhaseOf<"dialling">): void {
  if (phase.sentAtMs === undefined) draft.over("carrier_failed");
  else ask(draft, phase);
}

/** Whether the call was placed is not known: the carrier is asked. */
function ask(draft: Draft, { attempt, sentAtMs = draft.nowMs }: PhaseOf<"dialling">): void {
  const { nowMs } = draft;
  askAgain(draft, { at: "asking", attempt, sentAtMs, sinceMs: nowMs, asks: 0, nextMs: nowMs, finding: "incomplete" });
}

export function askAgain(draft: Draft, phase: PhaseOf<"asking">): void {
  const { sinceMs, asks, finding } = phase;
  if (asks > FIND_CALL_AT_MS.length) {
    // A list that is complete, after all webhooks should have come, shows that the call was never placed.
    draft.over(finding === "none" ? (draft.state.hangUpReason ?? "carrier_failed") : "unknown");
    return;
  }
  const lastMs = Math.max(FIND_CALL_LAST_MS, draft.state.ringMsMax + RING_MARGIN_MS);
  const isLast = asks === FIND_CALL_AT_MS.length;
  const nextMs = isLast
    ? addMs(draft.nowMs, FIND_CALL_ANSWER_MS_MAX)
    : latest(draft.nowMs, addMs(sinceMs, FIND_CALL_AT_MS[asks + 1] ?? lastMs));
  draft.emit({ kind: "find-calls", ask: asks + 1 });
  draft.go({ ...phase, asks: asks + 1, nextMs, finding: "incomplete" });
}

/** Those of `answer` that have an id of a call have this one's. */
export function callsFound(draft: Draft, { ask: askNumber, answer }: EventOf<"calls-found">): void {
  const { phase } = draft;
  if (phase.at !== "asking" || answer.kind !== "done") return;
  const { calls, isComplete } = answer.value;
  const own = calls.find((call) => call.callId !== undefined);
  if (own?.isLive === true) {
    placed(draft, own.carrierCallId);
    return;
  }
  // How it ended only a webhook says.
  if (own !== undefined) draft.learn(own.carrierCallId);
  if (askNumber !== phase.asks) return;
  const finding: Finding = calls.length > 0 ? "ambiguous" : isComplete ? "none" : "incomplete";
  draft.go({ ...phase, finding });
}

/** The carrier has placed the call. It rings at the least, or is over already. */
export function placed(draft: Draft, carrierCallId: string): void {
  const { phase } = draft;
  assert.equal(draft.state.direction, "outbound", "only outbound calls are dialled");
  draft.learn(carrierCallId);
  if (phase.at === "queued" || phase.at === "dialling" || phase.at === "asking") ring(draft);
  else if (phase.at === "over") {
    // It ended before its call was found, so nothing has hung that up.
    if (!phase.isBridged) draft.hangUp();
  }
}

function ring(draft: Draft): void {
  const { hangUpReason, hasSlot, ringMsMax } = draft.state;
  if (hangUpReason !== undefined) {
    draft.cut(hangUpReason);
    return;
  }
  if (!hasSlot) draft.emit({ kind: "reserve-slot" });
  draft.emit({ kind: "set-status", status: "ringing" });
  draft.go({ at: "ringing", untilMs: addMs(draft.nowMs, CARRIER_QUEUE_MS_MAX + ringMsMax + RING_MARGIN_MS) });
}

/** The carrier reports that it has begun to call, or that it rings: its own time-out counts from then. A repeated report changes nothing. */
export function progressed(draft: Draft, progress: "initiated" | "ringing"): void {
  const { phase } = draft;
  if (phase.at !== "ringing" || phase.progress === "ringing" || phase.progress === progress) return;
  draft.go({ ...phase, progress, untilMs: addMs(draft.nowMs, draft.state.ringMsMax + RING_MARGIN_MS) });
}
