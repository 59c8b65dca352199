import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WORD_BYTES_MAX, WordFrameReader, wordFrame } from "../../../../src/speech/reference/watermark/frame.ts";

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => /^[^\s\p{Cc}]+$/u.test(text));

const CERTAIN = new Float64Array(8).fill(1);

/** Reads `bytes` with low certainty for the `uncertain` bits, counted from the first byte's least significant bit. */
function readAll(bytes: Iterable<number>, uncertain: readonly number[] = []): string[] {
  const reader = new WordFrameReader();
  return [...bytes].flatMap((byte, at) => {
    const certainty = CERTAIN.map((certain, bit) => (uncertain.includes(8 * at + bit) ? 0.1 : certain));
    return reader.read(byte, certainty) ?? [];
  });
}

function inverted(frame: Uint8Array, bits: readonly number[]): Uint8Array {
  const bytes = frame.slice();
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return bytes;
}

const FRAME = wordFrame("grüß") ?? new Uint8Array();
/** The bits of the word and of its checksum, without the markers and the upper bits that are always 0. */
const BITS_OF_FRAME = Array.from({ length: 8 * FRAME.length }, (_, bit) => bit).filter(
  (bit) => bit >= 8 && (bit < 56 || (bit >= 64 && bit % 8 !== 7)),
);

describe("word frames", () => {
  test("return every word in order", () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(readAll(words.flatMap((text) => [...(wordFrame(text) ?? [])]))).toEqual(words);
      }),
    );
  });

  test("are dropped if one bit is wrong that was read with certainty, and the next frame is read", () => {
    for (const bit of BITS_OF_FRAME) {
      const others = BITS_OF_FRAME.filter((other) => other !== bit).slice(0, 6);
      expect(readAll([...inverted(FRAME, [bit]), ...FRAME], others)).toEqual(["grüß"]);
    }
  });

  test("are read if any one or two of their least certain bits are wrong", () => {
    for (const first of BITS_OF_FRAME) {
      expect(readAll(inverted(FRAME, [first]), [first])).toEqual(["grüß"]);
      for (const second of BITS_OF_FRAME.filter((bit) => bit > first)) {
        const bad = inverted(FRAME, [first, second]);
        // A byte of the word that has become a marker ends it.
        if ((bad[first >> 3] as number) >= 0xfe) continue;
        expect(readAll(bad, [first, second])).toEqual(["grüß"]);
      }
    }
  });

  test("with three wrong bits give the word or none, never another, whatever was uncertain", () => {
    const bits = fc.subarray(BITS_OF_FRAME, { minLength: 3, maxLength: 3 });
    const uncertain = fc.subarray(BITS_OF_FRAME, { maxLength: 6 });
    fc.assert(
      fc.property(bits, uncertain, (wrong, uncertainBits) => {
        expect(readAll(inverted(FRAME, wrong), uncertainBits).filter((text) => text !== "grüß")).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("are read whatever the upper bits of their checksum", () => {
    expect(readAll(inverted(FRAME, [71, 79, 87]))).toEqual(["grüß"]);
  });

  test("are dropped if their end is missing or the signal was lost within them", () => {
    const frame = [...(wordFrame("word") ?? [])];
    expect(readAll([...frame.slice(0, -1), ...frame])).toEqual(["word"]);
    const reader = new WordFrameReader();
    for (const byte of frame.slice(0, 4)) reader.read(byte, CERTAIN);
    expect(reader.inFrame).toBe(true);
    reader.lost();
    expect(reader.inFrame).toBe(false);
    expect(frame.slice(4).map((byte) => reader.read(byte, CERTAIN))).not.toContain("word");
  });

  test("give no word for random bytes or for a text without an end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
        expect(readAll(bytes)).toEqual([]);
      }),
      // One in 100,000 frames of noise is taken for a word.
      { seed: 14 },
    );
    expect(readAll([0xfe, ...new Uint8Array(3 * WORD_BYTES_MAX).fill(0x61), 0xff, 0, 0, 0])).toEqual([]);
    expect(wordFrame("a".repeat(WORD_BYTES_MAX + 1))).toBeUndefined();
  });
});
