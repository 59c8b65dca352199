import { describe, expect, test } from "vitest";
import { heapBytesPerRun } from "../support/heap.ts";
import { Prober, startedWire } from "../support/hostile-messages.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { wiresUnderTest } from "../support/wires.ts";

const into = inboundAudio();

describe.each(wiresUnderTest().map((subject) => [subject.name, subject] as const))("%s", (_, subject) => {
  const prober = new Prober(subject);
  const frames = subject.lines.map((line) => Buffer.from(line)).filter((line) => prober.isShort(line));

  test("decoding a frame of audio allocates nothing", () => {
    const wire = startedWire(subject);
    expect(frames.length).toBeGreaterThan(5);
    const bytes = heapBytesPerRun(() => {
      for (let i = 0; i < frames.length; i += 1) wire.decode(frames[i] as Buffer, into);
    }, 200);
    expect(bytes / frames.length).toBeLessThan(1);
  });

  test("encoding a frame of audio allocates nothing", () => {
    const wire = startedWire(subject);
    const samples = Int16Array.from({ length: 160 }, (__, i) => i * 100 - 8_000);
    const bytes = new Uint8Array(160);
    expect(heapBytesPerRun(() => wire.encodeAudio(samples, bytes), 1_000)).toBeLessThan(1);
  });

  test("the measure sees what a full parse allocates", () => {
    const wire = startedWire(subject);
    expect(heapBytesPerRun(() => wire.decodeFully(frames[0] as Buffer, into), 200)).toBeGreaterThan(200);
  });
});
