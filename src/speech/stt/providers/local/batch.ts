import { providerFailed } from "../../../../core/errors.ts";
import { BATCH_LOCAL_PART_MS_MAX } from "../../../../core/limits/transcriptions/batch-stt.ts";
import { estimateWordTimes } from "../../../../core/transcriptions/estimated-times.ts";
import type { PartTranscript, PartWord } from "../../../../core/transcriptions/part.ts";
import type { LocalSpeech } from "../../../local/jobs.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { BATCH_RATE_HZ, type BatchRequest, type BatchStt } from "../../batch/contract.ts";
import { soundSpans, speechSpans } from "../../batch/speech-spans.ts";
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
  // Children that hang are replaced by their pool.
  hasNoTimeout: true,
  async transcribe(request, signal) {
    signal.throwIfAborted();
    const language = modelLanguage(languages, request.language);
    if (language === undefined) {
      throw providerFailed(PROVIDER, `its model does not know the language ${request.language}`, REQUEST_ERROR);
    }
    return await transcribe(speech, language, request, signal);
  },
});

/** A pause of this length ends an utterance: the model hears what follows it by itself. Shorter ones cost words within sentences. */
const UTTERANCE_PAUSE_MS = 700;
/** Of the pauses before and after an utterance the model hears this much. */
const MARGIN_MS = 200;

async function transcribe(
  speech: LocalSpeech,
  language: string,
  { samples }: BatchRequest,
  signal: AbortSignal,
): Promise<PartTranscript> {
  const words: PartWord[] = [];
  // A model invents words for silence.
  for (const { startMs, endMs } of soundSpans(samples, UTTERANCE_PAUSE_MS)) {
    const fromMs = Math.max(0, startMs - MARGIN_MS);
    const utterance = samples.subarray(samplesIn(fromMs), samplesIn(endMs + MARGIN_MS));
    const text = await utteranceText(speech, language, utterance, signal);
    const timed = estimateWordTimes(text, speechSpans(utterance), language);
    words.push(...timed.map((word) => ({ ...word, startMs: fromMs + word.startMs, endMs: fromMs + word.endMs })));
  }
  return { words, hasEstimatedTimes: true };
}

/** What the model understands of an utterance, in one window or several that overlap. */
async function utteranceText(
  speech: LocalSpeech,
  language: string,
  utterance: Int16Array,
  signal: AbortSignal,
): Promise<string> {
  const text = new UtteranceText(language);
  const whole = windowSamples(BATCH_RATE_HZ);
  let rest = utterance;
  while (rest.length > whole) {
    const window = rest.slice(0, whole);
    const start = nextWindowStart(window, BATCH_RATE_HZ);
    text.endWindow(await pass(speech, window, language, signal), start / whole);
    rest = rest.subarray(start);
  }
  return text.final(await pass(speech, rest.slice(), language, signal));
}

const samplesIn = (ms: number): number => (ms * BATCH_RATE_HZ) / 1_000;

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
