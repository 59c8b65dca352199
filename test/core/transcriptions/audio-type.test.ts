import { expect, test } from "vitest";
import { AUDIO_TYPE_BYTES, audioTypeOf } from "../../../src/core/transcriptions/audio-type.ts";

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from([part]))));

test.each([
  ["audio/wav", bytes("RIFF", 1, 2, 3, 4, "WAVE")],
  ["audio/mp4", bytes(0, 0, 0, 24, "ftypM4A ")],
  ["audio/ogg", bytes("OggS", 0, 2)],
  ["audio/flac", bytes("fLaC", 0)],
  ["audio/webm", bytes(0x1a, 0x45, 0xdf, 0xa3)],
  ["audio/mpeg", bytes("ID3", 4, 0)],
  ["audio/mpeg", bytes(0xff, 0xfb, 0x90)],
])("a file is %s by its first bytes", (type, head) => {
  expect(audioTypeOf(head.subarray(0, AUDIO_TYPE_BYTES))).toBe(type);
});

test.each([
  ["nothing", bytes()],
  ["one byte", bytes(0xff)],
  ["a RIFF file of another kind", bytes("RIFF", 1, 2, 3, 4, "AVI ")],
  ["a page", bytes("<html><script>")],
  ["a frame that is nearly one", bytes(0xff, 0xdf)],
  ["WAVE at another place", bytes("RIFX", 0, 0, 0, 0, "WAVE")],
])("%s is a stream of bytes", (_, head) => {
  expect(audioTypeOf(head)).toBe("application/octet-stream");
});
