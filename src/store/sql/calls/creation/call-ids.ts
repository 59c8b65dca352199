import { randomInt } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { CallSpec } from "../../../../core/calls/spec.ts";
import { type EpochMs, millisecondsOf } from "../../../../core/clocks.ts";
import { asCallId, type CallId } from "../../../../core/ids.ts";

// The id of a call holds the time of its creation, so that lists by time need no index besides that of the ids.

/** A clock that steps back by less than this leaves the order of ids as it is; ids then hold the time before the step. */
const STEP_BACK_MS_MAX = 3_600_000;
/** How far the time in an id may be from that of its call: such a step, and what `CallStore.restore` takes for the creation. */
export const ID_TIME_ERROR_MS_MAX = 2 * STEP_BACK_MS_MAX;

/** A UUIDv7 has 32 bits to count with within a millisecond; the count begins in the lower half. */
const SEQUENCE_START_MAX = 2 ** 31;
const SEQUENCE_MAX = 2 ** 32 - 1;

let lastMs = Number.NEGATIVE_INFINITY;
let sequence = 0;

/** The id of a call that is created now: after those of its mode that were created before. */
export const newCallId = (now: EpochMs, mode?: CallSpec["mode"]): CallId =>
  asCallId(`${mode === undefined ? "call" : "transcription"}_${nextUuid(now)}`);

/** After all ids of conversations, and before all of live transcriptions. */
export const CONVERSATIONS_END = asCallId("d");

function nextUuid(now: EpochMs): string {
  const nowMs = millisecondsOf(now);
  if (nowMs > lastMs || lastMs - nowMs > STEP_BACK_MS_MAX || sequence === SEQUENCE_MAX) {
    lastMs = nowMs > lastMs || lastMs - nowMs > STEP_BACK_MS_MAX ? nowMs : lastMs + 1;
    sequence = randomInt(SEQUENCE_START_MAX);
  } else sequence += 1;
  return uuidv7({ msecs: lastMs, seq: sequence });
}

/** Before all ids that hold this time, and after all that hold an earlier one. */
export function firstCallIdAt(time: EpochMs): CallId {
  const digits = Math.max(0, millisecondsOf(time)).toString(16).padStart(12, "0");
  return asCallId(`call_${digits.slice(0, 8)}-${digits.slice(8)}`);
}
