import { expect, test } from "vitest";
import { createCarrierA } from "../../src/wire/carrier-a.ts";
import { heapBytesPerRun } from "../support/heap.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { fixtureLines } from "../support/mutate.ts";

const [, start, ...rest] = fixtureLines("wire/carrier_a.jsonl").map((line) => Buffer.from(line));
const frames = rest.filter((line) => line.includes('"track":"inbound"')).slice(0, 6);

function startedWire() {
  const wire = createCarrierA();
  const into = inboundAudio();
  wire.decode(start as Buffer, into);
  return { wire, into };
}

test("decoding a frame of audio allocates nothing", () => {
  const { wire, into } = startedWire();
  expect(frames).toHaveLength(6);
  const bytes = heapBytesPerRun(() => {
    for (let i = 0; i < frames.length; i += 1) wire.decode(frames[i] as Buffer, into);
  }, 200);
  expect(bytes / frames.length).toBeLessThan(1);
});

test("encoding a frame of audio allocates nothing", () => {
  const { wire } = startedWire();
  const samples = Int16Array.from({ length: 160 }, (_, i) => i * 100 - 8_000);
  const bytes = new Uint8Array(160);
  expect(heapBytesPerRun(() => wire.encodeAudio(samples, bytes), 1_000)).toBeLessThan(1);
});

test("the measure sees what a full parse allocates", () => {
  const message = frames[0] as Buffer;
  expect(heapBytesPerRun(() => JSON.parse(message.toString()), 200)).toBeGreaterThan(200);
});
