import { describe, expect, test } from "vitest";
import { Capture } from "../../../../web/sdk/src/worklet/capture.ts";
import { Level } from "../../../../web/sdk/src/worklet/level.ts";

/** The messages that `blocks` of this level make, of 128 samples at 48 kHz. */
function messagesOf(blocks: number, level: number): Int16Array[] {
  const messages: Int16Array[] = [];
  const capture = new Capture(48_000, 16_000, (samples) => messages.push(samples));
  for (let block = 0; block < blocks; block += 1) capture.write(new Float32Array(128).fill(level));
  return messages;
}

describe("the capture", () => {
  test("makes messages of 20 ms at the rate of the call", () => {
    const messages = messagesOf(375, 0.25);
    expect(messages.length).toBe(49);
    expect(messages.every(({ length }) => length === 320)).toBe(true);
    expect(Math.abs((messages[10]?.[100] ?? 0) - 8_192)).toBeLessThanOrEqual(1);
  });

  test("gives each message a buffer of its own, because it is transferred", () => {
    const [first, second] = messagesOf(375, 0.25);
    expect(first?.buffer).not.toBe(second?.buffer);
  });

  test("limits what is beyond full scale", () => {
    expect(messagesOf(375, 1.5)[10]?.[100]).toBe(32_767);
    expect(messagesOf(375, -1.5)[10]?.[100]).toBe(-32_768);
  });
});

describe("the level", () => {
  test.each([
    [1, 1],
    [0.1, 0.667],
    [0.01, 0.333],
    [0.001, 0],
    [0, 0],
    [3, 1],
  ])("of a signal of %f is %f, linear in dB", (signal, expected) => {
    const level = new Level();
    level.add(new Float32Array(128).fill(signal));
    expect(level.read()).toBeCloseTo(expected, 2);
  });

  test("is of what came since the last read; of nothing it is 0", () => {
    const level = new Level();
    level.add(new Float32Array(128).fill(1));
    level.read();
    expect(level.read()).toBe(0);
    level.add(new Float32Array(128).fill(0.1));
    expect(level.read()).toBeCloseTo(0.667, 2);
  });
});
