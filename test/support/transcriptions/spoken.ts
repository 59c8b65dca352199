import { systemClock } from "../../../src/core/clock.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";

/** Of the audio, Hz. */
export const RATE_HZ = 16_000;
/** After each sentence. */
const PAUSE_S = 1.2;

/** Sentences with pauses between them, as the reference TTS speaks them: the reference STT understands them word for word. */
export async function spoken(sentences: readonly string[]): Promise<Int16Array> {
  const voice = createReferenceTts({ children: 1, clock: systemClock });
  const makeResampler = await loadResampler();
  const all: number[] = [];
  try {
    for (const text of sentences) {
      const request = { text, voiceId: "reference/gmw/en-US", language: "en-US" };
      for await (const { samples, rateHz } of voice.speak(request, new AbortController().signal)) {
        if (rateHz === RATE_HZ) all.push(...samples);
        else {
          const resampler = makeResampler(rateHz, RATE_HZ);
          all.push(...resampler.process(samples), ...resampler.flush());
          resampler.destroy();
        }
      }
      all.push(...new Int16Array(PAUSE_S * RATE_HZ));
    }
  } finally {
    voice.close();
  }
  return Int16Array.from(all);
}
