import { expect, test } from "vitest";
import { answerOf } from "../../../src/api/audio-transcriptions/answers.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { RESULT } from "../../support/transcriptions/stored.ts";

async function segmentsOf(result: TranscriptionResult): Promise<{ avg_logprob: number }[]> {
  const { body } = await answerOf(result, { format: "verbose_json", granularities: ["segment"] }, async () => "");
  return JSON.parse(body).segments;
}

test("a segment has the confidence of its own words, also where channels overlap", async () => {
  const word = (channel: number, startMs: number, confidence: number) => ({
    ...{ text: "word", startMs, endMs: startMs + 100, channel, confidence },
  });
  const utterance = (channel: number, startMs: number, endMs: number) => ({ text: "words", startMs, endMs, channel });
  const words = [word(0, 0, 0.5), word(1, 50, 0.25), word(0, 200, 0.5), word(0, 1_000, 1), word(1, 1_100, 0.125)];
  const utterances = [
    utterance(0, 0, 300),
    utterance(1, 50, 150),
    utterance(0, 1_000, 1_100),
    utterance(1, 1_100, 1_200),
  ];
  const segments = await segmentsOf({ ...RESULT, words, utterances });
  const logs = segments.map((segment) => Math.exp(segment.avg_logprob));
  expect(logs.map((log) => Math.round(log * 1_000) / 1_000)).toEqual([0.5, 0.25, 1, 0.125]);
});

test("words are read once, however many segments there are", async () => {
  let reads = 0;
  const count = 3_000;
  const words = Array.from({ length: count }, (_, index) => ({
    ...{ text: "word", endMs: index * 1_000 + 500, channel: 0, confidence: 0.5 },
    get startMs() {
      reads += 1;
      return index * 1_000;
    },
  }));
  const utterances = words.map(({ text, endMs }) => ({ text, startMs: endMs - 500, endMs, channel: 0 }));
  expect(await segmentsOf({ ...RESULT, words, utterances })).toHaveLength(count);
  expect(reads).toBeLessThan(10 * count);
});
