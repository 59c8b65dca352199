import { describe, expect, test } from "vitest";
import { callMs } from "../../src/core/clocks.ts";
import { STREAM_MESSAGE_MS_MAX } from "../../src/core/limits/messages.ts";
import { ArrivalInterval } from "../../src/media/arrival-interval.ts";

/** Audio that comes every `intervalMs`, all frames of a message at once. */
function sendEvery(cadence: ArrivalInterval, intervalMs: number, messages: number, fromMs = 0): number {
  let atMs = fromMs;
  for (let message = 0; message < messages; message += 1) {
    atMs += intervalMs;
    for (let frame = 0; frame < intervalMs / 20; frame += 1) cadence.frame(true, callMs(atMs));
  }
  return atMs;
}

describe("the cadence of audio that comes", () => {
  test("a peer that sends every frame by itself has no slack", () => {
    const cadence = new ArrivalInterval();
    expect(cadence.slackMs).toBe(0);
    sendEvery(cadence, 20, 100);
    expect(cadence.slackMs).toBe(0);
  });

  test.each([100, 500, 1_000])("a peer that sends %i ms at once is known by its second message", (intervalMs) => {
    const cadence = new ArrivalInterval();
    sendEvery(cadence, intervalMs, 2);
    expect(cadence.slackMs).toBe(intervalMs - 20);
  });

  test("a delay of the network is forgotten within seconds, and one that cannot be a message counts for a message", () => {
    const cadence = new ArrivalInterval();
    const atMs = sendEvery(cadence, 20, 10);
    cadence.frame(true, callMs(atMs + 60_000));
    expect(cadence.slackMs).toBe(STREAM_MESSAGE_MS_MAX - 20);
    sendEvery(cadence, 20, 250, atMs + 60_000);
    expect(cadence.slackMs).toBeLessThan(20);
  });

  test("a pause in the audio itself says nothing about intervals", () => {
    const cadence = new ArrivalInterval();
    const atMs = sendEvery(cadence, 20, 10);
    cadence.frame(false, callMs(atMs + 700));
    expect(cadence.slackMs).toBe(0);
  });
});
