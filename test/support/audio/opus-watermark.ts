import { systemClock } from "../../../src/core/clock.ts";
import { OPUS_PACKET_MS_MAX } from "../../../src/core/limits/streams/media.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { WatermarkDecoder } from "../../../src/speech/reference/watermark/decoder.ts";
import { opus } from "./opus-codecs.ts";
import { type OpusClient, opusStream } from "./opus-packets.ts";

const SENTENCES = [
  "Good morning, I would like to know when the bakery is open on Saturday.",
  "Do you make birthday cakes to order, and what does one for ten people cost?",
  "Could you also tell me where the nearest car park is?",
  "Thank you very much, goodbye.",
  "The croissants are made with butter from a farm in Devon which the founder has known for thirty years.",
];
const RATE_HZ = 8_000;
const PAUSE_SAMPLES = RATE_HZ / 2;

export interface Spoken {
  words: readonly string[];
  /** Signed 16-bit samples at 8,000 Hz. */
  samples: Int16Array;
}

/** 64 words by the reference TTS, in five sentences with half a second of silence after each. */
export async function speakSentences(): Promise<Spoken> {
  const tts = createReferenceTts({ children: 1, clock: systemClock });
  try {
    const samples: number[] = [];
    for (const text of SENTENCES) {
      const request = { text, voiceId: "reference/gmw/en-US", language: "en-US" };
      for await (const chunk of tts.speak(request, new AbortController().signal)) samples.push(...chunk.samples);
      samples.push(...new Int16Array(PAUSE_SAMPLES));
    }
    return { words: SENTENCES.flatMap((text) => text.split(" ")), samples: Int16Array.from(samples) };
  } finally {
    tts.close();
  }
}

const makeResampler = await loadResampler();

/** The words that the reference STT finds after a client's Opus encoder and our decoder, and the bits a second that it took. */
export function throughOpus(client: OpusClient, { samples }: Spoken): { words: string[]; bitsPerS: number } {
  const atRate = client.rateHz === RATE_HZ ? samples : resampled(samples, client.rateHz);
  const durationMs = (atRate.length * 1_000) / client.rateHz;
  const packets = opusStream(client, durationMs, (s) => atRate[Math.round(s * client.rateHz)] ?? 0);
  const busRateHz = client.rateHz === 8_000 ? 8_000 : 16_000;
  const words: string[] = [];
  const stt = new WatermarkDecoder(busRateHz, 250, { onWord: (word) => words.push(word), onQuiet: () => {} });
  const decoder = opus.decoder(busRateHz);
  const into = new Int16Array((busRateHz / 1_000) * OPUS_PACKET_MS_MAX);
  for (const packet of packets) stt.write(into.subarray(0, decoder.decode(packet, into)));
  stt.write(new Int16Array(busRateHz));
  decoder.close();
  const bytes = packets.reduce((sum, { length }) => sum + length, 0);
  return { words, bitsPerS: (8_000 * bytes) / durationMs };
}

/** How many of `found` are of `spoken`, in its order. */
export function countFound(found: readonly string[], spoken: readonly string[]): number {
  let from = 0;
  let count = 0;
  for (const word of found) {
    const at = spoken.indexOf(word, from);
    if (at < 0) continue;
    from = at + 1;
    count += 1;
  }
  return count;
}

function resampled(samples: Int16Array, rateHz: number): Int16Array {
  const resampler = makeResampler(RATE_HZ, rateHz);
  const out = Int16Array.from([...resampler.process(samples), ...resampler.flush()]);
  resampler.destroy();
  return out;
}
