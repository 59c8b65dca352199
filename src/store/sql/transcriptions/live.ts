import type { Transaction } from "kysely";
import type { CallSpec } from "../../../core/calls/spec.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, TranscriptionId } from "../../../core/ids.ts";
import { DEFAULT_TRANSCRIPTION_OPTIONS } from "../../../core/transcriptions/options.ts";
import type { NewTranscription, TranscriptionEnd } from "../../transcription-store.ts";
import type { Tables } from "../tables.ts";

/** The transcription that a call with this specification is. */
export const liveTranscription = (
  { id, accountId }: { id: TranscriptionId; accountId: AccountId },
  { language, redact, metadata = {} }: CallSpec,
): NewTranscription => ({
  id,
  accountId,
  source: "live",
  options: { ...DEFAULT_TRANSCRIPTION_OPTIONS, language, ...(redact !== undefined && { redact }) },
  metadata,
  deletesAudio: false,
});

/** The end of one whose stream did not connect in time. */
export const LIVE_EXPIRED: TranscriptionEnd = {
  status: "failed",
  failure: {
    code: "token_expired",
    message: "no stream was connected before the address of this transcription expired",
  },
};

/** One of an older database has begun, though the database does not know it: it may have expired there. */
export const restartLive = (tx: Transaction<Tables>, id: TranscriptionId, startedAtMs: EpochMs) =>
  tx
    .updateTable("transcriptions")
    .set({ status: "processing", started_at: startedAtMs, ended_at: null, failure: null })
    .where("id", "=", id)
    .where("status", "in", ["queued", "failed"])
    .execute();
