import type { TransferFailure } from "../../core/calls/phone-requests.ts";
import { addMs, type EpochMs } from "../../core/clocks.ts";
import {
  RETURN_TRIES_MAX,
  RING_MARGIN_MS,
  STREAM_END_MS,
  STREAM_END_MS_MAX,
  TRANSFER_ANSWER_MS_MAX,
  TRANSFER_ORDER_MS_MAX,
  TRANSFER_RETURN_MS_MAX,
  TRANSFER_RING_MS_MAX,
  WORKER_INFORM_MS_MAX,
} from "../../core/limits/phone/phone-calls.ts";
import type { Draft } from "./draft.ts";
import { endByWorker } from "./ending.ts";
import type { PhoneCallEvent } from "./events.ts";
import type { PhaseOf, Transfer } from "./state.ts";

// Blind transfers. The worker learns of one before the carrier does, because the carrier ends the stream. The caller is with the agent,
// rings the target, speaks with it, or gets a stream again: there is no way out of these phases that leaves a caller in silence.

type EventOf<Kind extends PhoneCallEvent["kind"]> = Extract<PhoneCallEvent, { kind: Kind }>;
type TransferOutcome = Extract<EventOf<"notice">["notice"], { kind: "transfer" }>["outcome"];

export function transferRequested(draft: Draft, { target }: EventOf<"transfer-requested">): void {
  const { phase, nowMs } = draft;
  if (phase.at !== "live") {
    const reason = "the call is not in a state in which it can be transferred";
    draft.emit({ kind: "refuse-request", request: "transfer", reason });
    return;
  }
  const transfer = { number: draft.state.transfers + 1, target };
  draft.change({ transfers: transfer.number });
  const update = { kind: "transferring", target, returnMsMax: TRANSFER_RETURN_MS_MAX } as const;
  draft.emit({ kind: "inform", update, transfer: transfer.number });
  draft.go({
    at: "transferring",
    stage: "announcing",
    transfer,
    isDetached: false,
    untilMs: addMs(nowMs, WORKER_INFORM_MS_MAX),
  });
}

export function workerInformed(draft: Draft, { transfer: number, isInformed }: EventOf<"worker-informed">): void {
  const { phase } = draft;
  if (phase.at !== "transferring" || phase.stage !== "announcing" || phase.transfer.number !== number) return;
  if (!isInformed) {
    stay(draft, phase, "failed");
    return;
  }
  draft.emit({ kind: "transfer", transfer: number, target: phase.transfer.target });
  const untilMs = addMs(draft.nowMs, TRANSFER_ORDER_MS_MAX + TRANSFER_ANSWER_MS_MAX);
  draft.go({ ...phase, stage: "instructing", untilMs });
}

export function transferAnswered(draft: Draft, { transfer: number, answer }: EventOf<"transfer-answered">): void {
  const { phase } = draft;
  if (phase.at !== "transferring" || phase.stage !== "instructing" || phase.transfer.number !== number) return;
  switch (answer.kind) {
    case "done":
      if (draft.state.waitsForStreamEnd && !phase.isDetached) {
        endStream(draft, phase, addMs(draft.nowMs, STREAM_END_MS_MAX));
      } else ringTarget(draft, phase);
      return;
    case "uncertain":
      // Nothing rings before the stream has ended, and without an accepted transfer its end would end the call.
      if (draft.state.waitsForStreamEnd && !phase.isDetached) stay(draft, phase, "failed");
      else ringTarget(draft, phase);
      return;
    case "gone":
      endByWorker(draft, "caller_hangup");
      return;
    case "refused":
    case "busy":
      if (phase.isDetached) giveBack(draft, phase.transfer, "failed", "rest");
      else stay(draft, phase, answer.kind === "refused" ? "refused" : "failed");
  }
}

/** The target rings once the worker has ended the stream. It is asked until the stream is gone: it may not learn of it, or not at once. */
function endStream(draft: Draft, phase: PhaseOf<"transferring">, untilMs: EpochMs): void {
  draft.emit({ kind: "inform", update: { kind: "end-leg" } });
  draft.go({ ...phase, stage: "ringing", endStreamMs: addMs(draft.nowMs, STREAM_END_MS), untilMs });
}

/** The carrier reports what becomes of it, or the deadline ends it. */
export function ringTarget(draft: Draft, { endStreamMs: _, ...phase }: PhaseOf<"transferring">): void {
  draft.go({ ...phase, stage: "ringing", untilMs: addMs(draft.nowMs, TRANSFER_RING_MS_MAX + RING_MARGIN_MS) });
}

/** The agent goes on where it is: the carrier has not ended its stream. */
function stay(draft: Draft, { transfer }: PhaseOf<"transferring">, outcome: TransferFailure): void {
  draft.emit({ kind: "inform", update: { kind: "transfer-failed", target: transfer.target, outcome } });
  draft.live();
}

/** The caller gets a stream again, and the agent learns why. */
export function giveBack(
  draft: Draft,
  transfer: Transfer,
  outcome: TransferFailure,
  by: "document" | "rest",
  tries = 1,
): void {
  if (tries === 1) {
    draft.emit({ kind: "inform", update: { kind: "transfer-failed", target: transfer.target, outcome } });
  }
  draft.connect(by);
  draft.go({ at: "returning", transfer, tries, untilMs: draft.connectUntilMs });
}

/** The carrier reports what became of a transfer. */
export function transferNotice(draft: Draft, reported: TransferOutcome, number: number | undefined): void {
  const { phase } = draft;
  const { takesDocuments } = draft.state;
  // A carrier without documents reports the answer first; a leg that ends without one has not been joined.
  const outcome = reported === "completed" && !takesDocuments ? "failed" : reported;
  const isBridged = outcome === "answered" || outcome === "completed";
  switch (phase.at) {
    case "transferring":
      if (number !== undefined && number !== phase.transfer.number) break;
      transferEnded(draft, phase, outcome);
      return;
    case "leaving":
      if (isBridged) draft.over("transferred", { isBridged: true });
      else draft.refuse("transferred", takesDocuments ? "document" : "rest");
      return;
    case "ending":
    case "over":
      if (takesDocuments && outcome !== "answered") draft.emit({ kind: "hang-up-by-document" });
      return;
    default:
  }
  // It came twice or late, and the same answer leads to the same stream.
  if (takesDocuments && outcome !== "answered") draft.emit({ kind: "repeat-connect" });
}

/** The target has answered, or the caller comes back. */
function transferEnded(draft: Draft, phase: PhaseOf<"transferring">, outcome: TransferOutcome): void {
  const { takesDocuments } = draft.state;
  if (outcome === "answered" || outcome === "completed") {
    if (outcome === "completed" && takesDocuments) draft.emit({ kind: "hang-up-by-document" });
    endByWorker(draft, "transferred", { isBridged: true });
    return;
  }
  if (takesDocuments) giveBack(draft, phase.transfer, outcome, "document");
  else if (phase.isDetached) giveBack(draft, phase.transfer, outcome, "rest");
  else stay(draft, phase, outcome);
}

export function transferringTick(draft: Draft, phase: PhaseOf<"transferring">): void {
  if (phase.endStreamMs !== undefined && draft.nowMs < phase.untilMs) endStream(draft, phase, phase.untilMs);
  else if (phase.stage === "announcing") stay(draft, phase, "failed");
  // Such a carrier asks what to do when the target does not answer, and ends the call where it gets no instruction: so the caller
  // speaks with the target.
  else if (phase.isDetached && draft.state.takesDocuments) endByWorker(draft, "transferred", { isBridged: true });
  else if (phase.stage === "instructing" && phase.isDetached) ringTarget(draft, phase);
  else if (phase.isDetached) giveBack(draft, phase.transfer, "no_answer", "rest");
  else stay(draft, phase, "failed");
}

/** The stream of this try did not come. */
export function returnFailed(draft: Draft, { transfer, tries }: PhaseOf<"returning">, by: "document" | "rest"): void {
  if (tries < RETURN_TRIES_MAX) {
    giveBack(draft, transfer, "failed", by, tries + 1);
    return;
  }
  draft.emit(by === "rest" ? { kind: "refuse", by, isAnswered: true } : { kind: "refuse", by });
  endByWorker(draft, "connection_lost", { isRefused: true });
}

/**
 * Whether the carrier may still be asked for this transfer. Later it could end the stream after the agent has given the transfer up.
 */
export const isOrdered = (phase: PhaseOf<"transferring">, number: number, nowMs: EpochMs): boolean =>
  phase.stage === "instructing" &&
  phase.transfer.number === number &&
  !phase.isDetached &&
  nowMs < addMs(phase.untilMs, -TRANSFER_ANSWER_MS_MAX);

/** The stream of a call that its worker keeps is gone. */
export function mediaLost(draft: Draft): void {
  const { phase } = draft;
  if (phase.at === "transferring" && phase.stage !== "announcing") {
    const detached = { ...phase, isDetached: true };
    if (phase.endStreamMs === undefined) draft.go(detached);
    else ringTarget(draft, detached);
  }
  // The carrier has carried out a transfer after it was given up.
  else if (phase.at === "live" && draft.state.transfers > 0) {
    giveBack(draft, { number: draft.state.transfers, target: "" }, "failed", "rest", RETURN_TRIES_MAX);
  }
}
