import type { Transaction } from "kysely";
import { type CallId, liveTranscriptionOf } from "../../../../core/ids.ts";
import type { CallEvent } from "../../../calls/call-store.ts";
import type { TranscriptionEnd } from "../../../transcription-store.ts";
import type { Tables } from "../../tables.ts";
import type { CallsContext } from "../context.ts";

// What belongs to every end of a call that had or awaited a stream: it finished, was cancelled, or expired.

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

/** The end of a call is committed: reports it, and that of its live transcription. Rejects with the database's errors, and has then reported nothing. */
export async function emitEnd(
  { emit, transcriptions }: CallsContext,
  end: Omit<Extract<CallEvent, { kind: "ended" }>, "kind">,
): Promise<void> {
  const live = liveTranscriptionOf(end.callId);
  // Asked first, so that an error leaves nothing reported by halves.
  const transcription = live && (await transcriptions.find(live));
  emit({ kind: "ended", ...end });
  if (transcription !== undefined) transcriptions.liveEnded(transcription);
}
