import type { AccountProviders } from "../core/account-providers.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf, TrunklineError } from "../core/errors.ts";
import type { AccountId, TranscriptionId } from "../core/ids.ts";
import {
  TRANSCRIPTION_ATTEMPT_MS_MAX,
  TRANSCRIPTION_RETRY_DELAYS_MS,
  TRANSCRIPTION_TURN_MS,
} from "../core/limits/transcriptions.ts";
import type { Logger } from "../core/log/logger.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import type { JobContext, JobHandler } from "../jobs/handler.ts";
import type { ClaimedJob } from "../store/job-store.ts";
import type { Transcription, TranscriptionStore } from "../store/transcription-store.ts";
import type { Transcriber } from "./transcriber.ts";

export interface TranscriptionJobOptions {
  store: Pick<
    TranscriptionStore,
    "find" | "start" | "progress" | "parts" | "requesting" | "transcribed" | "end" | "countProcessing"
  >;
  transcriber: Transcriber;
  /** Sees to it that the file with the audio is there; rejects with a TrunklineError that says why it is not. */
  audioOf: (transcription: Transcription, signal: AbortSignal) => Promise<string>;
  providersOf: (accountId: AccountId) => Promise<AccountProviders>;
  /** How many the account may have at once; undefined for no limit of its own. */
  concurrentMaxOf: (accountId: AccountId) => Promise<number | undefined>;
  clock: Clock;
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
  transcriber_died: "the audio could not be processed",
};

/** Transcribes a file. Each part is stored when it is transcribed, so that another attempt asks for the others alone. */
export class TranscriptionJob implements JobHandler {
  readonly attemptMsMax = TRANSCRIPTION_ATTEMPT_MS_MAX;
  readonly retryDelaysMs = TRANSCRIPTION_RETRY_DELAYS_MS;
  readonly #options: TranscriptionJobOptions;

  constructor(options: TranscriptionJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal, reportProgress }: JobContext): Promise<void> {
    const { store } = this.#options;
    const { transcriptionId: id } = job.payload as { transcriptionId: TranscriptionId };
    await this.#awaitTurn(id, signal);
    const transcription = await store.start(id);
    if (transcription?.status !== "processing") return;
    try {
      const result = await this.#transcribe(transcription, signal, reportProgress);
      await store.end(id, { status: "completed", result });
    } catch (error) {
      signal.throwIfAborted();
      const code = codeOf(error);
      const isLast = job.attempt > this.retryDelaysMs.length;
      if (!FINAL_CODES.has(code) && !isLast) throw error;
      // What is wrong with a file is said in the line of the end.
      if (isLast) this.#options.log.warn({ transcriptionId: id, code, err: error }, "transcription was given up");
      const message =
        MEANINGS[code] ?? (error instanceof TrunklineError ? error.message : "the audio could not be processed");
      await store.end(id, { status: "failed", failure: { code, message } });
    }
  }

  /** The account's other transcriptions go first where it may have no more at once. An attempt after a crash goes on at once. */
  async #awaitTurn(id: TranscriptionId, signal: AbortSignal): Promise<void> {
    const { store, concurrentMaxOf, clock } = this.#options;
    while (!signal.aborted) {
      const transcription = await store.find(id);
      if (transcription?.status !== "queued") return;
      const { accountId } = transcription;
      const concurrentMax = (await concurrentMaxOf(accountId)) ?? Number.POSITIVE_INFINITY;
      if ((await store.countProcessing(accountId)) < concurrentMax) return;
      await new Promise<void>((resolve) => {
        clock.after(TRANSCRIPTION_TURN_MS, resolve);
      });
    }
    signal.throwIfAborted();
  }

  async #transcribe(
    { id, accountId, options, ...transcription }: Transcription,
    signal: AbortSignal,
    reportProgress: JobContext["reportProgress"],
  ): Promise<TranscriptionResult> {
    const { store, transcriber, audioOf, providersOf } = this.#options;
    const path = await audioOf({ id, accountId, options, ...transcription }, signal);
    const [account, parts] = await Promise.all([providersOf(accountId), store.parts(id)]);
    const partsStore = {
      requesting: (part: Parameters<typeof store.requesting>[1]) => store.requesting(id, part),
      transcribed: (...[part, outcome]: Parameters<Parameters<Transcriber["transcribe"]>[1]["transcribed"]>) =>
        store.transcribed(id, part, outcome),
      progress: (doneMs: number, durationMs: number | undefined) => {
        reportProgress({ doneMs, ...(durationMs !== undefined && { durationMs }) });
        // What is lost of it is reported again with the next part.
        store.progress(id, doneMs, durationMs).catch(() => {});
      },
    };
    return await transcriber.transcribe({ path, options, account, parts }, partsStore, signal);
  }
}
