import { systemClock } from "../../../src/core/clock.ts";
import { loadResampler, type Resampler } from "../../../src/media/resampler.ts";
import type { BusRateHz } from "../../../src/media/voice-activity/detector.ts";
import { concatenated } from "../../../src/simulator/callers/utterance.ts";
import { createEspeak } from "../../../src/speech/tts/providers/espeak/adapter.ts";

const TEXT =
  "Good morning, I would like to order a birthday cake for ten people. It should be ready on Saturday at half past nine, " +
  "and please write the name of my daughter on it. How much is that, and can you deliver it to my house?";

/** Some ten seconds of speech that no person spoke, at each rate of the bus, without silence around it; always the same. */
export async function spokenEnglish(): Promise<Record<BusRateHz, Int16Array>> {
  const tts = createEspeak({ children: 1, clock: systemClock });
  try {
    const parts: Int16Array[] = [];
    let fromHz = Number.NaN;
    const request = { text: TEXT, voiceId: "espeak/gmw/en-US", language: "en" };
    for await (const { samples, rateHz } of tts.speak(request, new AbortController().signal)) {
      parts.push(samples.slice());
      fromHz = rateHz;
    }
    const makeResampler = await loadResampler();
    const at = (rateHz: BusRateHz): Int16Array => resampled(concatenated(parts), makeResampler(fromHz, rateHz));
    return { 8000: at(8_000), 16000: at(16_000) };
  } finally {
    tts.close();
  }
}

function resampled(samples: Int16Array, resampler: Resampler): Int16Array {
  // The resampler's outputs are borrowed buffers: each is valid until the next call.
  const all = concatenated([resampler.process(samples).slice(), resampler.flush()]);
  resampler.destroy();
  return all;
}
