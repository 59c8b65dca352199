import { resampled } from "../../../../bench/stt/clips.ts";
import { percentile } from "../../../../src/core/calls/latency.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { createReferenceTts } from "../../../../src/speech/reference/tts.ts";
import { WatermarkDecoder } from "../../../../src/speech/reference/watermark/decoder.ts";
import { LiveClient } from "../../../callers/live-client.ts";
import { transcribingDeepgram } from "../../../support/providers/stt/transcribing-deepgram.ts";
import { KilledService } from "../../killed-service.ts";
import { RATE_HZ } from "../local/speech.ts";
import { framesOf } from "./streams.ts";

// What the service adds to a streaming provider. A fake Deepgram understands a word as soon as it has its last sample; the same decoder
// beside the client, which gets the audio as it is sent, is the provider alone.

const TEXT = "The bakery is open from Tuesday to Saturday and from seven in the morning until half past five.";
const PAUSE_S = 1;

export interface ProviderShareResult {
  words: number;
  /** From a word at the provider alone until the interim with it at the client, ms. */
  p50Ms: number;
  p90Ms: number;
}

/** One stream, in which the text is said so often. */
export async function measureProviderShare(repeats: number): Promise<ProviderShareResult> {
  const deepgram = await transcribingDeepgram({ rateHz: RATE_HZ, finalMs: 0 });
  const service = await KilledService.start("SQLite", {
    STT: "deepgram",
    DEEPGRAM_API_KEY: "proof",
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}/v1/listen`,
  });
  try {
    const samples = await spokenOften(repeats);
    const { websocketUrl } = await service.ask<{ websocketUrl: string }>("POST", "/transcriptions/live", {
      language: "en-US",
    });
    const client = new LiveClient(websocketUrl);
    const aloneMs: number[] = [];
    const alone = new WatermarkDecoder(RATE_HZ, Number.POSITIVE_INFINITY, {
      onWord: () => aloneMs.push(performance.now()),
      onQuiet: () => {},
    });
    await client.speak(framesOf(samples), (frame) =>
      alone.write(new Int16Array(frame.buffer, frame.byteOffset, frame.byteLength / 2)),
    );
    await client.end();
    const shownMs = wordTimes(client);
    const shares = aloneMs.flatMap((atMs, word) => (shownMs[word] === undefined ? [] : [shownMs[word] - atMs]));
    if (shares.length < aloneMs.length) throw new Error(`${shares.length} of ${aloneMs.length} words came`);
    return { words: shares.length, p50Ms: percentile(shares, 50), p90Ms: percentile(shares, 90) };
  } finally {
    await service.remove();
    deepgram.close();
  }
}

async function spokenOften(repeats: number): Promise<Int16Array> {
  const voice = createReferenceTts({ children: 1, clock: systemClock });
  const parts: number[] = [];
  let spokenHz = RATE_HZ;
  const request = { text: TEXT, voiceId: "reference/gmw/en-US", language: "en-US" };
  for await (const chunk of voice.speak(request, new AbortController().signal)) {
    spokenHz = chunk.rateHz;
    for (const sample of chunk.samples) parts.push(sample);
  }
  voice.close();
  const spoken = resampled(Int16Array.from(parts), spokenHz, RATE_HZ, await loadResampler());
  const turn = spoken.length + PAUSE_S * RATE_HZ;
  const samples = new Int16Array((repeats + 1) * turn);
  for (let n = 0; n < repeats; n += 1) samples.set(spoken, PAUSE_S * RATE_HZ + n * turn);
  return samples;
}

/** When each word was first shown, over all utterances. */
function wordTimes({ messages, arrivalsMs }: LiveClient): number[] {
  const times: number[] = [];
  let before = 0;
  for (const [index, { type, text = "" }] of messages.entries()) {
    if (type !== "interim" && type !== "final") continue;
    const words = text.split(" ").filter((word) => word !== "").length;
    while (times.length < before + words) times.push(arrivalsMs[index] as number);
    if (type === "final") before += words;
  }
  return times;
}
