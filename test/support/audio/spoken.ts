import { systemClock } from "../../../src/core/clock.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { concatenated } from "../../../src/simulator/callers/utterance.ts";
import { createEspeak } from "../../../src/speech/tts/providers/espeak/adapter.ts";

const TEXT =
  "Good morning, I would like to order a birthday cake for ten people. It should be ready on Saturday at half past nine, " +
  "and please write the name of my daughter on it. How much is that, and can you deliver it to my house?";

/** Some ten seconds of speech that no person spoke, at `rateHz`, without silence around it; the same each time. */
export async function spokenAt(rateHz: number): Promise<Int16Array> {
  const tts = createEspeak({ children: 1, clock: systemClock });
  try {
    const parts: Int16Array[] = [];
    let fromHz = rateHz;
    const request = { text: TEXT, voiceId: "espeak/gmw/en-US", language: "en" };
    for await (const chunk of tts.speak(request, new AbortController().signal)) {
      parts.push(chunk.samples.slice());
      fromHz = chunk.rateHz;
    }
    const resampler = (await loadResampler())(fromHz, rateHz);
    const spoken = concatenated([resampler.process(concatenated(parts)).slice(), resampler.flush().slice()]);
    resampler.destroy();
    return spoken;
  } finally {
    tts.close();
  }
}
