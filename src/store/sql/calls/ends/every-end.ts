import type { Transaction } from "kysely";
import { type CallId, liveTranscriptionOf } from "../../../../core/ids.ts";
import type { CallEvent } from "../../../calls/call-store.ts";
import type { Transcription, TranscriptionEnd } from "../../../transcription-store.ts";
import type { Tables } from "../../tables.ts";
import type { CallsContext } from "../context.ts";

// What belongs to every end of a call that had or awaited a stream: it finished, was cancelled, or expired.

/** Ends the transcription of a call that is a live one, in the transaction of the call's end. Resolves with it, for `emitEnd`. */
export async function endLive(
  tx: Transaction<Tables>,
  callId: CallId,
  end: TranscriptionEnd | { status: "cancelled" } | undefined,
  { transcriptions }: CallsContext,
): Promise<Transcription | undefined> {
  const live = liveTranscriptionOf(callId);
  return live !== undefined && end !== undefined ? await transcriptions.endLive(tx, live, end) : undefined;
}

/** The end of a call is committed: reports it, and that of its live transcription. Asks nothing, so that it cannot fail. */
export function emitEnd(
  { emit, transcriptions }: CallsContext,
  end: Omit<Extract<CallEvent, { kind: "ended" }>, "kind">,
  transcription: Transcription | undefined,
): void {
  emit({ kind: "ended", ...end });
  if (transcription !== undefined) transcriptions.liveEnded(transcription);
}
