import { describe, expect, test } from "vitest";
import { Base64Message } from "../../src/carriers/base64-message.ts";

describe("a message with a frame in base64", () => {
  test("frames of every length are written as a plain encoder writes them, with any text before and after", () => {
    for (let length = 1; length <= 200; length += 1) {
      const before = "{".repeat(length % 5);
      const message = new Base64Message(before, length, '"}}');
      const frame = Uint8Array.from({ length }, (_, i) => (i * 7_919 + length) % 256);
      const expected = `${before}${Buffer.from(frame).toString("base64")}"}}`;
      for (let round = 0; round < 2; round += 1) {
        expect(Buffer.from(message.write(frame)).toString()).toBe(expected);
        // Nothing of the frame before shows through.
        message.write(new Uint8Array(length));
      }
    }
  });

  test("every sequence of three bytes is encoded as by a plain encoder", () => {
    const message = new Base64Message("", 768, "");
    const frame = Uint8Array.from({ length: 768 }, (_, i) => (i - 2) / 3);
    for (let first = 0; first < 256; first += 1) {
      for (let at = 0; at < frame.length; at += 3) frame[at] = first;
      for (let second = 0; second < 256; second += 1) {
        for (let at = 1; at < frame.length; at += 3) frame[at] = second;
        if (Buffer.from(message.write(frame)).toString() !== Buffer.from(frame).toString("base64")) {
          expect.fail(`${first}, ${second}`);
        }
      }
    }
  });

  test("streams with ids of equal length do not mix up their messages", () => {
    const frame = Uint8Array.of(1, 2, 3, 4);
    const texts = ["ab", "cd"].map((before) => new Base64Message(before, 4, "}"));
    for (let round = 0; round < 2; round += 1) {
      const heads = texts.map((text) => Buffer.from(text.write(frame)).toString().slice(0, 2));
      expect(heads).toEqual(["ab", "cd"]);
    }
  });

  test("text around the payload may be any UTF-8", () => {
    const message = new Base64Message('{"id":"\u00e9\u{1F600}","p":"', 1, "\u00e9");
    expect(Buffer.from(message.write(Uint8Array.of(0xff))).toString()).toBe('{"id":"\u00e9\u{1F600}","p":"/w==\u00e9');
  });
});
