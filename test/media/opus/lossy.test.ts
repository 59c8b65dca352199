import { beforeAll, describe, expect, test } from "vitest";
import { OPUS_PACKET_MS_MAX } from "../../../src/core/limits/streams/media.ts";
import type { RtpOpusCodecs } from "../../../src/media/opus/codecs.ts";
import { loadOpus, loadRtpOpus } from "../../../src/media/opus/load.ts";
import { mutantPacket, type OpusClient, opusStream, packetsOfEveryKind } from "../../support/audio/opus-packets.ts";
import { speechLike } from "../../support/audio/speech-like.ts";
import { heapBytesPerRun } from "../../support/heap.ts";
import { Random } from "../../support/random.ts";

/** A browser: 20 ms of mono in the speech coder, with redundancy. */
const BROWSER: OpusClient = {
  rateHz: 16_000,
  channels: 1,
  frameMs: 20,
  application: "voip",
  bitrateBps: 32_000,
  fec: true,
};
const FRAME = 320;
const speech = speechLike(new Random(7), 4, 16_000);
const speechAt = (seconds: number): number => speech[Math.round(seconds * 16_000)] ?? 0;

const room = (): Int16Array => new Int16Array(16 * OPUS_PACKET_MS_MAX);
let codecs: RtpOpusCodecs;
beforeAll(async () => {
  codecs = await loadRtpOpus(await loadOpus());
});

type Make = (
  decoder: ReturnType<RtpOpusCodecs["decoder"]>,
  next: Uint8Array,
  lostMs: number,
  into: Int16Array,
) => number;
const restored: Make = (decoder, next, lostMs, into) => decoder.decodeLost(next, lostMs, into);
const silent: Make = (_, __, lostMs, into) => {
  into.fill(0);
  return 16 * lostMs;
};

/** What is decoded of packets of which those at `lost` do not arrive. */
function received(packets: readonly Uint8Array[], lost: (n: number) => boolean, make: Make): Int16Array {
  const decoder = codecs.decoder(16_000);
  const into = room();
  const samples: number[] = [];
  let lostMs = 0;
  for (const [n, packet] of packets.entries()) {
    if (lost(n)) {
      lostMs += 20;
      continue;
    }
    if (lostMs > 0) samples.push(...into.subarray(0, make(decoder, packet, lostMs, into)));
    lostMs = 0;
    samples.push(...into.subarray(0, decoder.decode(packet, into)));
  }
  decoder.close();
  return Int16Array.from(samples);
}

/** How far the difference lies below the signal in the lost frames, dB: the median over them. */
function likenessDb(whole: Int16Array, lossy: Int16Array, lost: (n: number) => boolean): number {
  const ratios: number[] = [];
  for (let n = 0; n < whole.length / FRAME; n += 1) {
    let [signal, noise] = [0, 0];
    for (let i = n * FRAME; i < (n + 1) * FRAME; i += 1) {
      signal += (whole[i] as number) ** 2;
      noise += ((whole[i] as number) - (lossy[i] as number)) ** 2;
    }
    if (lost(n) && signal > FRAME * 200 ** 2) ratios.push(10 * Math.log10(signal / Math.max(1, noise)));
  }
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] as number;
}

describe("Opus of a stream that loses packets", () => {
  test("single lost packets are restored from the redundancy of the one after them", () => {
    const packets = opusStream(BROWSER, 4_000, speechAt);
    const lost = (n: number) => n > 20 && n % 5 === 0;
    const whole = received(packets, () => false, restored);
    const withFec = received(packets, lost, restored);
    expect(withFec.length).toBe(whole.length);
    const withoutFec = received(opusStream({ ...BROWSER, fec: false }, 4_000, speechAt), lost, restored);
    const zeros = received(packets, lost, silent);
    expect(likenessDb(whole, zeros, lost)).toBeCloseTo(0, 1);
    expect(likenessDb(whole, withFec, lost)).toBeGreaterThan(5);
    // Concealment goes on with the last sound: it is no restoration.
    expect(likenessDb(whole, withFec, lost)).toBeGreaterThan(likenessDb(whole, withoutFec, lost) + 3);
  });

  test("of several lost packets the last is restored, and those before it are concealed", () => {
    const packets = opusStream(BROWSER, 4_000, speechAt);
    const lost = (n: number) => n > 20 && n % 10 < 3;
    const last = (n: number) => n > 20 && n % 10 === 2;
    const whole = received(packets, () => false, restored);
    const withFec = received(packets, lost, restored);
    expect(withFec.length).toBe(whole.length);
    expect(likenessDb(whole, withFec, last)).toBeGreaterThan(likenessDb(whole, withFec, (n) => lost(n) && !last(n)));
  });

  test.each([
    2.5,
    5,
    20,
    40,
    100,
    OPUS_PACKET_MS_MAX,
  ])("%d ms are made up for before a packet of any kind", (lostMs) => {
    for (const rateHz of [8_000, 16_000] as const) {
      for (const packet of packetsOfEveryKind()) {
        const decoder = codecs.decoder(rateHz);
        expect(decoder.decodeLost(packet, lostMs, room())).toBe((lostMs * rateHz) / 1_000);
        decoder.decode(packet, room());
        decoder.close();
      }
    }
  });

  test("a packet that cannot be decoded is refused, and the stream goes on", () => {
    const decoder = codecs.decoder(16_000);
    const malformed = expect.objectContaining({ code: "wire_malformed" });
    expect(() => decoder.decodeLost(new Uint8Array(), 20, room())).toThrow(malformed);
    expect(() => decoder.decodeLost(Uint8Array.of(0b11, 63), 20, room())).toThrow(malformed);
    const random = new Random(3);
    const packets = packetsOfEveryKind();
    for (let i = 0; i < 2_000; i += 1) {
      try {
        decoder.decodeLost(mutantPacket(packets, random), 20 * random.whole(1, 5), room());
      } catch (error) {
        expect(error).toMatchObject({ code: "wire_malformed" });
      }
    }
    expect(decoder.decode(opusStream(BROWSER, 20, speechAt)[0] as Uint8Array, room())).toBe(FRAME);
    decoder.close();
    expect(() => decoder.decodeLost(Uint8Array.of(0xf8, 0xff, 0xfe), 20, room())).toThrow("closed");
  });

  test.each([0, -20, 7, 122.5, Number.NaN])("%d ms cannot be lost", (lostMs) => {
    const decoder = codecs.decoder(16_000);
    expect(() => decoder.decodeLost(Uint8Array.of(0xf8, 0xff, 0xfe), lostMs, room())).toThrow("steps of 2.5 ms");
    decoder.close();
  });

  test("making up for a packet allocates nothing", () => {
    const decoder = codecs.decoder(16_000);
    const packets = opusStream(BROWSER, 400, speechAt);
    const into = room();
    let n = 0;
    const bytes = heapBytesPerRun(
      () => {
        const packet = packets[n % packets.length] as Uint8Array;
        decoder.decodeLost(packet, 20, into);
        decoder.decode(packet, into);
        n += 1;
      },
      20,
      500,
    );
    expect(bytes).toBeLessThan(1);
  });
});
