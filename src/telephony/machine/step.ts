import { addMs, type EpochMs } from "../../core/clocks.ts";
import { STREAM_REPORT_MS_MAX } from "../../core/limits/phone/phone-calls.ts";
import type { CarrierCommand, PhoneCallCommand } from "./commands.ts";
import {
  askAgain,
  callsFound,
  dialAnswered,
  dialDue,
  diallingTick,
  queuedTick,
  slotGranted,
  slotRefused,
} from "./dialling.ts";
import { Draft } from "./draft.ts";
import { endByWorker, endingTick, hangUpRequested, overTick, priceRead, recordEnded } from "./ending.ts";
import type { PhoneCallEvent } from "./events.ts";
import { admitInbound, noticed, streamFailed } from "./notices.ts";
import { dueMs, type PhoneCallState } from "./state.ts";
import { streamOver } from "./stream-over.ts";
import {
  isOrdered,
  mediaLost,
  returnFailed,
  transferAnswered,
  transferRequested,
  transferringTick,
  workerInformed,
} from "./transfer.ts";

/** The next state of a telephone call, and what is to be done. */
export interface PhoneCallStepResult {
  readonly state: PhoneCallState;
  readonly commands: readonly PhoneCallCommand[];
}

/** Handles an event. The same events at the same times give the same states and commands. */
export function step(state: PhoneCallState, event: PhoneCallEvent, nowMs: EpochMs): PhoneCallStepResult {
  const draft = new Draft(state, nowMs);
  handle(draft, event);
  return { state: draft.state, commands: draft.commands };
}

function handle(draft: Draft, event: PhoneCallEvent): void {
  const { phase, state } = draft;
  switch (event.kind) {
    case "tick":
      tick(draft);
      return;
    case "slot-granted":
      if (state.direction === "outbound" || phase.at === "over") slotGranted(draft);
      else if (phase.at === "ringing") admitInbound(draft, true);
      return;
    case "slot-refused":
      if (state.direction === "outbound") slotRefused(draft, event);
      else if (phase.at === "ringing") admitInbound(draft, false);
      return;
    case "dial-due":
      dialDue(draft, event);
      return;
    case "dial-answered":
      dialAnswered(draft, event);
      return;
    case "calls-found":
      callsFound(draft, event);
      return;
    case "notice":
      noticed(draft, event.notice, event.transfer);
      return;
    case "record-ended":
      recordEnded(draft, event);
      return;
    case "record-checked":
      if (phase.at !== "answered") return;
      if (event.isActive) draft.live();
      else draft.refuse("token_expired", "rest");
      return;
    case "hang-up-requested":
      hangUpRequested(draft, event.reason);
      return;
    case "price-read":
      priceRead(draft, event);
      return;
    default:
      handleLive(draft, event);
  }
}

/** What concerns streams, transfers and DTMF. */
function handleLive(draft: Draft, event: Extract<PhoneCallEvent, { kind: LiveKind }>): void {
  const { phase, state } = draft;
  switch (event.kind) {
    case "stream-over":
      streamOver(draft, event);
      return;
    case "connect-answered":
      if (event.connect !== state.connects) return;
      if (event.answer.kind === "refused") streamFailed(draft);
      else if (event.answer.kind === "gone") connectGone(draft);
      return;
    case "transfer-answered":
      transferAnswered(draft, event);
      return;
    case "worker-informed":
      workerInformed(draft, event);
      return;
    case "media-attached":
      if (phase.at === "answered" || phase.at === "returning") draft.live();
      return;
    case "media-lost":
      mediaLost(draft);
      return;
    case "transfer-requested":
      transferRequested(draft, event);
      return;
    case "dtmf-requested":
      if (phase.at === "live") draft.emit({ kind: "send-dtmf", digits: event.digits });
      else
        draft.emit({ kind: "refuse-request", request: "send_dtmf", reason: "the caller is not connected at present" });
      return;
    case "dtmf-answered":
      if (event.answer.kind === "done") return;
      draft.emit({ kind: "refuse-request", request: "send_dtmf", reason: "the carrier did not send the digits" });
  }
}

type LiveKind =
  | "stream-over"
  | "connect-answered"
  | "transfer-answered"
  | "dtmf-requested"
  | "dtmf-answered"
  | "worker-informed"
  | "media-attached"
  | "media-lost"
  | "transfer-requested";

/** The carrier knows of no call to connect. */
function connectGone(draft: Draft): void {
  draft.change({ isCarrierOver: true });
  if (draft.phase.at === "answered") draft.over("caller_hangup");
  else if (draft.phase.at === "returning") endByWorker(draft, "caller_hangup");
}

/** The deadline of a phase. A tick before it changes nothing. */
function tick(draft: Draft): void {
  const { phase, state, nowMs } = draft;
  const due = dueMs(state);
  if (due === undefined || nowMs < due) return;
  switch (phase.at) {
    case "queued":
      queuedTick(draft, phase);
      return;
    case "dialling":
      diallingTick(draft, phase);
      return;
    case "asking":
      askAgain(draft, phase);
      return;
    case "ringing":
      if (state.direction === "inbound") draft.refuse("no_capacity", "rest");
      else draft.cut("no_answer");
      return;
    case "answered":
      // A process that was away has missed the worker's report of a stream. The store knows whether the token was redeemed.
      draft.emit({ kind: "check-record" });
      draft.go({ ...phase, untilMs: addMs(nowMs, STREAM_REPORT_MS_MAX) });
      return;
    case "live":
      draft.emit({ kind: "check-record" });
      draft.live();
      return;
    case "transferring":
      transferringTick(draft, phase);
      return;
    case "returning":
      returnFailed(draft, phase, "rest");
      return;
    case "leaving":
      // Such a carrier asks what to do when the target does not answer: the caller speaks with the target, or the call is over.
      if (state.takesDocuments) draft.over("transferred", { isBridged: true });
      else draft.refuse("transferred", "rest");
      return;
    case "ending":
      endingTick(draft, phase);
      return;
    case "over":
      overTick(draft, phase);
  }
}

/** Whether the call still wants what a job was stored for; at the first attempt and at every other. */
export function isWanted({ phase, connects }: PhoneCallState, command: CarrierCommand, nowMs: EpochMs): boolean {
  switch (command.kind) {
    case "find-calls":
      return phase.at === "asking";
    case "connect":
      return (phase.at === "answered" || phase.at === "returning") && command.connect === connects;
    case "transfer":
      return phase.at === "transferring" && isOrdered(phase, command.transfer, nowMs);
    case "dial":
    case "refuse":
    case "hang-up":
    case "read-price":
      return true;
  }
}
