import { describe, expect, test } from "vitest";
import { ListenedChannel } from "../../../src/gateway/listening/channel.ts";

const RATE_HZ = 8_000;
const FRAME = 160;

/** A frame whose samples are all this number. */
const frame = (value: number): Int16Array => new Int16Array(FRAME).fill(value);

/** What leaves the channel in so many frames, by the first sample of each; `mixed` where a frame has more than one. */
function taken(channel: ListenedChannel, frames: number): (number | "mixed")[] {
  return Array.from({ length: frames }, () => {
    const into = new Int16Array(2 * FRAME).fill(9_999);
    channel.take(FRAME, into, 0);
    const left = into.filter((_, i) => i % 2 === 0);
    expect(into.filter((_, i) => i % 2 === 1).every((sample) => sample === 9_999)).toBe(true);
    return left.every((sample) => sample === left[0]) ? (left[0] as number) : "mixed";
  });
}

describe("one side of a call that is listened to", () => {
  test("is held back for 100 ms, and is silent where nothing comes", () => {
    const channel = new ListenedChannel(RATE_HZ);
    expect(taken(channel, 2)).toEqual([0, 0]);
    channel.push(frame(1));
    channel.push(frame(2));
    expect(taken(channel, 9)).toEqual([0, 0, 0, 0, 0, 1, 2, 0, 0]);
    channel.push(frame(3));
    expect(taken(channel, 7)).toEqual([0, 0, 0, 0, 0, 3, 0]);
  });

  test("has no gap when frames come late by less than what is held back", () => {
    const channel = new ListenedChannel(RATE_HZ);
    const heard: unknown[] = [];
    for (let tick = 0; tick < 20; tick += 1) {
      // Three frames at once, every 60 ms.
      if (tick % 3 === 0) for (let i = 0; i < 3; i += 1) channel.push(frame(tick + i + 1));
      heard.push(...taken(channel, 1));
    }
    expect(heard).toEqual([0, 0, 0, 0, 0, ...Array.from({ length: 15 }, (_, i) => i + 1)]);
    expect(channel.dropped).toBe(0);
  });

  test("drops the oldest when too much waits, and counts it", () => {
    const channel = new ListenedChannel(RATE_HZ);
    for (let value = 1; value <= 21; value += 1) channel.push(frame(value));
    expect(channel.dropped).toBe(15 * FRAME);
    expect(taken(channel, 12)).toEqual([0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 0]);
  });

  test("keeps of what is not to be played only what is held back", () => {
    const channel = new ListenedChannel(RATE_HZ);
    for (let value = 1; value <= 10; value += 1) channel.push(frame(value));
    channel.clear();
    expect(taken(channel, 11)).toEqual([0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0]);
    channel.clear();
    expect(taken(channel, 1)).toEqual([0]);
  });

  test("keeps its order wherever the ring wraps, with blocks of any length", () => {
    const channel = new ListenedChannel(RATE_HZ);
    let pushed = 0;
    let expected = 1;
    for (let round = 0; round < 200; round += 1) {
      const block = Int16Array.from({ length: 140 + (round % 3) * 20 }, () => (pushed = (pushed % 30_000) + 1));
      channel.push(block);
      const into = new Int16Array(2 * FRAME);
      channel.take(FRAME, into, 0);
      for (const sample of into.filter((_, i) => i % 2 === 0)) {
        if (sample === 0) continue;
        expect(sample).toBe(expected);
        expected = (expected % 30_000) + 1;
      }
    }
    expect(expected).toBeGreaterThan(1_000);
  });
});
