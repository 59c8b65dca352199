import type { Transaction } from "kysely";
import { type CallId, liveTranscriptionOf } from "../../../../core/ids.ts";
import type { CallEvent } from "../../../calls/call-store.ts";
import type { TranscriptionEnd } from "../../../transcription-store.ts";
import type { Tables } from "../../tables.ts";
import type { CallsContext } from "../context.ts";

// What belongs to every end of a call: it finished, was cancelled, or expired.

/** Ends the transcription of a call that is a live one, in the transaction of the call's end. */
export async function endLive(
  tx: Transaction<Tables>,
  callId: CallId,
  end: TranscriptionEnd | { status: "cancelled" } | undefined,
  { transcriptions }: CallsContext,
): Promise<void> {
  const live = liveTranscriptionOf(callId);
  if (live !== undefined && end !== undefined) await transcriptions.endLive(tx, live, end);
}

/** The end of a call is committed: reports it, and that of its live transcription. */
export async function emitEnd(
  { emit, transcriptions }: CallsContext,
  end: Omit<Extract<CallEvent, { kind: "ended" }>, "kind">,
): Promise<void> {
  emit({ kind: "ended", ...end });
  const live = liveTranscriptionOf(end.callId);
  if (live !== undefined) await transcriptions.liveEnded(live);
}
