import type { RecordingFile } from "../../../api/calls/recordings/recording-file.ts";
import type { BatchCapabilitiesOf } from "../../../api/transcriptions/capabilities.ts";
import type { Config } from "../../../config/config.ts";
import { readTranscriberEnvironment } from "../../../config/environment.ts";
import type { AccountProviders } from "../../../core/accounts/account-providers.ts";
import { allows } from "../../../core/accounts/account-settings.ts";
import type { Clock } from "../../../core/clock.ts";
import { systemErrorCodeOf } from "../../../core/errors.ts";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { GuardedHttp } from "../../../core/network/guarded-http.ts";
import type { TranscriptionProgress } from "../../../core/transcriptions/progress.ts";
import { type BatchOffer, batchOffers } from "../../../speech/stt/batch/offers.ts";
import type { AccountSecretStore } from "../../../store/accounts/account-secret-store.ts";
import type { TranscriptionAudio } from "../../../store/data-dir/transcription-audio.ts";
import type { Stores } from "../../../store/stores.ts";
import type { Transcription } from "../../../store/transcription-store.ts";
import { TranscriptionJob } from "../../../transcription/job.ts";
import { AudioFiles } from "../../../transcription/source/audio-file.ts";
import { fetchAudio } from "../../../transcription/source/fetch-audio.ts";
import { TranscriberClient } from "../../transcriber/client.ts";
import { forkTranscriber } from "../../transcriber/fork.ts";

export interface FileTranscriptionsOptions {
  config: Config;
  stores: Pick<Stores, "accounts" | "transcriptions">;
  accountSecrets: Pick<AccountSecretStore, "open">;
  /** The recording of a call, wherever it is. */
  openStoredRecording: (callId: CallId) => Promise<RecordingFile>;
  http: GuardedHttp;
  audio: TranscriptionAudio;
  isDiskLow: () => boolean;
  /** Of the local speech models; undefined where none are used. */
  speechSocketPath: string | undefined;
  clock: Clock;
  log: Logger;
  onTranscriberDied: () => void;
  onProgress: (progress: TranscriptionProgress) => void;
}

export interface FileTranscriptions {
  readonly job: TranscriptionJob;
  /** What the configured providers can do for an account. */
  readonly capabilitiesOf: BatchCapabilitiesOf;
  /** How many files are being transcribed. */
  readonly inProgress: number;
  /** Ends the transcriber; what it has in progress is attempted again after the next start. */
  close(): void;
}

/** Transcribes files: by jobs of the control process, which have a transcriber do the work. */
export async function fileTranscriptions(options: FileTranscriptionsOptions): Promise<FileTranscriptions> {
  const { config, stores, audio, http, isDiskLow, clock, log, speechSocketPath, onTranscriberDied, onProgress } =
    options;
  const { transcriptionBytesMax: bytesMax } = config;
  const offers = await batchOffers(config.stt, config.providers.stt, clock);
  const transcriber = new TranscriberClient({
    start: forkTranscriber(readTranscriberEnvironment(), speechSocketPath ?? ""),
    clock,
    log,
    onDied: onTranscriberDied,
  });
  const files = new AudioFiles({
    audio,
    fetch: (url, signal) => fetchAudio(url, { http, clock, bytesMax, isDiskLow }, signal),
    readRecording: (transcription) => readRecording(options, transcription),
  });
  const job = new TranscriptionJob({
    store: stores.transcriptions,
    transcriber,
    audioOf: (transcription, signal) => files.pathOf(transcription, signal),
    removeAudio: (id) => audio.remove(id),
    releaseAudio: (transcription) => files.release(transcription),
    providersOf: (accountId) => providersOf(options, accountId),
    concurrentMaxOf: async (accountId) =>
      (await stores.accounts.get(accountId))?.settings.limits?.concurrentTranscriptions,
    onProgress,
    log,
  });
  return {
    job,
    capabilitiesOf: capabilitiesOf(offers),
    get inProgress() {
      return transcriber.load.inProgress;
    },
    close: () => transcriber.close(),
  };
}

/** The providers of an account that may differ from those of the service. */
export async function providersOf(
  { stores, accountSecrets }: { stores: Pick<Stores, "accounts">; accountSecrets: Pick<AccountSecretStore, "open"> },
  accountId: AccountId,
): Promise<AccountProviders> {
  const [account, credentials] = await Promise.all([
    stores.accounts.get(accountId),
    accountSecrets.open(accountId, "provider_credential"),
  ]);
  const allowed = account?.settings.providers;
  const hasCredentials = Object.keys(credentials).length > 0;
  return { ...(allowed !== undefined && { allowed }), ...(hasCredentials && { credentials }) };
}

/** The bytes of a call's recording; undefined where there is none. */
async function readRecording(
  { openStoredRecording }: FileTranscriptionsOptions,
  { callId }: Transcription,
): Promise<AsyncIterable<Buffer> | undefined> {
  if (callId === undefined) return undefined;
  try {
    return (await openStoredRecording(callId)).stream();
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function capabilitiesOf(offers: readonly BatchOffer[]): BatchCapabilitiesOf {
  const idsOf = (fitting: (offer: BatchOffer) => boolean): readonly string[] =>
    offers.filter(fitting).map(({ provider }) => provider);
  const speakers = ({ capabilities }: BatchOffer): boolean => capabilities.speakersPartMsMax !== undefined;
  const detects = ({ capabilities }: BatchOffer): boolean => capabilities.detectsLanguage;
  return async ({ settings }) => {
    const usable = offers.filter(
      ({ provider, isConfigured }) => isConfigured && allows(settings.providers, "stt", provider),
    );
    return {
      speakers: usable.some(speakers),
      detectsLanguage: usable.some(detects),
      servesLanguage: (language) => usable.some((offer) => offer.servesLanguage(language)),
      able: {
        speakers: idsOf(speakers),
        detectsLanguage: idsOf(detects),
        language: (language) => idsOf((offer) => offer.servesLanguage(language)),
      },
    };
  };
}
