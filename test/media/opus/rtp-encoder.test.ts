import { expect, test } from "vitest";
import { loadOpus, loadRtpOpus } from "../../../src/media/opus/load.ts";
import { quantile, toneOf, toneSnrDb } from "../../support/audio/tone.ts";

const HZ = 600;
const FRAME = 480;
const SECONDS = 4;

/** What a browser hears of a tone of the agent, in windows of 200 ms, dB; its first second is left out. */
function heardDb(codecs: Awaited<ReturnType<typeof loadRtpOpus>>): number {
  const encoder = codecs.encoder(24_000);
  const decoder = codecs.decoder(16_000);
  const tone = toneOf(HZ, SECONDS, 24_000);
  const into = new Int16Array(16 * 120);
  const heard: number[] = [];
  for (let at = 0; at < tone.length; at += FRAME) {
    const packet = Uint8Array.from(encoder.encode(tone.subarray(at, at + FRAME)));
    heard.push(...into.subarray(0, decoder.decode(packet, into)));
  }
  encoder.close();
  decoder.close();
  return quantile(toneSnrDb(Int16Array.from(heard).subarray(16_000), HZ, 16_000, 200), 0.5);
}

test("a steady tone to an RTP peer stays 42 dB above its noise with libopus-wasm", async () => {
  const wasm = await loadOpus(() => Promise.reject(new Error("not installed")));
  expect(heardDb(await loadRtpOpus(wasm))).toBeGreaterThan(42);
});

test("a steady tone to an RTP peer stays 45 dB above its noise with the native library", async ({ skip }) => {
  const opus = await loadOpus();
  if (opus.implementation !== "native") skip("@discordjs/opus is not installed");
  expect(heardDb(await loadRtpOpus(opus))).toBeGreaterThan(45);
});
