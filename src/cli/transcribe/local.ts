import type { Config } from "../../config/config.ts";
import { readSearchPath } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import type { TranscriptionOptions } from "../../core/transcriptions/options.ts";
import type { PartKey } from "../../core/transcriptions/part.ts";
import { loadResampler } from "../../media/resampler.ts";
import { loadFvad } from "../../media/voice-activity/fvad.ts";
import { loadVoiceActivity } from "../../process/worker/voice-activity.ts";
import { openSpeechPool } from "../../speech/local/pool/open.ts";
import { createBatchProviders } from "../../speech/stt/batch/create.ts";
import { sttServing } from "../../speech/stt/registry.ts";
import { findFfmpeg } from "../../transcription/audio/find-ffmpeg.ts";
import { type JoinablePart, joinParts } from "../../transcription/join/join-parts.ts";
import { transcribeFile } from "../../transcription/parts/transcribe-file.ts";
import type { TranscribePlan } from "./arguments.ts";
import type { TranscribeOne, Transcriptions } from "./transcriptions.ts";

/** The channels of a file that are cut at once. */
const CHANNELS_MAX = 8;

/** Transcribes in this process, with the providers of the environment. */
export async function localTranscriptions(config: Config, { options }: TranscribePlan): Promise<Transcriptions> {
  const log = { warn: (_: object, message: string) => void process.stderr.write(`${message}\n`) };
  const clock = systemClock;
  const [makeResampler, openFvad] = await Promise.all([loadResampler(), loadFvad()]);
  const voiceActivity = await loadVoiceActivity(openFvad, config.vad, CHANNELS_MAX);
  const speech = createBatchProviders({
    config,
    clock,
    log,
    openSpeech: async (settings) => openSpeechPool(settings, clock, log),
  });
  const chosen: TranscriptionOptions = { ...options, language: options.language ?? languageOf(config) };
  const transcribe: TranscribeOne = async (path, onProgress, signal) => {
    const stt = await speech.forAccount({}, chosen);
    const parts: JoinablePart[] = [];
    /** By the place of the part: a provider is asked again where it failed. */
    const requests = new Map<string, number>();
    const decoded = await transcribeFile({
      path,
      options: chosen,
      isTranscribed: () => false,
      stt,
      voiceActivity,
      makeResampler,
      ffmpeg: findFfmpeg({ program: config.ffmpeg, searchPath: readSearchPath() }),
      clock,
      signal,
      onRequest: async (part) => void requests.set(nameOf(part), (requests.get(nameOf(part)) ?? 0) + 1),
      onTranscribed: async (part, outcome) =>
        void parts.push({ ...part, requests: requests.get(nameOf(part)) ?? 1, outcome }),
      onProgress,
    });
    return joinParts(parts, { options: chosen, ...decoded });
  };
  return { transcribe, close: () => speech.close() };
}

const nameOf = ({ channel, startMs }: PartKey): string => `${channel} ${startMs}`;

/** English, where a provider transcribes it, and otherwise what is detected. */
const languageOf = (config: Config): string =>
  sttServing(config.stt, config.providers.stt)("en").length > 0 ? "en" : "auto";
