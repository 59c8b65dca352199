import { type EndReason, SERVICE_FAULT_REASONS } from "../../core/calls/reasons.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { TranscriptionEnd } from "../../store/transcription-store.ts";

/** Why a live transcription has failed, for a person. */
const FAILURES: Readonly<Partial<Record<EndReason, string>>> = {
  worker_lost: "the media worker was lost, or a defect of the service ended the transcription",
  provider_error: "the STT failed, and no retry and no fallback made up for it",
  drain_timeout: "the service was stopped",
};

const LOST = "no audio of the transcription was recorded";

/**
 * The end of the live transcription whose call has ended for this reason. One that a fault of the service has ended has failed, with
 * what was final until then; so has one without a journal.
 */
export function liveEndOf(reason: EndReason, result: TranscriptionResult | undefined): TranscriptionEnd {
  if (result !== undefined && !SERVICE_FAULT_REASONS.includes(reason)) return { status: "completed", result };
  return { status: "failed", failure: { code: reason, message: FAILURES[reason] ?? LOST }, result };
}
