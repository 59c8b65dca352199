import type { EpochMs } from "../core/clocks.ts";
import type { CallId, CarrierId } from "../core/ids.ts";
import { hangUpKey, hangUpLane, PHONE_CALL_JOB } from "../store/job-kinds.ts";
import type { PhoneCallEventRow, PhoneCallStep, StoredPhoneCall } from "../store/telephony/phone-call-store.ts";
import { type CarrierCommand, isCarrierCommand, type PhoneCallCommand } from "./machine/commands.ts";
import type { PhoneCallEvent } from "./machine/events.ts";
import { dueMs, isOver, type PhoneCallState } from "./machine/state.ts";
import type { PhoneCallStepResult } from "./machine/step.ts";

/** What a job has the carrier do. */
export interface PhoneCallJob {
  callId: CallId;
  /** A call is hung up also when it has been deleted meanwhile. */
  carrierId: CarrierId;
  command: CarrierCommand;
}

type Owner = Pick<StoredPhoneCall, "callId" | "carrierId">;

/** Digits may be a PIN or the number of a card. */
const withoutDigits = <Line extends { kind: string }>(line: Line): object =>
  "digits" in line && typeof line.digits === "string" ? { ...line, digits: line.digits.length } : line;

/** A line of the call's journal. The headers of a call may have words of people, and stand in its record where words are stored. */
function journalRow(event: PhoneCallEvent, commands: readonly PhoneCallCommand[], atMs: EpochMs): PhoneCallEventRow {
  const given = commands.map(withoutDigits);
  if (event.kind !== "notice" || event.notice.kind !== "incoming") {
    return { atMs, event: withoutDigits(event), commands: given };
  }
  const { headers: _, ...notice } = event.notice;
  return { atMs, event: { ...event, notice }, commands: given };
}

/**
 * Those of one carrier have a lane, so that a carrier that does not answer holds up no other. Hang-ups and questions for prices have
 * lanes of their own: they are repeated for hours, and people wait for the others.
 */
function laneOf(carrierId: CarrierId, { kind }: CarrierCommand): string {
  if (kind === "hang-up") return hangUpLane(carrierId);
  return kind === "read-price" ? `${carrierId} read-price` : carrierId;
}

/** The job that has the carrier do something. */
export const jobOf = ({ callId, carrierId }: Owner, command: CarrierCommand): PhoneCallStep["jobs"][number] => ({
  kind: PHONE_CALL_JOB,
  lane: laneOf(carrierId, command),
  payload: { callId, carrierId, command } satisfies PhoneCallJob,
  ...(command.kind === "hang-up" && { key: hangUpKey(carrierId, callId) }),
});

/** The jobs of a step. A step that is stored twice, by two processes, has them once: only one of the two is. */
const jobsOf = (owner: Owner, commands: readonly PhoneCallCommand[]): PhoneCallStep["jobs"] =>
  commands.filter(isCarrierCommand).map((command) => jobOf(owner, command));

/** What is stored of a step of the machine. */
export function storedStepOf(
  call: Owner,
  before: PhoneCallState,
  event: PhoneCallEvent,
  { state, commands }: PhoneCallStepResult,
  atMs: EpochMs,
  token: PhoneCallStep["token"],
): PhoneCallStep {
  return {
    state,
    row: journalRow(event, commands, atMs),
    dueAtMs: dueMs(state),
    jobs: jobsOf(call, commands),
    isOver: isOver(state),
    ...(state.carrierCallId !== before.carrierCallId && { carrierCallId: state.carrierCallId }),
    ...(state.hasSlot !== before.hasSlot && { holdsSlot: state.hasSlot }),
    ...(token !== undefined && { token }),
    ...Object.assign({}, ...commands.map(recordChangeOf)),
  };
}

/** What a command changes in the record. */
function recordChangeOf(command: PhoneCallCommand): Partial<PhoneCallStep> {
  switch (command.kind) {
    case "set-status":
      return { status: command.status };
    case "end-record":
      return { end: { status: "ended", endReason: command.reason } };
    case "set-carrier-code":
      return { carrierCode: command.code };
    case "set-price":
      return { price: command.price };
    default:
      return {};
  }
}
