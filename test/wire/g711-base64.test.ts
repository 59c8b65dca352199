import alawmulaw from "alawmulaw";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { G711_LAWS } from "../../src/media/g711.ts";
import { decodeG711Base64, G711Message } from "../../src/wire/g711-base64.ts";
import { inboundAudio } from "../support/inbound-audio.ts";

const samplesOf = (length: number): Int16Array =>
  Int16Array.from({ length }, (_, i) => ((i * 7_919) % 65_536) - 32_768);

describe.each(["mulaw", "alaw"] as const)("%s in base64", (codec) => {
  const { encodeTable, silenceByte } = G711_LAWS[codec];

  test("frames of every length are written as a plain encoder writes them, whatever stands before and behind", () => {
    for (let length = 1; length <= 200; length += 1) {
      const before = "{".repeat(length % 5);
      const message = new G711Message(before, length, codec, '"}}');
      const samples = samplesOf(length);
      const bytes = new Uint8Array(length);
      for (let i = 0; i < length; i += 1) bytes[i] = encodeTable[(samples[i] as number) & 0xffff] as number;
      const expected = `${before}${Buffer.from(bytes).toString("base64")}"}}`;
      for (let round = 0; round < 2; round += 1) {
        const written = new Uint8Array(length);
        expect(Buffer.from(message.write(samples, written)).toString()).toBe(expected);
        expect(written).toEqual(bytes);
        // Nothing of the frame before shows through.
        message.write(new Int16Array(length), written);
      }
    }
  });

  test("messages of streams whose texts are as long as each other's keep to their own", () => {
    const samples = Int16Array.of(1, 2, 3, 4);
    const texts = ["ab", "cd"].map((before) => new G711Message(before, 4, codec, "}"));
    for (let round = 0; round < 2; round += 1) {
      const heads = texts.map((text) =>
        Buffer.from(text.write(samples, new Uint8Array(4)))
          .toString()
          .slice(0, 2),
      );
      expect(heads).toEqual(["ab", "cd"]);
    }
  });

  test("text around the payload may be any UTF-8", () => {
    const message = new G711Message('{"id":"\u00e9\u{1F600}","p":"', 1, codec, "\u00e9");
    expect(Buffer.from(message.write(Int16Array.of(0), new Uint8Array(1))).toString()).toBe(
      `{"id":"\u00e9\u{1F600}","p":"${Buffer.of(silenceByte).toString("base64")}\u00e9`,
    );
  });

  test("what it reads is what a plain decoder reads, up to the quote and no further", () => {
    const into = inboundAudio(1_000);
    fc.assert(
      fc.property(fc.nat(9), fc.uint8Array({ minLength: 1, maxLength: 400 }), (offset, bytes) => {
        const payload = Buffer.from(bytes).toString("base64");
        const message = Buffer.from(`${" ".repeat(offset)}${payload}"AAAA"`);
        expect(decodeG711Base64(message, offset, codec, into)).toBe(offset + payload.length);
        expect(Buffer.from(into.bytes.subarray(0, into.count))).toEqual(Buffer.from(bytes));
        expect(into.samples.slice(0, into.count)).toEqual(alawmulaw[codec].decode(bytes));
      }),
    );
  });

  test("what has no end, no content or another alphabet is refused", () => {
    const into = inboundAudio(100);
    for (const text of [
      "",
      '"',
      "AAAA",
      "AAA",
      'AAA"',
      "AA==",
      "AA=A",
      'AA=A"',
      '===="',
      'A==="',
      'AB=="',
      'AAB="',
      'AA-_"',
      'AAAAAA"',
    ]) {
      expect(decodeG711Base64(Buffer.from(text), 0, codec, into), text).toBe(-1);
    }
  });
});
