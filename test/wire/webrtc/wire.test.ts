import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { RTP_LEAD_MS } from "../../../src/core/limits/streams/webrtc.ts";
import type { RtpOpusCodecs } from "../../../src/media/opus/codecs.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";
import { ENVELOPE_BYTES, writeEnvelope } from "../../../src/wire/webrtc/envelope.ts";
import { createWebrtcWire, type WebrtcWire } from "../../../src/wire/webrtc/wire.ts";
import { decode, refused } from "../../contract/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { opusStream } from "../../support/audio/opus-packets.ts";
import { speechLike } from "../../support/audio/speech-like.ts";
import { Random } from "../../support/random.ts";

const CALL_ID = asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e");
/** 120 ms of the longest packet, and 100 ms that are restored before it. */
const SAMPLES_MAX = 16 * 220;
const into = inboundAudio(SAMPLES_MAX);
let codecs: RtpOpusCodecs;
beforeAll(async () => {
  codecs = await loadRtpOpus(opus);
});

const speech = speechLike(new Random(5), 2, 16_000);
const packets = opusStream(
  { rateHz: 16_000, channels: 1, frameMs: 20, bitrateBps: 32_000, fec: true },
  2_000,
  (seconds) => speech[Math.round(16_000 * seconds)] ?? 0,
);

function stage() {
  const sender = new RtpSender({ ssrc: 1, payloadType: 111, firstSequence: 0, firstTimestamp: 0xffff_fc40 });
  const wire = createWebrtcWire({ callId: CALL_ID, opus: codecs, sender });
  return { sender, wire };
}

const envelopeOf = (opusPacket: Uint8Array, missing: number, timestamp: number): Uint8Array => {
  const bytes = new Uint8Array(2_000);
  const packet = { bytes: opusPacket, payloadStart: 0, payloadEnd: opusPacket.length, missing, timestamp };
  return bytes.subarray(0, writeEnvelope(packet, bytes));
};

interface Heard {
  atMs: number;
  count: number;
  samples: Int16Array;
}

function heard(wire: WebrtcWire, opusPacket: Uint8Array, missing: number, timestamp: number): Heard {
  expect(wire.decode(envelopeOf(opusPacket, missing, timestamp), into, true)).toEqual({ kind: "audio" });
  return { atMs: Number(into.timestampMs), count: into.count, samples: into.samples.slice(0, into.count) };
}

describe("webrtc: inbound audio", () => {
  test("packets in order are decoded at 16,000 Hz, with times from their timestamps, which wrap", () => {
    const { wire } = stage();
    for (const [n, packet] of packets.entries()) {
      expect(heard(wire, packet, 0, (0xffff_0000 + 960 * n) >>> 0)).toMatchObject({ atMs: 20 * n, count: 320 });
    }
    wire.close?.();
  });

  test.each([1, 2, 5])("%d lost packets are made up for: the audio has no gap", (missing) => {
    const { wire } = stage();
    heard(wire, packets[0] as Uint8Array, 0, 0);
    const after = heard(wire, packets[1 + missing] as Uint8Array, missing, 960 * (1 + missing));
    expect(after).toMatchObject({ atMs: 20, count: 320 * (1 + missing) });
    expect(heard(wire, packets[2 + missing] as Uint8Array, 0, 960 * (2 + missing))).toMatchObject({
      atMs: 20 * (2 + missing),
      count: 320,
    });
    wire.close?.();
  });

  test("more lost packets are a gap", () => {
    const { wire } = stage();
    heard(wire, packets[0] as Uint8Array, 0, 0);
    expect(heard(wire, packets[7] as Uint8Array, 6, 960 * 7)).toMatchObject({ atMs: 140, count: 320 });
    wire.close?.();
  });

  test("DTX: what the peer did not send is a gap, also where a packet was lost in it", () => {
    const { wire } = stage();
    heard(wire, packets[0] as Uint8Array, 0, 0);
    expect(heard(wire, packets[1] as Uint8Array, 0, 960 * 3)).toMatchObject({ atMs: 60, count: 320 });
    expect(heard(wire, packets[2] as Uint8Array, 1, 960 * 43)).toMatchObject({ atMs: 860, count: 320 });
    wire.close?.();
  });

  test("packets of other lengths are made up for by their timestamps", () => {
    const { wire } = stage();
    const long = opusStream(
      { rateHz: 16_000, channels: 2, frameMs: 60 },
      300,
      (seconds) => 9_000 * Math.sin(2_000 * seconds),
    );
    heard(wire, long[0] as Uint8Array, 0, 0);
    expect(heard(wire, long[2] as Uint8Array, 1, 2_880 * 2)).toMatchObject({ atMs: 60, count: 1_920 });
    wire.close?.();
  });

  test("the restored audio is like the lost one", () => {
    const [whole, lossy] = [stage().wire, stage().wire];
    const expected: number[] = [];
    const got: number[] = [];
    let missing = 0;
    for (const [n, packet] of packets.entries()) {
      expected.push(...heard(whole, packet, 0, 960 * n).samples);
      if (n > 10 && n % 5 === 0) missing += 1;
      else {
        got.push(...heard(lossy, packet, missing, 960 * n).samples);
        missing = 0;
      }
    }
    expect(got.length).toBe(expected.length);
    let [signal, noise] = [0, 0];
    for (const [i, sample] of expected.entries()) {
      signal += sample ** 2;
      noise += (sample - (got[i] as number)) ** 2;
    }
    expect(10 * Math.log10(signal / noise)).toBeGreaterThan(8);
    whole.close?.();
    lossy.close?.();
  });

  test("a packet that is no Opus is malformed, and the stream goes on", () => {
    const { wire } = stage();
    heard(wire, packets[0] as Uint8Array, 0, 0);
    for (const bytes of [[], [0, 0, 0, 0, 0], [0, 0, 0, 3, 192, 0b11, 63]]) {
      expect(() => wire.decode(Uint8Array.from(bytes), into, true)).toThrow(refused("wire_malformed"));
    }
    expect(heard(wire, packets[2] as Uint8Array, 0, 1_920)).toMatchObject({ atMs: 40, count: 320 });
    wire.close?.();
  });

  test("whatever an envelope holds, it is decoded into the room for it, or refused", () => {
    const { wire } = stage();
    const envelopes = fc.tuple(fc.nat(255), fc.integer({ min: 0, max: 0xffff_ffff }), fc.uint8Array({ maxLength: 40 }));
    fc.assert(
      fc.property(envelopes, ([missing, timestamp, bytes]) => {
        try {
          heard(wire, bytes, missing, timestamp);
          expect(into.count).toBeLessThanOrEqual(SAMPLES_MAX);
        } catch (error) {
          expect(error).toMatchObject({ code: "wire_malformed" });
        }
      }),
      { numRuns: 2_000 },
    );
    wire.close?.();
  });
});

describe("webrtc: what is sent", () => {
  test("the format of its audio: 24,000 Hz to Opus, sent with the lead of browsers", () => {
    const { wire } = stage();
    expect(wire).toMatchObject({
      inboundRateHz: 16_000,
      outboundRateHz: 24_000,
      outboundCodec: "pcm_s16le",
      binaryAudio: true,
      playout: { leadMs: RTP_LEAD_MS },
      jitterBuffer: undefined,
      hasWallClockTimestamps: true,
      implicitStart: { kind: "start", streamId: CALL_ID, codec: "pcm_s16le" },
    });
    wire.close?.();
  });

  test("frames and silence are Opus packets of 20 ms", () => {
    const { wire } = stage();
    const decoder = opus.decoder(16_000);
    const room = new Int16Array(1_920);
    for (const packet of [wire.encodeAudio(new Uint8Array(960).fill(7)).slice(), wire.encodeSilence().slice()]) {
      expect(decoder.decode(packet, room)).toBe(320);
    }
    decoder.close();
    wire.close?.();
  });

  test("marks and clears name the place after the audio so far, by its RTP timestamp", () => {
    const { wire, sender } = stage();
    expect(wire.encodeMark("a")).toBe('{"type":"mark","name":"a","rtpTimestamp":4294966336}');
    sender.speech(wire.encodeSilence(), monotonicMs(0));
    expect(wire.encodeMark("b")).toBe('{"type":"mark","name":"b","rtpTimestamp":0}');
    expect(wire.encodeClear()).toBe('{"type":"clear","rtpTimestamp":0}');
    wire.close?.();
  });

  test("ready says that the audio is on RTP; other messages are those of the raw protocol", () => {
    const { wire } = stage();
    expect(JSON.parse(wire.encodeClientMessage?.({ kind: "ready", callId: CALL_ID }) ?? "")).toEqual({
      type: "ready",
      callId: CALL_ID,
      transport: "rtp",
      input: { codec: "opus", sampleRate: 48_000 },
      output: { codec: "opus", sampleRate: 48_000 },
    });
    expect(wire.encodeClientMessage?.({ kind: "state", state: "listening" })).toBe(
      '{"type":"state","state":"listening"}',
    );
    wire.close?.();
  });
});

describe("webrtc: the texts of a client", () => {
  test("are those of the raw protocol", () => {
    const { wire } = stage();
    expect(decode(wire, { type: "mark", name: "a" })).toEqual({ kind: "mark", name: "a" });
    expect(decode(wire, { type: "text", text: "hello" })).toEqual({ kind: "text", text: "hello" });
    expect(decode(wire, { type: "end" })).toEqual({ kind: "stop" });
    expect(() => decode(wire, "[]")).toThrow(refused("wire_wrong_data"));
    wire.close?.();
  });

  test("the position of a client is translated to speech", () => {
    const { wire, sender } = stage();
    for (let n = 0; n < 10; n += 1) sender.speech(wire.encodeSilence(), monotonicMs(0));
    sender.speech(wire.encodeSilence(), monotonicMs(1_000));
    wire.encodeClear();
    expect(decode(wire, { type: "cleared", playedMs: 1_010 })).toEqual({ kind: "cleared", playedMs: 210 });
    expect(decode(wire, { type: "cleared" })).toEqual({ kind: "cleared", playedMs: Number.NaN });
    expect(decode(wire, { type: "cleared", playedMs: 500 })).toEqual({ kind: "cleared", playedMs: 200 });
    wire.close?.();
  });
});

test("an envelope is five bytes and the packet, and says at most 255 lost packets", () => {
  expect([...envelopeOf(Uint8Array.of(7, 8), 300, 0x0102_0304)]).toEqual([255, 1, 2, 3, 4, 7, 8]);
  expect(ENVELOPE_BYTES).toBe(5);
});
