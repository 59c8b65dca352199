import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import {
  loadSilero,
  SILERO_FILES,
  type Silero,
  type SileroStream,
} from "../../../../src/media/voice-activity/silero/silero.ts";
import { answers, noise, speech } from "../../../support/silero/chunks.ts";

describe("neural speech detection in long calls", { timeout: 300_000 }, () => {
  let silero: Silero;
  beforeAll(async () => {
    silero = await loadSilero(readFileSync(SILERO_FILES.network), readFileSync(SILERO_FILES.weights), 1);
  });

  test("after 20 minutes of steady noise it detects as much speech in that noise as at the start", () => {
    const minute = noise(4, 1_875, 1_600);
    const noisy = speech(9, 200).map((chunk, i) =>
      chunk.map((sample, k) => sample + ((minute[i]?.[k] as number) >> 1)),
    );
    const heard = (stream: SileroStream): number =>
      answers(stream, noisy).filter((probability) => probability > 0.4).length;
    const stream = silero.open();
    const before = heard(stream);
    for (let i = 0; i < 20; i += 1) answers(stream, minute);
    expect(heard(stream)).toBeGreaterThanOrEqual(before - 2);
    stream.destroy();
  });

  test("at the end of an hour it answers the same sounds as in the first minute", () => {
    const chunks = speech(10, 1_875);
    const stream = silero.open();
    const mean = (): number =>
      answers(stream, chunks).reduce((sum, probability) => sum + probability, 0) / chunks.length;
    const first = mean();
    for (let minute = 2; minute < 60; minute += 1) answers(stream, chunks);
    expect(Math.abs(mean() - first)).toBeLessThan(0.01);
    stream.destroy();
  });
});
