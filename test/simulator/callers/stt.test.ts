import { expect, test } from "vitest";
import { loadResampler } from "../../../src/media/resampler.ts";
import { openCallerStt } from "../../../src/simulator/callers/stt.ts";
import type { Stt } from "../../../src/speech/contracts.ts";

const NEVER = new AbortController().signal;

/** An STT for 8,000 and 16,000 Hz that records its input. */
function listener() {
  const heard: { rateHz: number; samples: number[] } = { rateHz: 0, samples: [] };
  const stt: Stt = {
    provider: "scripted",
    capabilities: { ratesHz: [8_000, 16_000], interimTranscripts: true },
    open: ({ rateHz }) => {
      heard.rateHz = rateHz;
      return { write: (frame) => heard.samples.push(...frame), events: (async function* () {})() };
    },
  };
  return { stt, heard };
}

test.each([
  { rateHz: 8_000, sttHz: 8_000 },
  { rateHz: 16_000, sttHz: 16_000 },
  { rateHz: 24_000, sttHz: 8_000 },
  { rateHz: 48_000, sttHz: 8_000 },
])("audio of $rateHz Hz reaches the STT at $sttHz Hz", async ({ rateHz, sttHz }) => {
  const { stt, heard } = listener();
  const stream = openCallerStt(stt, { language: "en-US", rateHz }, await loadResampler(), NEVER);
  const frame = new Int16Array(rateHz / 50).fill(8_000);
  for (let ms = 0; ms < 200; ms += 20) stream.write(frame);
  stream.close();
  expect(heard.rateHz).toBe(sttHz);
  // A resampler holds back the last samples.
  const missing = (200 * sttHz) / 1_000 - heard.samples.length;
  expect(missing).toBeGreaterThanOrEqual(0);
  expect(missing).toBeLessThanOrEqual(sttHz === rateHz ? 0 : 40);
  const middle = heard.samples.slice(200, 1_000);
  expect(middle.every((sample) => Math.abs(sample - 8_000) < 100)).toBe(true);
});
