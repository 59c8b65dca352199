import { expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import type { StreamCodec, StreamRateHz } from "../../../src/core/calls/spec.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { websocketLeg } from "../../callers/websocket-leg.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

/** Times that are passed on are boxed where the compiler does not inline, 16 bytes each: a few, and no object. */
const NUMBERS_BYTES_MAX = 150;

const FORMATS: readonly (readonly [string, StreamCodec, StreamRateHz, number])[] = [
  ["mu-law", "mulaw", 8_000, NUMBERS_BYTES_MAX],
  ["PCM at the rate of the bus", "pcm_s16le", 16_000, NUMBERS_BYTES_MAX],
  ["PCM that is resampled", "pcm_s16le", 48_000, NUMBERS_BYTES_MAX],
];

test.each(
  FORMATS,
)("a frame of %s reaches the bus and its consumers without leaving an object on the heap", (_, codec, rateHz, bytesMax) => {
  const call = websocketLeg({
    parameters: DEFAULT_TURN_PARAMETERS,
    format: { codec, inputRateHz: rateHz, outputRateHz: rateHz },
    spec: { firstSpeaker: "user", maxDurationMs: 1e9, recordingEnabled: false },
  });
  const now = { ms: 0.25 };
  call.clock.nowMs = () => monotonicMs(now.ms);
  const message = Buffer.alloc((rateHz / 50) * (codec === "mulaw" ? 1 : 2), 0xff);
  let sent = 0;
  const bytes = heapBytesPerRun(() => {
    now.ms += 20;
    sent += 1;
    call.audio(message);
  }, 200);
  expect(call.connection.read().counts.framesIn).toBeGreaterThan(sent - 3);
  expect(bytes).toBeLessThan(bytesMax);
});
