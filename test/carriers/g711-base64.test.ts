import alawmulaw from "alawmulaw";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeG711Base64 } from "../../src/carriers/g711-base64.ts";
import { inboundAudio } from "../support/audio/inbound-audio.ts";

describe.each(["mulaw", "alaw"] as const)("%s in base64", (codec) => {
  test("it decodes up to the quote, as a plain decoder does", () => {
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

  test("a payload without an end, without content or with another alphabet is refused", () => {
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
