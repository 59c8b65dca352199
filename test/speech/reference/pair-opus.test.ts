import { describe, expect, test } from "vitest";
import type { OpusClient } from "../../support/audio/opus-packets.ts";
import { countFound, speakSentences, throughOpus } from "../../support/audio/opus-watermark.ts";

// How much the reference STT decodes of a client's Opus. `npm run bench:opus-watermark` measures all of docs/codecs.md.

const spoken = await speakSentences();
const found = (client: OpusClient): number => countFound(throughOpus(client, spoken).words, spoken.words);

const RATES_HZ = [16_000, 24_000, 48_000] as const;
const APPLICATIONS = ["voip", "audio"] as const;

describe("at the bit rate that libopus chooses by itself", () => {
  for (const application of APPLICATIONS) {
    test.each(RATES_HZ)(`every word is decoded, ${application}, packets of 20 ms, %i Hz`, (rateHz) => {
      expect(throughOpus({ rateHz, channels: 1, frameMs: 20, application }, spoken).words).toEqual(spoken.words);
    });

    test.each(RATES_HZ)(`one word in 64 is missed at most, ${application}, packets of 60 ms, %i Hz`, (rateHz) => {
      expect(found({ rateHz, channels: 1, frameMs: 60, application })).toBeGreaterThanOrEqual(spoken.words.length - 1);
    });
  }
});

test("every word of a browser is decoded: 48,000 Hz, 32 kbit/s, packets of 20 ms", () => {
  const client: OpusClient = { rateHz: 48_000, channels: 1, frameMs: 20, bitrateBps: 32_000 };
  expect(throughOpus(client, spoken).words).toEqual(spoken.words);
});

test.each([20, 60] as const)("at 8,000 Hz 32 kbit/s are enough, packets of %i ms", (frameMs) => {
  for (const application of APPLICATIONS) {
    const client: OpusClient = { rateHz: 8_000, channels: 1, frameMs, application, bitrateBps: 32_000 };
    expect(throughOpus(client, spoken).words).toEqual(spoken.words);
  }
});
