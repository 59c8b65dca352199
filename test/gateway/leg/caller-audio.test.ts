import { expect, test } from "vitest";
import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { CallerAudio } from "../../../src/gateway/leg/caller-audio.ts";
import { DtmfOrder } from "../../../src/gateway/leg/dtmf-order.ts";
import { CallCounters } from "../../../src/gateway/metrics/call-counters.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const makeResampler = await loadResampler();

test.each([
  ["in order", { jitterBuffer: undefined, hasWallClockTimestamps: false }],
  ["that may come out of order", { jitterBuffer: { waitMs: 60 }, hasWallClockTimestamps: false }],
  ["with dates", { jitterBuffer: undefined, hasWallClockTimestamps: true }],
  ["of a codec with DTX", { jitterBuffer: undefined, hasWallClockTimestamps: false, hasDtx: true }],
])("audio %s reaches the bus without an allocation per frame", (_, order) => {
  let frames = 0;
  const audio = new CallerAudio({
    wire: { inboundRateHz: 8_000, ...order },
    codec: "alaw",
    makeResampler,
    openedMs: callMs(0),
    startMs: callMs(0),
    counters: new CallCounters(),
    onFrame: () => {
      frames += 1;
    },
  });
  const digits = new DtmfOrder();
  const message = inboundAudio();
  message.count = 160;
  let sent = 0;
  const bytes = heapBytesPerRun(() => {
    sent += 1;
    // Every second message is swapped with the next.
    message.chunk = order.jitterBuffer ? sent - 1 + (sent % 2) * 2 : sent;
    message.timestampMs = order.jitterBuffer ? mediaMs(Number.NaN) : mediaMs(sent * 20);
    audio.push(message, callMs(sent * 20));
    audio.release(callMs(sent * 20), callMs(sent * 20));
    audio.classified(sent % 50 < 25);
    audio.fillPause(callMs(sent * 20));
    digits.next(callMs(sent * 20));
  }, 200);
  expect(frames).toBeGreaterThan(sent - 10);
  expect(bytes).toBeLessThan(1);
});
