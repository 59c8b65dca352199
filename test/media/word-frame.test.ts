import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WORD_BYTES_MAX, WordFrameReader, wordFrame } from "../../src/media/word-frame.ts";

const word = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
  .filter((text) => /^[^\s\p{Cc}]+$/u.test(text));

function readAll(bytes: Iterable<number>): string[] {
  const reader = new WordFrameReader();
  return [...bytes].flatMap((byte) => reader.read(byte) ?? []);
}

describe("word frames", () => {
  test("bring every word back, one behind the other", () => {
    fc.assert(
      fc.property(fc.array(word), (words) => {
        expect(readAll(words.flatMap((text) => [...(wordFrame(text) ?? [])]))).toEqual(words);
      }),
    );
  });

  test("are passed over when any one bit of them is wrong, and the next one is read", () => {
    const good = wordFrame("grüß") ?? new Uint8Array();
    for (let bit = 0; bit < good.length * 8; bit += 1) {
      const bad = good.slice();
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(readAll([...bad, ...good])).toEqual(["grüß"]);
    }
  });

  test("are passed over when their end is missing, or the line was lost within them", () => {
    const frame = [...(wordFrame("word") ?? [])];
    expect(readAll([...frame.slice(0, -1), ...frame])).toEqual(["word"]);
    const reader = new WordFrameReader();
    for (const byte of frame.slice(0, 4)) reader.read(byte);
    expect(reader.inFrame).toBe(true);
    reader.lost();
    expect(reader.inFrame).toBe(false);
    expect(frame.slice(4).map((byte) => reader.read(byte))).not.toContain("word");
  });

  test("make no word of random bytes, nor a text without end", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4_096 }), (bytes) => {
        expect(readAll(bytes)).toEqual([]);
      }),
    );
    expect(readAll([0xfe, ...new Uint8Array(3 * WORD_BYTES_MAX).fill(0x61), 0xff, 0, 0, 0])).toEqual([]);
    expect(wordFrame("a".repeat(WORD_BYTES_MAX + 1))).toBeUndefined();
  });
});
