import { providerFailed } from "../../../../core/errors.ts";
import { BATCH_LOCAL_PART_MS_MAX } from "../../../../core/limits/batch-stt.ts";
import { estimateWordTimes } from "../../../../core/transcriptions/estimated-times.ts";
import type { PartTranscript } from "../../../../core/transcriptions/part.ts";
import type { LocalSpeech } from "../../../local/jobs.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { BATCH_RATE_HZ, type BatchRequest, type BatchStt } from "../../batch/contract.ts";
import { speechSpans } from "../../batch/speech-spans.ts";
import { modelLanguage } from "./language.ts";
import { PROVIDER } from "./stream.ts";
import { UtteranceText } from "./utterance-text.ts";
import { nextWindowStart, windowSamples } from "./windows.ts";

export interface LocalBatchOptions {
  speech: LocalSpeech;
  /** The languages that the model transcribes, codes as in `GET /languages`. */
  languages: readonly string[];
  /** How many children share the jobs. */
  processes: number;
}

/**
 * Recordings with a model on this machine, whose jobs have the least urgency: calls never wait for them. A part is heard in the same
 * windows as an utterance of a call.
 */
export const createLocalBatchStt = ({ speech, languages, processes }: LocalBatchOptions): BatchStt => ({
  provider: PROVIDER,
  capabilities: {
    partMsMax: BATCH_LOCAL_PART_MS_MAX,
    partMsMin: 0,
    vocabulary: false,
    detectsLanguage: false,
    // While the result of one is stored, the child works on the next.
    concurrentMax: processes + 1,
  },
  async transcribe(request, signal) {
    signal.throwIfAborted();
    const language = modelLanguage(languages, request.language);
    if (language === undefined) {
      throw providerFailed(PROVIDER, `its model does not know the language ${request.language}`, REQUEST_ERROR);
    }
    return await transcribe(speech, language, request, signal);
  },
});

async function transcribe(
  speech: LocalSpeech,
  language: string,
  { samples }: BatchRequest,
  signal: AbortSignal,
): Promise<PartTranscript> {
  const spans = speechSpans(samples);
  // A model invents words for silence.
  if (spans.length === 0) return { words: [], hasEstimatedTimes: false };
  const text = new UtteranceText(language);
  const whole = windowSamples(BATCH_RATE_HZ);
  let rest = samples;
  while (rest.length > whole) {
    const window = rest.slice(0, whole);
    const start = nextWindowStart(window, BATCH_RATE_HZ);
    text.endWindow(await pass(speech, window, language, signal), start / whole);
    rest = rest.subarray(start);
  }
  const words = text.final(await pass(speech, rest.slice(), language, signal));
  return { words: estimateWordTimes(words, spans, language), hasEstimatedTimes: true };
}

/** What the model understands of a window. */
async function pass(speech: LocalSpeech, samples: Int16Array, language: string, signal: AbortSignal): Promise<string> {
  const job = speech.submit({ kind: "transcribe", samples, rateHz: BATCH_RATE_HZ, language }, "batch");
  const cancel = (): void => job.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  const outcome = await job.outcome;
  signal.removeEventListener("abort", cancel);
  signal.throwIfAborted();
  if (outcome.outcome === "done") return outcome.hypothesis.text;
  throw providerFailed(
    PROVIDER,
    outcome.outcome === "failed" ? outcome.reason : `the job ended with ${outcome.outcome}`,
  );
}
