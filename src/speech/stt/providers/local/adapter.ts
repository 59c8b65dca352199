import { providerFailed } from "../../../../core/errors.ts";
import { SPEECH_MODEL_RATE_HZ } from "../../../../core/limits/speech-providers/local-speech.ts";
import type { Stt, SttStream } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import type { LocalSpeech } from "../../../local/jobs.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { modelLanguage } from "./language.ts";
import { LocalSttStream, PROVIDER } from "./stream.ts";

export interface LocalSttOptions {
  speech: LocalSpeech;
  /** The languages that the model transcribes, codes as in `GET /languages`. */
  languages: readonly string[];
}

/**
 * STT by a model on this machine. Audio at 8,000 Hz is resampled by the model's own process, so that the media workers have no work
 * with it.
 */
export const createLocalStt = ({ speech, languages }: LocalSttOptions): Stt => ({
  provider: PROVIDER,
  capabilities: { ratesHz: [SPEECH_MODEL_RATE_HZ, 8_000], interimTranscripts: true, finalPerUtterance: true },
  open({ language, rateHz, hasFallback = false, promptInterims = false }, signal): SttStream {
    const known = modelLanguage(languages, language);
    return known === undefined
      ? refusedStream(language, signal)
      : new LocalSttStream({ speech, language: known, rateHz, hasFallback, promptInterims }, signal);
  },
});

function refusedStream(language: string, signal: AbortSignal): SttStream {
  const events = new EventQueue<never>(signal);
  events.fail(providerFailed(PROVIDER, `its model does not know the language ${language}`, REQUEST_ERROR));
  return { write: () => {}, events };
}
