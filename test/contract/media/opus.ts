import { describe, expect, test } from "vitest";
import { STREAM_RATES_HZ, type StreamRateHz } from "../../../src/core/calls/spec.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { OPUS_FRAME_BYTES_MAX, OPUS_PACKET_MS_MAX } from "../../../src/core/limits/streams/media.ts";
import { type OpusCodecs, type OpusDecoder, type OpusLibrary, opusCodecs } from "../../../src/media/opus/codecs.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { WatermarkDecoder } from "../../../src/speech/reference/watermark/decoder.ts";
import { WatermarkEncoder } from "../../../src/speech/reference/watermark/encoder.ts";
import {
  framesWithoutBytes,
  joinedPackets,
  mutantPacket,
  type OpusClient,
  opusStream,
  packetOf,
  packetsOfEveryKind,
} from "../../support/audio/opus-packets.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { Random } from "../../support/random.ts";

/** One Opus library, and what it may take of memory. */
export interface OpusUnderTest {
  library: OpusLibrary;
  /** Bytes outside of the JavaScript heap that it has taken, after everything that is over has been given back. */
  heldBytes(): Promise<number>;
  /** `heldBytes` may be so much more after 10,000 streams than after 1,000. */
  grownBytesMax: number;
  /** JavaScript heap for one frame of 20 ms. */
  decodeHeapBytesMax: number;
  encodeHeapBytesMax: number;
}

/** What both Opus libraries do alike; each runs it in a test file of its own. */
export function opusContract(subject: OpusUnderTest): void {
  const codecs = opusCodecs(subject.library);
  encodes(codecs);
  decodes(codecs);
  refuses(codecs);
  holdsNothing(codecs, subject);
}

/** The encoder's look-ahead: 6.5 ms, 2.5 for the overlap of frames and 4 that keep its two coders in step. */
const DELAY_MS = 6.5;
const TONE_HZ = 1_000;
const TONE_PEAK = 8_000;
const toneAt = (seconds: number): number => TONE_PEAK * Math.sin(2 * Math.PI * TONE_HZ * seconds);
const BUS_RATES_HZ = [8_000, 16_000] as const;
const MONO: OpusClient = { rateHz: 16_000, channels: 1, frameMs: 20 };

/** The TOC byte of 20 ms of fullband CELT, one frame. */
const CELT_20_MS = 31 << 3;
/** A frame of 1,275 bytes, the largest, or so many more: any bytes of CELT can be decoded. */
const largeFrame = (moreBytes = 0): Uint8Array =>
  Uint8Array.from({ length: OPUS_FRAME_BYTES_MAX + moreBytes }, (_, n) => Math.imul(n + 1, 0x9e37_79b1) >>> 24);
const sixFrames = Array.from({ length: 6 }, () => largeFrame());

const roomFor = (rateHz: number): Int16Array => new Int16Array((rateHz / 1_000) * OPUS_PACKET_MS_MAX);

function decoded(decoder: OpusDecoder, packets: readonly Uint8Array[]): Int16Array {
  const into = roomFor(16_000);
  return Int16Array.from(packets.flatMap((packet) => [...into.subarray(0, decoder.decode(packet, into))]));
}

/** What a decoder makes of a packet: how many samples, or the error's code. */
function outcome(decoder: OpusDecoder, packet: Uint8Array): number | string {
  try {
    return decoder.decode(packet, roomFor(16_000));
  } catch (error) {
    if (error instanceof TrunklineError) return error.code;
    throw error;
  }
}

/** How much of `samples` is a tone of `hz`: its peak, and how far everything else lies below it, dB. */
function toneIn(samples: Int16Array, rateHz: number, hz: number): { peak: number; snrDb: number } {
  let real = 0;
  let imaginary = 0;
  let energy = 0;
  for (const [n, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * hz * n) / rateHz);
    imaginary += sample * Math.sin((2 * Math.PI * hz * n) / rateHz);
    energy += sample ** 2;
  }
  const peak = (2 * Math.hypot(real, imaginary)) / samples.length;
  const toneEnergy = (peak ** 2 / 2) * samples.length;
  return { peak, snrDb: 10 * Math.log10(toneEnergy / Math.max(1, energy - toneEnergy)) };
}

/** By how many ms `later` is most like `sampleAt` that much earlier. */
function delayMs(later: Int16Array, rateHz: number, sampleAt: (seconds: number) => number): number {
  let best = { likeness: Number.NEGATIVE_INFINITY, ms: 0 };
  for (let ms = 0; ms < 25; ms += 0.125) {
    let likeness = 0;
    for (let n = rateHz / 4; n < rateHz / 2; n += 1)
      likeness += (later[n] as number) * sampleAt(n / rateHz - ms / 1_000);
    if (likeness > best.likeness) best = { likeness, ms };
  }
  return best.ms;
}

/** The packets of our own encoder. */
function encoded(
  codecs: OpusCodecs,
  rateHz: StreamRateHz,
  durationMs: number,
  sampleAt: (seconds: number) => number,
): Uint8Array[] {
  const encoder = codecs.encoder(rateHz);
  const frame = new Int16Array(rateHz / 50);
  const packets = Array.from({ length: durationMs / 20 }, (_, n) => {
    for (let i = 0; i < frame.length; i += 1) frame[i] = sampleAt((n * frame.length + i) / rateHz);
    return encoder.encode(frame).slice();
  });
  encoder.close();
  return packets;
}

/** Is this decoder as good as a new one, once it has had half a second to settle? */
function expectSane(decoder: OpusDecoder, rateHz: number): void {
  const samples = decoded(decoder, opusStream({ ...MONO, bitrateBps: 32_000 }, 1_000, toneAt));
  const { peak, snrDb } = toneIn(samples.subarray(rateHz / 2, rateHz), rateHz, TONE_HZ);
  expect(peak).toBeGreaterThan(0.9 * TONE_PEAK);
  expect(peak).toBeLessThan(1.1 * TONE_PEAK);
  expect(snrDb).toBeGreaterThan(15);
}

function encodes(codecs: OpusCodecs): void {
  describe("encoded audio", () => {
    for (const rateHz of STREAM_RATES_HZ) {
      test.each(BUS_RATES_HZ)(`from ${rateHz} to %i Hz is the same tone, equally loud, 6.5 ms later`, (busRateHz) => {
        const tone = decoded(codecs.decoder(busRateHz), encoded(codecs, rateHz, 1_000, toneAt));
        expect(tone.length).toBe(busRateHz);
        const { peak, snrDb } = toneIn(tone.subarray(busRateHz / 5), busRateHz, TONE_HZ);
        expect(20 * Math.log10(peak / TONE_PEAK)).toBeCloseTo(0, 0);
        expect(snrDb).toBeGreaterThan(20);
        const vowel = decoded(codecs.decoder(busRateHz), encoded(codecs, rateHz, 600, vowelAt));
        expect(Math.abs(delayMs(vowel, busRateHz, vowelAt) - DELAY_MS)).toBeLessThan(0.5);
      });

      test(`at ${rateHz} Hz has one frame of 20 ms a packet, at about 48 kbit/s`, () => {
        const packets = encoded(codecs, rateHz, 2_000, vowelAt);
        const decoder = codecs.decoder(16_000);
        for (const packet of packets) {
          expect((packet[0] as number) & 0b11).toBe(0);
          expect(outcome(decoder, packet)).toBe(320);
          expect(packet.length).toBeLessThanOrEqual(1 + OPUS_FRAME_BYTES_MAX);
        }
        const bits = 8 * packets.reduce((sum, { length }) => sum + length, 0);
        expect(bits / 2).toBeGreaterThan(36_000);
        expect(bits / 2).toBeLessThan(54_000);
      });
    }

    test.each(STREAM_RATES_HZ)("keeps the watermark words of the reference TTS, at %i Hz", async (rateHz) => {
      const carrier = new WatermarkEncoder(8_000);
      const words = "all the words that it carries come out whole on the far side at any rate".split(" ");
      for (const [n, word] of words.entries()) carrier.addWord(word, 200 + 400 * n);
      const voice = Int16Array.from({ length: 8 * 400 * (words.length + 2) }, (_, n) => 3 * vowelAt(n / 8_000));
      const spoken = Int16Array.from([...carrier.push(voice), ...carrier.finish()]);
      const sent = rateHz === 8_000 ? spoken : (await loadResampler())(8_000, rateHz).process(spoken);
      const packets = encoded(
        codecs,
        rateHz,
        Math.floor(sent.length / (rateHz / 50)) * 20,
        (s) => sent[Math.round(s * rateHz)] ?? 0,
      );
      for (const busRateHz of BUS_RATES_HZ) {
        const heard: string[] = [];
        const decoder = new WatermarkDecoder(busRateHz, 500, { onWord: (word) => heard.push(word), onQuiet: () => {} });
        decoder.write(decoded(codecs.decoder(busRateHz), packets));
        expect(heard).toEqual(words);
      }
    });

    test("of full scale, clipping or noise stays within its bounds, too", () => {
      const random = new Random(3);
      for (const sampleAt of [() => 32_767, () => -32_768, () => random.whole(-32_768, 32_767)]) {
        for (const packet of encoded(codecs, 48_000, 200, sampleAt))
          expect(packet.length).toBeLessThanOrEqual(1 + OPUS_FRAME_BYTES_MAX);
      }
    });

    test("M6: a frame of another length fails an assertion before it reaches the library, which would end the process", () => {
      const encoder = codecs.encoder(16_000);
      const handedOver = new Int16Array(320);
      structuredClone(handedOver, { transfer: [handedOver.buffer] });
      for (const frame of [...[0, 1, 160, 319, 321, 640].map((length) => new Int16Array(length)), handedOver]) {
        expect(() => encoder.encode(frame)).toThrow("one frame at the encoder's own rate");
      }
      expect(encoder.encode(new Int16Array(320)).length).toBeGreaterThan(0);
    });
  });
}

function decodes(codecs: OpusCodecs): void {
  describe("valid packets of clients are decoded", () => {
    const clients: [string, OpusClient][] = [
      ["stereo speech", { ...MONO, channels: 2, bitrateBps: 24_000 }],
      ["stereo music", { rateHz: 48_000, channels: 2, frameMs: 20, application: "audio", bitrateBps: 96_000 }],
      ["forward error correction", { ...MONO, bitrateBps: 24_000, fec: true }],
      ["a constant bitrate", { ...MONO, bitrateBps: 32_000, constantBitrate: true }],
      ["a band of 12 kHz", { ...MONO, rateHz: 12_000, bitrateBps: 24_000 }],
      ["hybrid frames", { rateHz: 48_000, channels: 1, frameMs: 20, bitrateBps: 32_000 }],
      ["frames of 60 ms", { ...MONO, frameMs: 60, bitrateBps: 24_000 }],
      [
        "frames of 2.5 ms",
        { rateHz: 48_000, channels: 1, frameMs: 2.5, application: "restrictedLowDelay", bitrateBps: 96_000 },
      ],
    ];
    for (const [what, client] of clients) {
      test.each(BUS_RATES_HZ)(`M6: ${what}, at %i Hz`, (rateHz) => {
        const samples = decoded(codecs.decoder(rateHz), opusStream(client, 960, toneAt));
        expect(samples.length).toBe(0.96 * rateHz);
        const { peak, snrDb } = toneIn(samples.subarray(rateHz / 4, rateHz / 2), rateHz, TONE_HZ);
        expect(peak).toBeGreaterThan(0.9 * TONE_PEAK);
        expect(peak).toBeLessThan(1.1 * TONE_PEAK);
        expect(snrDb).toBeGreaterThan(15);
      });
    }

    test("M6: silence sent with DTX is silence of the same length", () => {
      const packets = opusStream({ ...MONO, bitrateBps: 16_000, dtx: true }, 2_000, (s) => (s < 0.5 ? toneAt(s) : 0));
      expect(packets.filter(({ length }) => length <= 2).length).toBeGreaterThan(20);
      const samples = decoded(codecs.decoder(16_000), packets);
      expect(samples.length).toBe(32_000);
      expect(Math.max(...samples.subarray(16_000).map(Math.abs))).toBeLessThan(100);
    });

    test("M6: packets of 120 ms, with six frames or 48", () => {
      const frames = opusStream({ ...MONO, application: "restrictedLowDelay", bitrateBps: 32_000 }, 960, toneAt);
      const sixes = Array.from({ length: 8 }, (_, n) => joinedPackets(frames.slice(6 * n, 6 * n + 6)));
      for (const rateHz of BUS_RATES_HZ) {
        const decoder = codecs.decoder(rateHz);
        const apart = decoded(codecs.decoder(rateHz), frames);
        // Rounded for the whole packet at once, so that a sample may differ by one.
        const differences = decoded(decoder, sixes).map((sample, n) => Math.abs(sample - (apart[n] as number)));
        expect(differences.length).toBe(apart.length);
        expect(Math.max(...differences)).toBeLessThanOrEqual(1);
        expect(outcome(decoder, framesWithoutBytes(16, 48))).toBe(roomFor(rateHz).length);
      }
    });

    const largest: [what: string, bytes: number, ms: number, packet: Uint8Array][] = [
      ["one frame", 1_276, 20, packetOf(CELT_20_MS, [largeFrame()], { code: 0 })],
      ["two frames of the same length", 2_551, 40, packetOf(CELT_20_MS, sixFrames.slice(0, 2), { code: 1 })],
      ["two frames", 2_553, 40, packetOf(CELT_20_MS, sixFrames.slice(0, 2), { code: 2 })],
      ["six frames of the same length", 7_652, 120, packetOf(CELT_20_MS, sixFrames, { code: 3 })],
      ["six frames", 7_662, 120, packetOf(CELT_20_MS, sixFrames, { code: 3, vbr: true })],
      ["six frames and padding", 7_664, 120, packetOf(CELT_20_MS, sixFrames, { code: 3, vbr: true, paddingBytes: 1 })],
      ["48 frames of 2.5 ms", 7_634, 120, packetOf(28 << 3, Array(48).fill(largeFrame(-1_116)), { code: 3 })],
      ["padding alone", 7_664, 20, packetOf(CELT_20_MS, [largeFrame()], { code: 3, paddingBytes: 6_361 })],
    ];
    for (const [what, bytes, ms, packet] of largest) {
      test(`M6: the largest packet of ${what}, ${bytes} bytes, gives ${ms} ms`, () => {
        expect(packet.length).toBe(bytes);
        for (const rateHz of BUS_RATES_HZ) {
          const decoder = codecs.decoder(rateHz);
          expect(outcome(decoder, packet)).toBe((ms * rateHz) / 1_000);
          expectSane(decoder, rateHz);
        }
      });
    }

    test("only the decoded samples are written to the buffer, and packets may have any memory offset", () => {
      const [packet = new Uint8Array()] = opusStream(MONO, 20, vowelAt);
      const into = roomFor(16_000).fill(77);
      expect(codecs.decoder(16_000).decode(packet, into)).toBe(320);
      expect([...into.subarray(320)].every((sample) => sample === 77)).toBe(true);
      const elsewhere = new Uint8Array(packet.length + 3);
      elsewhere.set(packet, 1);
      const again = roomFor(16_000);
      codecs.decoder(16_000).decode(elsewhere.subarray(1, packet.length + 1), again);
      expect(again.subarray(0, 320)).toEqual(into.subarray(0, 320));
    });

    test("a buffer without room for the longest packet fails an assertion, for every packet", () => {
      expect(() => codecs.decoder(16_000).decode(new Uint8Array(), new Int16Array(1_919))).toThrow(
        "room for the longest",
      );
    });
  });
}

function refuses(codecs: OpusCodecs): void {
  describe("an invalid packet is refused, and the stream continues", () => {
    const [good = new Uint8Array()] = opusStream({ ...MONO, bitrateBps: 32_000 }, 20, vowelAt);
    const handedOver = new Uint8Array(good);
    structuredClone(handedOver, { transfer: [handedOver.buffer] });
    const withToc = (low: number, ...rest: number[]): Uint8Array =>
      Uint8Array.of(((good[0] as number) & 0b1111_1100) | low, ...rest, ...good.subarray(1));
    const bad: [string, Uint8Array][] = [
      ["nothing", new Uint8Array()],
      ["a buffer that was handed over", handedOver],
      ["7,665 bytes", packetOf(CELT_20_MS, sixFrames, { code: 3, vbr: true, paddingBytes: 2 })],
      ["one frame of 1,276 bytes", packetOf(CELT_20_MS, [largeFrame(1)], { code: 0 })],
      ["two frames of 1,276 bytes", packetOf(CELT_20_MS, [largeFrame(1), largeFrame(1)], { code: 1 })],
      ["a second frame of 1,276 bytes", packetOf(CELT_20_MS, [largeFrame(), largeFrame(1)], { code: 2 })],
      ["a first frame of 1,276 bytes", packetOf(CELT_20_MS, [largeFrame(1), largeFrame()], { code: 2 })],
      ["four frames of 1,276 bytes", packetOf(CELT_20_MS, Array(4).fill(largeFrame(1)), { code: 3 })],
      [
        "a last of six frames of 1,276 bytes",
        packetOf(CELT_20_MS, sixFrames.with(5, largeFrame(1)), { code: 3, vbr: true }),
      ],
      ["seven frames of 20 ms", packetOf(CELT_20_MS, Array(7).fill(largeFrame(-1_000)), { code: 3 })],
      ["64 KiB", new Uint8Array(65_536).fill(255)],
      ["a count of frames that is missing", Uint8Array.of(0b11)],
      ["no frames", framesWithoutBytes(16, 0)],
      ["49 frames of 2.5 ms", framesWithoutBytes(16, 49)],
      ["48 frames of 20 ms", framesWithoutBytes(19, 48)],
      ["63 frames of 60 ms", framesWithoutBytes(3, 63)],
      ["7 frames of 20 ms", framesWithoutBytes(1, 7)],
      ["padding beyond the end", withToc(3, 0b0100_0001, 255, 255, 255, 255, 255, 255, 255)],
      ["padding that goes on to the end", Uint8Array.of((good[0] as number) | 3, 0b0100_0001, ...Array(900).fill(255))],
      ["padding and its length at the very end", Uint8Array.of((good[0] as number) | 3, 0b1100_0010, 254)],
      ["a first frame that is longer than the packet", withToc(2, 255, 255)],
      ["two frames of the same length in an odd count of bytes", Uint8Array.of((good[0] as number) | 1, 1, 2, 3)],
      ["frames of the same length that do not divide", Uint8Array.of((good[0] as number) | 3, 3, 1, 2, 3, 4)],
    ];
    for (const [what, packet] of bad) {
      test.each(BUS_RATES_HZ)(`M6: ${what}, at %i Hz`, (rateHz) => {
        const decoder = codecs.decoder(rateHz);
        const untouched = codecs.decoder(rateHz);
        const stream = opusStream({ ...MONO, bitrateBps: 32_000 }, 200, vowelAt);
        expect(decoded(decoder, stream.slice(0, 5))).toEqual(decoded(untouched, stream.slice(0, 5)));
        expect(outcome(decoder, packet)).toBe("wire_malformed");
        expect(decoded(decoder, stream.slice(5))).toEqual(decoded(untouched, stream.slice(5)));
      });
    }

    test.each(BUS_RATES_HZ)("M6: every packet of one byte is refused, or frames that are lost, at %i Hz", (rateHz) => {
      const decoder = codecs.decoder(rateHz);
      for (let byte = 0; byte < 256; byte += 1) {
        const result = outcome(decoder, Uint8Array.of(byte));
        if (byte % 4 >= 2) expect(result).toBe("wire_malformed");
        else expect(result).toBe((rateHz / 1_000) * msOfConfiguration(byte >> 3) * ((byte % 4) + 1));
      }
      expectSane(decoder, rateHz);
    });

    test.each(
      BUS_RATES_HZ,
    )("M6: 4,000 mutants and random bytes bring samples within bounds or wire_malformed, at %i Hz", (rateHz) => {
      const packets = packetsOfEveryKind();
      const random = new Random(11);
      const decoder = codecs.decoder(rateHz);
      const counts = { decoded: 0, refused: 0 };
      for (let n = 0; n < 4_000; n += 1) {
        const result = outcome(decoder, mutantPacket(packets, random));
        if (typeof result === "string") {
          expect(result).toBe("wire_malformed");
          counts.refused += 1;
        } else {
          expect(result > 0 && result <= roomFor(rateHz).length && result % (rateHz / 400) === 0).toBe(true);
          counts.decoded += 1;
        }
        if (n % 2_000 === 1_999) expectSane(decoder, rateHz);
      }
      expect(Math.min(counts.decoded, counts.refused)).toBeGreaterThan(1_200);
    });
  });
}

/** RFC 6716, section 3.1, table 2. */
function msOfConfiguration(configuration: number): number {
  if (configuration < 12) return [10, 20, 40, 60][configuration % 4] as number;
  if (configuration < 16) return [10, 20][configuration % 2] as number;
  return [2.5, 5, 10, 20][configuration % 4] as number;
}

function holdsNothing(codecs: OpusCodecs, subject: OpusUnderTest): void {
  describe("memory", () => {
    test("10,000 streams opened and closed leak no memory", async () => {
      const frame = new Int16Array(960);
      const into = roomFor(16_000);
      const openAndClose = async (count: number): Promise<void> => {
        for (let n = 0; n < count; n += 100) {
          // A hundred at once, as calls are.
          const streams = Array.from({ length: 100 }, () => [codecs.encoder(48_000), codecs.decoder(16_000)] as const);
          for (const [encoder, decoder] of streams) decoder.decode(encoder.encode(frame), into);
          for (const stream of streams.flat()) stream.close();
          if (n % 500 === 0) await subject.heldBytes();
        }
      };
      await openAndClose(1_000);
      const before = await subject.heldBytes();
      await openAndClose(10_000);
      expect((await subject.heldBytes()) - before).toBeLessThanOrEqual(subject.grownBytesMax);
    });

    test("a frame allocates no more than its library does", () => {
      const [encoder, decoder] = [codecs.encoder(16_000), codecs.decoder(16_000)];
      const frame = Int16Array.from({ length: 320 }, (_, n) => vowelAt(n / 16_000));
      const [packet = new Uint8Array()] = opusStream({ ...MONO, bitrateBps: 32_000 }, 20, vowelAt);
      const into = roomFor(16_000);
      const runs = 20;
      expect(heapBytesPerRun(() => decoder.decode(packet, into), runs, 2_000)).toBeLessThan(subject.decodeHeapBytesMax);
      expect(heapBytesPerRun(() => encoder.encode(frame), runs, 2_000)).toBeLessThan(subject.encodeHeapBytesMax);
    });

    test("closing a stream twice has no effect; using a closed stream fails an assertion", () => {
      const [encoder, decoder] = [codecs.encoder(16_000), codecs.decoder(16_000)];
      const packet = encoder.encode(new Int16Array(320)).slice();
      for (const stream of [encoder, decoder]) {
        stream.close();
        stream.close();
      }
      expect(() => encoder.encode(new Int16Array(320))).toThrow("the encoder is closed");
      expect(() => decoder.decode(packet, roomFor(16_000))).toThrow("the decoder is closed");
    });

    test("streams are independent: closing one does not affect another", () => {
      const packets = encoded(codecs, 16_000, 400, vowelAt);
      const [one, other, untouched] = [codecs.decoder(16_000), codecs.decoder(16_000), codecs.decoder(16_000)];
      expect(decoded(one, packets.slice(0, 10))).toEqual(decoded(untouched, packets.slice(0, 10)));
      decoded(other, packets.slice(5, 15));
      other.close();
      expect(decoded(one, packets.slice(10))).toEqual(decoded(untouched, packets.slice(10)));
    });
  });
}
