import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TrunklineError } from "../../../src/core/errors.ts";
import { RTP_PACKET_BYTES_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import {
  isRtcp,
  type RtpHeader,
  readRtp,
  rtpPacket,
  sequenceDistance,
  timestampDistance,
  writeRtp,
} from "../../../src/media/rtp/packet.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const uint32s = fc.integer({ min: 0, max: 0xffff_ffff });
const headers: fc.Arbitrary<RtpHeader> = fc.record({
  payloadType: fc.integer({ min: 0, max: 127 }),
  marker: fc.boolean(),
  sequence: fc.integer({ min: 0, max: 0xffff }),
  timestamp: uint32s,
  ssrc: uint32s,
});
const payloads = fc.uint8Array({ maxLength: 200 });

const written = (header: RtpHeader, payload: Uint8Array): Uint8Array => {
  const into = new Uint8Array(RTP_PACKET_BYTES_MAX);
  return into.subarray(0, writeRtp(header, payload, into));
};
const read = (bytes: Uint8Array) => {
  const packet = rtpPacket();
  readRtp(bytes, packet);
  return packet;
};
const payloadOf = (bytes: Uint8Array): Uint8Array => {
  const { payloadStart, payloadEnd } = read(bytes);
  return Uint8Array.from(bytes.subarray(payloadStart, payloadEnd));
};
/** A packet of Chromium: payload type 111, marker, sequence 0x1234. */
const CHROMIUM = Uint8Array.from(Buffer.from("80ef123401020304a1b2c3d4f8fffe", "hex"));

describe("RTP packets", () => {
  test("the fields of a browser's packet are read", () => {
    expect(read(CHROMIUM)).toMatchObject({
      payloadType: 111,
      marker: true,
      sequence: 0x1234,
      timestamp: 0x0102_0304,
      ssrc: 0xa1b2_c3d4,
    });
    expect(payloadOf(CHROMIUM)).toEqual(Uint8Array.of(0xf8, 0xff, 0xfe));
  });

  test("what is written is read again", () => {
    fc.assert(
      fc.property(headers, payloads, (header, payload) => {
        const bytes = written(header, payload);
        expect(read(bytes)).toMatchObject(header);
        expect(payloadOf(bytes)).toEqual(payload);
      }),
    );
  });

  test("sources, the header extension and padding are skipped", () => {
    fc.assert(
      fc.property(
        headers,
        payloads,
        fc.array(uint32s, { maxLength: 15 }),
        fc.option(fc.array(uint32s, { maxLength: 20 })),
        fc.integer({ min: 0, max: 255 }),
        (header, payload, sources, extension, paddingBytes) => {
          const plain = Buffer.from(written(header, payload));
          const words = (values: readonly number[]) => {
            const bytes = Buffer.alloc(4 * values.length);
            for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
            return bytes;
          };
          const padding = Buffer.alloc(paddingBytes);
          if (paddingBytes > 0) padding[paddingBytes - 1] = paddingBytes;
          const bytes = Buffer.concat([
            plain.subarray(0, 12),
            words(sources),
            ...(extension === null
              ? []
              : [words([0xbede_0000 | extension.length].map((word) => word >>> 0)), words(extension)]),
            payload,
            padding,
          ]);
          bytes[0] = 0x80 | sources.length | (extension === null ? 0 : 0x10) | (paddingBytes === 0 ? 0 : 0x20);
          expect(read(bytes)).toMatchObject(header);
          expect(payloadOf(bytes)).toEqual(payload);
        },
      ),
    );
  });

  test("a packet of nothing but padding has an empty payload", () => {
    const bytes = Uint8Array.from([...CHROMIUM.subarray(0, 12), 0, 0, 3]);
    bytes[0] = 0xa0;
    expect(payloadOf(bytes)).toHaveLength(0);
  });

  test.each([
    ["shorter than its header", CHROMIUM.subarray(0, 11)],
    ["does not have version 2", Uint8Array.from([0x40, ...CHROMIUM.subarray(1)])],
    ["shorter than its header says", Uint8Array.from([0x81, ...CHROMIUM.subarray(1)])],
    ["extension is cut off", Uint8Array.from([0x90, ...CHROMIUM.subarray(1)])],
    ["shorter than its header says", Uint8Array.from([0x90, ...CHROMIUM.subarray(1, 12), 0xbe, 0xde, 0xff, 0xff])],
    ["padding is empty", Uint8Array.from([0xa0, ...CHROMIUM.subarray(1, 14), 0])],
    ["shorter than its header says", Uint8Array.from([0xa0, ...CHROMIUM.subarray(1, 14), 4])],
  ])("W4: a packet that is %s is refused", (what, bytes) => {
    expect(() => read(bytes)).toThrow(expect.objectContaining({ code: "wire_malformed", fault: "peer" }));
    expect(() => read(bytes)).toThrow(what);
  });

  test("W4: whatever bytes come, they are read within their bounds or refused as malformed", () => {
    const nearMisses = fc
      .tuple(fc.nat(CHROMIUM.length), fc.nat(CHROMIUM.length - 1), fc.nat(255))
      .map(([length, at, byte]) => {
        const bytes = CHROMIUM.slice();
        bytes[at] = byte;
        return bytes.slice(0, length);
      });
    fc.assert(
      fc.property(fc.oneof(nearMisses, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        try {
          const { payloadStart, payloadEnd } = read(bytes);
          expect(payloadStart).toBeGreaterThanOrEqual(12);
          expect(payloadStart).toBeLessThanOrEqual(payloadEnd);
          expect(payloadEnd).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(TrunklineError);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  test("RTCP on the same port is distinguished from RTP by its type", () => {
    for (const type of [192, 200, 201, 203, 206, 223]) expect(isRtcp(Uint8Array.of(0x80, type)), `${type}`).toBe(true);
    for (const type of [0, 111, 128 + 111, 191, 224, 255])
      expect(isRtcp(Uint8Array.of(0x80, type)), `${type}`).toBe(false);
    expect(isRtcp(new Uint8Array())).toBe(false);
  });

  test("distances go over the wrap of their numbers", () => {
    expect(sequenceDistance(65_535, 0)).toBe(1);
    expect(sequenceDistance(0, 65_535)).toBe(-1);
    expect(sequenceDistance(10, 32_777)).toBe(32_767);
    expect(timestampDistance(0xffff_ff00, 0x100)).toBe(0x200);
    expect(timestampDistance(0x100, 0xffff_ff00)).toBe(-0x200);
  });

  test("reading and writing allocate nothing", () => {
    const packet = rtpPacket();
    const into = new Uint8Array(RTP_PACKET_BYTES_MAX);
    const header = { payloadType: 111, marker: false, sequence: 7, timestamp: 960, ssrc: 5 };
    const payload = new Uint8Array(80);
    expect(
      heapBytesPerRun(() => {
        readRtp(CHROMIUM, packet);
        writeRtp(header, payload, into);
      }, 1_000),
    ).toBeLessThan(1);
  });
});
