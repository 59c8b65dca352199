import fc from "fast-check";
import { expect, test } from "vitest";
import {
  encodeFrame,
  FrameReader,
  type ProgramFrame,
} from "../../../../../src/speech/tts/providers/espeak/protocol.ts";

const FRAMES: ProgramFrame[] = [
  { kind: "ready", voices: [{ identifier: "gmw/en", name: "Māori 🙂", language: "en" }] },
  { kind: "words", words: [{ text: "grüß", startMs: 0.5, endMs: 12.25 }] },
  { kind: "audio", rateHz: 22_050, samples: Int16Array.of(0, -32_768, 32_767, 256) },
  { kind: "audio", rateHz: 8_000, samples: new Int16Array(0) },
  { kind: "end" },
  { kind: "end", failed: "no such voice" },
];

test("frames are read as they were written, wherever the pipe splits them", () => {
  const bytes = Buffer.concat(FRAMES.map(encodeFrame));
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length)), (splits) => {
      const reader = new FrameReader();
      const edges = [0, ...splits.sort((a, b) => a - b), bytes.length];
      const read = edges.slice(1).flatMap((end, index) => [...reader.push(bytes.subarray(edges[index], end))]);
      expect(read).toEqual(FRAMES);
    }),
  );
});

test("samples are copies and do not change with the pipe's buffer", () => {
  const bytes = encodeFrame({ kind: "audio", rateHz: 8_000, samples: Int16Array.of(1, 2, 3) });
  const [frame] = new FrameReader().push(bytes);
  bytes.fill(0xff);
  expect(frame).toEqual({ kind: "audio", rateHz: 8_000, samples: Int16Array.of(1, 2, 3) });
});
