import type { CarrierNotice } from "../../carriers/telephony.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import { STREAM_TRIES_MAX } from "../../core/limits/phone/phone-calls.ts";
import { placed, progressed, reasonOf } from "./dialling.ts";
import type { Draft } from "./draft.ts";
import { endByWorker, learnPrice } from "./ending.ts";
import { returnFailed, transferNotice } from "./transfer.ts";

// Webhooks come in any order, twice, late and not at all. So each is a fact about the call, and none moves it back.

type NoticeOf<Kind extends CarrierNotice["kind"]> = Extract<CarrierNotice, { kind: Kind }>;

/** A webhook of this call; `transfer` is the number in its address. */
export function noticed(draft: Draft, notice: CarrierNotice, transfer: number | undefined): void {
  if (notice.kind !== "other" && !isOfThisCall(draft, notice.carrierCallId)) return;
  switch (notice.kind) {
    case "other":
      return;
    case "incoming":
      incoming(draft);
      return;
    case "initiated":
    case "ringing":
      if (draft.state.direction !== "outbound") return;
      placed(draft, notice.carrierCallId);
      progressed(draft, notice.kind);
      return;
    case "answered":
      answered(draft, notice);
      return;
    case "ended":
      ended(draft, notice);
      return;
    case "price":
      learnPrice(draft, notice.price);
      return;
    case "transfer":
      transferNotice(draft, notice.outcome, transfer);
      return;
    case "stream":
      if (notice.state === "failed") streamLost(draft, notice.connect);
  }
}

/** Before the answer the first id that the carrier names is the call's; afterwards there are legs with other ids. */
function isOfThisCall({ state }: Draft, carrierCallId: string): boolean {
  return state.carrierCallId === undefined || state.carrierCallId === carrierCallId;
}

/** The caller waits for an instruction. */
function incoming(draft: Draft): void {
  const { phase } = draft;
  if (phase.at === "ringing") draft.emit({ kind: "reserve-slot" });
  else repeat(draft, draft.state.takesDocuments);
}

/** An inbound call has its slot, or gets none. */
export function admitInbound(draft: Draft, isGranted: boolean): void {
  const by = draft.state.takesDocuments ? "document" : "rest";
  if (!isGranted) {
    draft.refuse("no_capacity", by);
    return;
  }
  draft.change({ hasSlot: true });
  draft.connect(by);
  draft.go({ at: "answered", untilMs: draft.connectUntilMs });
}

function answered(draft: Draft, { carrierCallId, awaitsInstruction }: NoticeOf<"answered">): void {
  if (draft.state.direction === "inbound") {
    const { phase } = draft;
    if (awaitsInstruction) repeat(draft, true);
    // The carrier answers first, and takes the instruction only then.
    else if (phase.at === "answered") draft.connectAnswered();
    else if (phase.at === "over" && phase.cutMs !== undefined) {
      draft.emit({ kind: "refuse", by: "rest", isAnswered: true });
    }
    return;
  }
  placed(draft, carrierCallId);
  // It is followed by the webhook that asks for the document, and a second way to the stream would end the first.
  if (draft.state.takesDocuments && !awaitsInstruction) return;
  const { phase } = draft;
  if (phase.at !== "ringing") {
    repeat(draft, awaitsInstruction);
    return;
  }
  draft.change({ isAnswered: true });
  draft.connect(awaitsInstruction ? "document" : "rest");
  draft.go({ at: "answered", untilMs: draft.connectUntilMs });
}

/** A webhook that has been answered before gets the same document, one of a call that is over the end. */
function repeat(draft: Draft, awaitsInstruction: boolean): void {
  if (!awaitsInstruction) return;
  const { phase } = draft;
  const isOver = phase.at === "over" && !phase.isBridged;
  draft.emit({ kind: isOver ? "hang-up-by-document" : "repeat-connect" });
}

/** The carrier's call is over. No webhook takes that back. */
function ended(draft: Draft, { carrierCallId, outcome, code, price }: NoticeOf<"ended">): void {
  draft.learn(carrierCallId);
  if (code !== undefined) draft.emit({ kind: "set-carrier-code", code });
  if (price !== undefined) learnPrice(draft, price);
  draft.change({ isCarrierOver: true });
  const { phase } = draft;
  const reason: EndReason = draft.state.hangUpReason ?? reasonOf(outcome);
  switch (phase.at) {
    case "live":
      endByWorker(draft, "caller_hangup", { isAware: true });
      return;
    case "transferring":
    case "returning":
      endByWorker(draft, "caller_hangup");
      return;
    case "ending":
      return;
    case "over": {
      const { cutMs: _, ...rest } = phase;
      draft.go(rest);
      return;
    }
    default:
      draft.over(draft.state.isAnswered ? "caller_hangup" : reason);
  }
}

/** The stream that the carrier has taken could not be connected: perhaps the service was starting again. */
function streamLost(draft: Draft, connect = draft.state.connects): void {
  const { phase, state } = draft;
  // A carrier with documents asks what follows: `stream-over`. A report that came twice is about an earlier stream.
  if (state.takesDocuments || connect !== state.connects) return;
  if (phase.at === "answered") connectAgain(draft, "rest");
  else if (phase.at === "returning") returnFailed(draft, phase, "rest");
}

/** Connects the first stream once more, or says that the call cannot go on. */
export function connectAgain(draft: Draft, by: "document" | "rest"): void {
  if (draft.state.connects >= STREAM_TRIES_MAX) {
    draft.refuse("token_expired", by);
    return;
  }
  draft.connect(by);
  draft.go({ at: "answered", untilMs: draft.connectUntilMs });
}

/** The carrier does not connect the stream. */
export function streamFailed(draft: Draft): void {
  const { phase } = draft;
  if (phase.at === "answered") draft.refuse("token_expired", "rest");
  else if (phase.at === "returning") returnFailed(draft, phase, "rest");
}
