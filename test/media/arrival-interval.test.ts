import { describe, expect, test } from "vitest";
import { callMs } from "../../src/core/clocks.ts";
import { STREAM_MESSAGE_MS_MAX } from "../../src/core/limits/streams/messages.ts";
import { ArrivalInterval } from "../../src/media/arrival-interval.ts";

/** Audio that comes every `intervalMs`, all frames of a message at once. */
function sendEvery(interval: ArrivalInterval, intervalMs: number, messages: number, fromMs = 0): number {
  let atMs = fromMs;
  for (let message = 0; message < messages; message += 1) {
    atMs += intervalMs;
    for (let frame = 0; frame < intervalMs / 20; frame += 1) interval.frame(true, callMs(atMs));
  }
  return atMs;
}

describe("the arrival interval of audio messages", () => {
  test("a peer that sends single frames needs no slack", () => {
    const interval = new ArrivalInterval();
    expect(interval.slackMs).toBe(0);
    sendEvery(interval, 20, 100);
    expect(interval.slackMs).toBe(0);
  });

  test.each([100, 500, 1_000])("an interval of %i ms is detected at the second message", (intervalMs) => {
    const interval = new ArrivalInterval();
    sendEvery(interval, intervalMs, 2);
    expect(interval.slackMs).toBe(intervalMs - 20);
  });

  test("a network delay is forgotten within seconds, and counts at most as the longest message", () => {
    const interval = new ArrivalInterval();
    const atMs = sendEvery(interval, 20, 10);
    interval.frame(true, callMs(atMs + 60_000));
    expect(interval.slackMs).toBe(STREAM_MESSAGE_MS_MAX - 20);
    sendEvery(interval, 20, 250, atMs + 60_000);
    expect(interval.slackMs).toBeLessThan(20);
  });

  test("a pause in the audio itself says nothing about intervals", () => {
    const interval = new ArrivalInterval();
    const atMs = sendEvery(interval, 20, 10);
    interval.frame(false, callMs(atMs + 700));
    expect(interval.slackMs).toBe(0);
  });
});
