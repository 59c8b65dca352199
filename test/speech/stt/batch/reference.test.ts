import { describe, expect, test } from "vitest";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { createReferenceBatchStt } from "../../../../src/speech/reference/batch-stt.ts";
import { WatermarkEncoder } from "../../../../src/speech/reference/watermark/encoder.ts";
import { anyBatchSttContract, transcribed } from "../../../contract/speech/batch-stt.ts";

const stt = createReferenceBatchStt();
const makeResampler = await loadResampler();

/** `text` as watermark at 16,000 Hz, a word each 400 ms from 100 ms on, and silence up to the end of the last word. */
function watermarked(text: string): Int16Array {
  const encoder = new WatermarkEncoder(8_000);
  const words = text.split(" ");
  for (const [index, word] of words.entries()) encoder.addWord(word, 100 + 400 * index);
  const resampler = makeResampler(8_000, 16_000);
  const samples = Int16Array.from([...encoder.push(new Int16Array(400 * words.length * 8)), ...encoder.finish()]);
  const resampled = Int16Array.from([...resampler.process(samples), ...resampler.flush()]);
  resampler.destroy();
  return resampled;
}

anyBatchSttContract("reference", async () => ({
  stt,
  samples: watermarked("good morning, grüß Gott"),
  text: "good morning, grüß Gott",
  drive: (pending) => pending,
}));

describe("the batch adapter of the reference", () => {
  test("has the words of the audio watermark, also the last one, each with its time", async () => {
    const { words, hasEstimatedTimes } = await transcribed(stt, { samples: watermarked("good morning, grüß Gott") });
    expect(words.map(({ text }) => text)).toEqual(["good", "morning,", "grüß", "Gott"]);
    words.forEach(({ startMs, endMs }, index) => {
      expect(Math.abs(startMs - (100 + 400 * index))).toBeLessThan(40);
      expect(endMs).toBeGreaterThan(startMs + 100);
    });
    expect(hasEstimatedTimes).toBe(false);
  });

  test("has no words where there is no watermark", async () => {
    expect((await transcribed(stt)).words).toEqual([]);
  });
});
