import { expect, test } from "vitest";
import { loadResampler } from "../../../src/media/resampler.ts";
import { openCallerStt } from "../../../src/simulator/callers/stt.ts";
import type { Stt } from "../../../src/speech/contracts.ts";

const NEVER = new AbortController().signal;

/** An ear of 8,000 and 16,000 Hz that keeps what it hears. */
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
  { rateHz: 8_000, earHz: 8_000 },
  { rateHz: 16_000, earHz: 16_000 },
  { rateHz: 24_000, earHz: 8_000 },
  { rateHz: 48_000, earHz: 8_000 },
])("what is played at $rateHz Hz is heard at $earHz Hz", async ({ rateHz, earHz }) => {
  const { stt, heard } = listener();
  const ear = openCallerStt(stt, { language: "en-US", rateHz }, await loadResampler(), NEVER);
  const frame = new Int16Array(rateHz / 50).fill(8_000);
  for (let ms = 0; ms < 200; ms += 20) ear.write(frame);
  ear.close();
  expect(heard.rateHz).toBe(earHz);
  // A resampler holds the last of it back.
  const missing = (200 * earHz) / 1_000 - heard.samples.length;
  expect(missing).toBeGreaterThanOrEqual(0);
  expect(missing).toBeLessThanOrEqual(earHz === rateHz ? 0 : 40);
  const middle = heard.samples.slice(200, 1_000);
  expect(middle.every((sample) => Math.abs(sample - 8_000) < 100)).toBe(true);
});
