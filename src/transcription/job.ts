import type { AccountProviders } from "../core/accounts/account-providers.ts";
import { codeOf, TrunklineError, unavailable } from "../core/errors.ts";
import type { AccountId, TranscriptionId } from "../core/ids.ts";
import {
  TRANSCRIPTION_ATTEMPT_MS_MAX,
  TRANSCRIPTION_RETRY_DELAYS_MS,
  TRANSCRIPTION_TURN_MS,
  TRANSCRIPTIONS_CONCURRENT_MAX,
  TRANSCRIPTIONS_PER_ACCOUNT_MAX,
} from "../core/limits/transcriptions/transcriptions.ts";
import type { Logger } from "../core/log/logger.ts";
import type { PartKey, PartOutcome } from "../core/transcriptions/part.ts";
import type { TranscriptionProgress } from "../core/transcriptions/progress.ts";
import { redactedResult } from "../core/transcriptions/redacted-result.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import { type JobContext, type JobHandler, JobPostponed } from "../jobs/handler.ts";
import type { ClaimedJob } from "../store/job-store.ts";
import type { Transcription, TranscriptionStore } from "../store/transcription-store.ts";
import type { Transcriber } from "./transcriber.ts";

export interface TranscriptionJobOptions {
  store: Pick<TranscriptionStore, "find" | "start" | "progress" | "parts" | "requesting" | "transcribed" | "end">;
  transcriber: Transcriber;
  /** Sees to it that the file with the audio is there; rejects with a TrunklineError that says why it is not. */
  audioOf: (transcription: Transcription, signal: AbortSignal) => Promise<string>;
  removeAudio: (id: TranscriptionId) => Promise<void>;
  /** The file is not used here any more. */
  releaseAudio: (transcription: Transcription) => Promise<void>;
  providersOf: (accountId: AccountId) => Promise<AccountProviders>;
  /** How many the account may have at once; undefined for no limit of its own. */
  concurrentMaxOf: (accountId: AccountId) => Promise<number | undefined>;
  /** It is further than before. */
  onProgress: (progress: TranscriptionProgress) => void;
  log: Logger;
}

/** Failures of files that no other attempt changes. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  "audio_unreadable",
  "audio_too_long",
  "unsupported_audio",
  "speakers_too_long",
  "audio_unavailable",
]);

/** What a person may read of failures that say nothing by themselves. */
const MEANINGS: Readonly<Record<string, string>> = {
  provider_failed: "the speech providers did not transcribe the audio",
  unavailable: "a part of the service did not answer",
};

/** Transcribes a file. Each part is stored when it is transcribed, so that another attempt asks for the others alone. */
export class TranscriptionJob implements JobHandler {
  readonly concurrentMax = TRANSCRIPTIONS_PER_ACCOUNT_MAX;
  readonly concurrentTotalMax = TRANSCRIPTIONS_CONCURRENT_MAX;
  readonly attemptMsMax = TRANSCRIPTION_ATTEMPT_MS_MAX;
  readonly retryDelaysMs = TRANSCRIPTION_RETRY_DELAYS_MS;
  readonly #options: TranscriptionJobOptions;

  constructor(options: TranscriptionJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal, reportProgress }: JobContext): Promise<void> {
    const { store } = this.#options;
    const { transcriptionId: id } = job.payload as { transcriptionId: TranscriptionId };
    const concurrentMax = await this.#options.concurrentMaxOf(job.lane as AccountId);
    const transcription = await store.start(id, concurrentMax);
    // The account's others go first. An attempt after a crash goes on at once.
    if (transcription?.status === "queued") throw new JobPostponed(TRANSCRIPTION_TURN_MS);
    if (transcription?.status !== "processing") return;
    try {
      const whole = await this.#transcribe(transcription, signal, reportProgress);
      const { redact = [] } = transcription.options;
      const result = redact.length > 0 ? redactedResult(whole, redact) : whole;
      await store.end(id, { status: "completed", result });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JobPostponed) throw error;
      const code = codeOf(error);
      const isLast = job.attempt > this.retryDelaysMs.length;
      if (!FINAL_CODES.has(code) && !isLast) throw error;
      // What is wrong with a file is said in the line of the end.
      if (isLast)
        this.#options.log.warn({ transcriptionId: id, code, err: error }, "transcription failed at its last attempt");
      await store.end(id, { status: "failed", failure: { code, message: messageOf(error) } });
    } finally {
      await this.#options.releaseAudio(transcription);
    }
  }

  async #transcribe(
    transcription: Transcription,
    signal: AbortSignal,
    reportProgress: JobContext["reportProgress"],
  ): Promise<TranscriptionResult> {
    const { store, transcriber, audioOf, removeAudio, providersOf, onProgress } = this.#options;
    const { id, accountId, options } = transcription;
    const path = await audioOf(transcription, signal);
    // It was deleted or cancelled while its audio was fetched.
    if ((await store.find(id))?.status !== "processing") {
      await removeAudio(id);
      throw unavailable("the transcription is over");
    }
    const [account, parts] = await Promise.all([providersOf(accountId), store.parts(id)]);
    const partsStore = {
      requesting: (part: PartKey, provider: string) => store.requesting(id, part, provider),
      transcribed: (part: PartKey, outcome: PartOutcome) => store.transcribed(id, part, outcome),
      progress: (doneMs: number, durationMs: number | undefined) => {
        reportProgress({ doneMs, ...(durationMs !== undefined && { durationMs }) });
        onProgress({ transcriptionId: id, accountId, doneMs, durationMs });
        // What is lost of it is reported again with the next part.
        store.progress(id, doneMs, durationMs).catch(() => {});
      },
    };
    return await transcriber.transcribe({ path, options, account, parts }, partsStore, signal);
  }
}

/** What an account may read: of failures that are none of its own request or file, nothing of their text. */
const messageOf = (error: unknown): string =>
  error instanceof TrunklineError && error.fault === "caller"
    ? error.message
    : (MEANINGS[codeOf(error)] ?? "the audio could not be processed");
