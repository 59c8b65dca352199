import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CarrierA } from "../../src/wire/carrier-a.ts";
import { mediaLayouts, scanMedia } from "../../src/wire/carrier-a-media.ts";
import type { InboundAudio } from "../../src/wire/wire.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { byteMutations, duplicates, fixtureLines, nearMisses, reorderings } from "../support/mutate.ts";

const [greeting, start, ...rest] = fixtureLines("wire/carrier_a.jsonl") as [string, string, ...string[]];
const LINES = [greeting, start, ...rest];
const STREAM_ID: string = JSON.parse(start).streamSid;
const FRAMES = rest.filter((line) => JSON.parse(line).media?.track === "inbound");
/** Pieces of JSON that change what stands behind them, or do not. */
const INSERTED = [" ", "\n", "\t", '"', "\\", ",", ":", "{", "}", "=", "A", "0", "\u0000", "\u00e9", '\\"', "null"];

const wire = new CarrierA();
wire.decode(Buffer.from(start), inboundAudio(0));
const fast = inboundAudio(2_000);
const full = inboundAudio(2_000);

/** All that a decoder tells of a message. */
function told(decode: (message: Uint8Array, into: InboundAudio) => unknown, message: Uint8Array, into: InboundAudio) {
  into.count = -1;
  into.timestampMs = -1;
  try {
    const event = decode(message, into);
    if ((event as { kind: string }).kind !== "audio") return JSON.stringify(event);
    const { count, timestampMs, bytes, samples } = into;
    return `audio at ${timestampMs}: ${Buffer.from(bytes.subarray(0, count)).toString("hex")} ${samples.subarray(0, count).join()}`;
  } catch (error) {
    return String(error);
  }
}

function expectSame(message: Uint8Array): void {
  const short = told((bytes, into) => wire.decode(bytes, into), message, fast);
  const long = told((bytes, into) => wire.decodeFully(bytes, into), message, full);
  if (short !== long) expect(short, Buffer.from(message).toString()).toBe(long);
}

/** A short message in each of the two layouts, so that every byte of it can be tried. */
const SHORT = [
  `{"event":"media","sequenceNumber":"4","media":{"track":"inbound","chunk":"3","timestamp":"142","payload":"ctDHUQ=="},"streamSid":"${STREAM_ID}"}`,
  `{"event":"media","sequenceNumber":"4","streamSid":"${STREAM_ID}","media":{"track":"inbound","chunk":"3","timestamp":"142","payload":"ctDHUTY="}}`,
];

describe("carrier_a's fast path", () => {
  test("is taken for all inbound audio as the carrier writes it", () => {
    const layouts = mediaLayouts(STREAM_ID);
    expect(FRAMES.length).toBeGreaterThan(8);
    for (const line of [...FRAMES, ...SHORT]) expect(scanMedia(Buffer.from(line), layouts, fast)).toBe(true);
  });

  test("is not taken for anything else in the stream", () => {
    const layouts = mediaLayouts(STREAM_ID);
    const others = LINES.filter((line) => !FRAMES.includes(line));
    expect(others.length).toBeGreaterThan(5);
    for (const line of others) expect(scanMedia(Buffer.from(line), layouts, fast)).toBe(false);
  });

  test("is not taken before the start, nor for a stream whose id has to be escaped", () => {
    expect(mediaLayouts('a"b')).toEqual([]);
    expect(mediaLayouts("a\\b")).toEqual([]);
    expect(mediaLayouts("\u{1F600}")).toEqual([]);
    expect(scanMedia(Buffer.from(SHORT[0] as string), [], fast)).toBe(false);
  });

  test("reads a message wherever it lies in memory, and nothing beside it", () => {
    const line = FRAMES[3] as string;
    const expected = told((bytes, into) => wire.decodeFully(bytes, into), Buffer.from(line), full);
    for (let offset = 0; offset < 8; offset += 1) {
      const memory = Buffer.from(`${'"'.repeat(offset)}${line}${"}".repeat(8)}`);
      const message = new Uint8Array(memory.buffer, memory.byteOffset + offset, line.length);
      expect(told((bytes, into) => wire.decode(bytes, into), message, fast)).toBe(expected);
    }
  });

  test("says what the full parse says of every fixture", () => {
    for (const line of LINES) expectSame(Buffer.from(line));
  });

  test("says what the full parse says of every near miss of every fixture", () => {
    for (const line of [...LINES, ...SHORT]) for (const miss of nearMisses(line)) expectSame(Buffer.from(miss));
  });

  test("says what the full parse says when members come in another order", () => {
    for (const line of [...LINES, ...SHORT]) for (const other of reorderings(line)) expectSame(Buffer.from(other));
  });

  test("says what the full parse says when members come twice", () => {
    for (const line of [...FRAMES, ...SHORT]) for (const twice of duplicates(line)) expectSame(Buffer.from(twice));
  });

  test("says what the full parse says when the text is indented", () => {
    for (const line of LINES) expectSame(Buffer.from(JSON.stringify(JSON.parse(line), null, 2)));
  });

  test("says what the full parse says whichever byte is changed, dropped, doubled, cut off, escaped or joined by others", () => {
    for (const line of SHORT) for (const message of byteMutations(line, INSERTED)) expectSame(message);
  });

  test("says what the full parse says of whole frames with any few bytes changed", () => {
    const change = fc.record({
      at: fc.nat(400),
      byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\={},:A0 '))),
    });
    fc.assert(
      fc.property(fc.constantFrom(...FRAMES), fc.array(change, { minLength: 1, maxLength: 3 }), (line, changes) => {
        const message = Buffer.from(line);
        for (const { at, byte } of changes) message[at % message.length] = byte;
        expectSame(message);
      }),
      { numRuns: 5_000 },
    );
  });

  test("says what the full parse says of payloads of every length and content", () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes).toString("base64")),
      fc.base64String({ maxLength: 400 }),
      fc.string({ maxLength: 12, unit: fc.constantFrom(..."Az09+/=-_ ") }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...SHORT), payload, fc.stringMatching(/^[0-9]{0,20}$/), (line, text, digits) => {
        expectSame(
          Buffer.from(line.replace(/"payload":"[^"]*"/, () => `"payload":"${text}"`).replace('"142"', `"${digits}"`)),
        );
      }),
      { numRuns: 3_000 },
    );
  });
});
