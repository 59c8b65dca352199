import { describe, expect, test } from "vitest";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { bytesPerSample } from "../../src/media/frame-codec.ts";
import { inboundAudio } from "../support/audio/inbound-audio.ts";
import { heapBytesPerRun } from "../support/heap.ts";
import { carriersUnderTest, isShort } from "../support/wires/carriers.ts";
import { startedWire } from "../support/wires/hostile-messages.ts";
import { websocket } from "../support/wires/websockets.ts";
import type { WireUnderTest } from "../support/wires/wire-under-test.ts";

const into = inboundAudio();
/** A run decodes all messages of a fixture, so that fewer runs are enough to be warm. */
const [RUNS, WARM_UP_RUNS] = [200, 3_000];

function encodingAllocatesNothing(subject: WireUnderTest): void {
  test("encoding a frame of audio allocates nothing", () => {
    const wire = startedWire(subject);
    const { outboundRateHz, outboundCodec } = wire;
    const frame = new Uint8Array(((outboundRateHz * FRAME_MS) / 1_000) * bytesPerSample(outboundCodec)).fill(99);
    expect(heapBytesPerRun(() => wire.encodeAudio(frame), 1_000)).toBeLessThan(1);
  });
}

describe.each(carriersUnderTest().map((subject) => [subject.name, subject] as const))("%s", (_, subject) => {
  const frames = subject.lines.map((line) => Buffer.from(line)).filter((line) => isShort(subject, line));

  test("decoding a frame of audio allocates nothing", () => {
    const wire = startedWire(subject);
    expect(frames.length).toBeGreaterThan(5);
    const bytes = heapBytesPerRun(
      () => {
        for (let i = 0; i < frames.length; i += 1) wire.decode(frames[i] as Buffer, into);
      },
      RUNS,
      WARM_UP_RUNS,
    );
    expect(bytes / frames.length).toBeLessThan(1);
  });

  encodingAllocatesNothing(subject);

  test("the measurement detects the allocations of a full parse", () => {
    const wire = startedWire(subject);
    const bytes = heapBytesPerRun(() => wire.decodeFully(frames[0] as Buffer, into), RUNS, WARM_UP_RUNS);
    expect(bytes).toBeGreaterThan(200);
  });
});

// Opus is the exception: its library makes a Buffer for what it returns.
describe.each(
  (["pcm_s16le", "mulaw", "alaw"] as const).map((codec) => [codec, websocket(codec)] as const),
)("websocket with %s", (_, subject) => {
  test("decoding a message of audio of any length allocates nothing", () => {
    const wire = startedWire(subject);
    const audio = subject.messages.filter(({ isBinary }) => isBinary).map(({ bytes }) => bytes);
    expect(audio.length).toBeGreaterThan(8);
    const bytes = heapBytesPerRun(
      () => {
        for (let i = 0; i < audio.length; i += 1) wire.decode(audio[i] as Uint8Array, into, true);
      },
      RUNS,
      WARM_UP_RUNS,
    );
    expect(bytes / audio.length).toBeLessThan(1);
  });

  encodingAllocatesNothing(subject);
});
