import { expect, test } from "vitest";

import type { Tts } from "../../../src/speech/contracts.ts";
import { timedTts, timeFirstItem } from "../../../src/speech/metering/first-item-latency.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** Items that arrive `everyMs` apart, and whether their reader has closed them. */
function slowly(clock: ManualClock, items: readonly string[], everyMs: number) {
  const seen = { closed: false };
  async function* generate(): AsyncGenerator<string> {
    try {
      for (const item of items) {
        clock.advance(everyMs);
        yield item;
      }
    } finally {
      seen.closed = true;
    }
  }
  return { items: generate(), seen };
}

test("the time to the first item is reported once, and all items pass through", async () => {
  const clock = new ManualClock();
  const reported: number[] = [];
  const { items } = slowly(clock, ["a", "b", "c"], 40);
  const got: string[] = [];
  for await (const item of timeFirstItem(
    items,
    () => clock.nowMs(),
    (tookMs) => reported.push(tookMs),
  ))
    got.push(item);
  expect([got, reported]).toEqual([["a", "b", "c"], [40]]);
});

test("without an item nothing is reported, neither at the end nor at a failure, which is passed on", async () => {
  const clock = new ManualClock();
  const reported: number[] = [];
  const report = (tookMs: number) => reported.push(tookMs);
  for await (const _ of timeFirstItem(slowly(clock, [], 1).items, () => clock.nowMs(), report)) expect.unreachable();
  const failing = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("planted")) }) };
  const reading = async (): Promise<void> => {
    for await (const _ of timeFirstItem(failing, () => clock.nowMs(), report)) expect.unreachable();
  };
  await expect(reading()).rejects.toThrow("planted");
  expect(reported).toEqual([]);
});

test("a reader that stops early closes the source", async () => {
  const clock = new ManualClock();
  const { items, seen } = slowly(clock, ["a", "b"], 1);
  for await (const _ of timeFirstItem(
    items,
    () => clock.nowMs(),
    () => {},
  ))
    break;
  expect(seen.closed).toBe(true);
});

test("TTS is timed for each segment, from its request", async () => {
  const clock = new ManualClock();
  const reported: number[] = [];
  const tts: Tts = {
    provider: "scripted",
    capabilities: { wordTimestamps: true },
    voices: async () => [],
    async *speak({ text }) {
      clock.advance(text.length);
      for (let chunk = 0; chunk < 3; chunk += 1) yield { samples: new Int16Array(1), rateHz: 8_000, words: [] };
    },
  };
  const timed = timedTts(
    tts,
    () => clock.nowMs(),
    (tookMs) => reported.push(tookMs),
  );
  for (const text of ["Hello.", "How are you?"]) {
    const chunks = [];
    for await (const chunk of timed.speak({ text, voiceId: "one", language: "en" }, AbortSignal.abort()))
      chunks.push(chunk);
    expect(chunks).toHaveLength(3);
  }
  expect(reported).toEqual([6, 12]);
  expect([timed.provider, timed.capabilities, await timed.voices()]).toEqual([
    "scripted",
    { wordTimestamps: true },
    [],
  ]);
});
