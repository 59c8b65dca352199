import { SPEECH_MODEL_RATE_HZ } from "../../src/core/limits/speech-providers/local-speech.ts";
import { UtteranceText } from "../../src/speech/stt/providers/local/utterance-text.ts";
import { nextWindowStart, windowSamples } from "../../src/speech/stt/providers/local/windows.ts";

/** A pass over one window. */
export type WindowPass = (window: Float32Array) => Promise<{ text: string; averageLogProbability: number }>;

/** A whole utterance of any length, in windows as the service hears it. `samples` are of the rate of the models. */
export async function transcribeUtterance(
  samples: Float32Array,
  language: string,
  pass: WindowPass,
): Promise<{ text: string; averageLogProbability: number }> {
  const text = new UtteranceText(language);
  const whole = windowSamples(SPEECH_MODEL_RATE_HZ);
  const logProbabilities: number[] = [];
  let rest = samples;
  while (rest.length > whole) {
    const window = rest.subarray(0, whole);
    const heard = await pass(window);
    logProbabilities.push(heard.averageLogProbability);
    const start = nextWindowStart(window, SPEECH_MODEL_RATE_HZ);
    text.endWindow(heard.text, start / whole);
    rest = rest.subarray(start);
  }
  const last = await pass(rest);
  logProbabilities.push(last.averageLogProbability);
  const sum = logProbabilities.reduce((total, each) => total + each, 0);
  return { text: text.final(last.text), averageLogProbability: sum / logProbabilities.length };
}
