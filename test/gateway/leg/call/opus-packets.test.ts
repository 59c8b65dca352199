import { expect, test } from "vitest";
import { type CallMs, callMs } from "../../../../src/core/clocks.ts";
import { FRAME_MS, OPUS_PACKET_BYTES_MAX } from "../../../../src/core/limits/streams/media.ts";
import { CallerAudio } from "../../../../src/gateway/leg/caller-audio.ts";
import { CallCounters } from "../../../../src/gateway/metrics/call-counters.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { createWebsocketWire } from "../../../../src/wire/websocket/wire.ts";
import { WEBSOCKET_CALL_ID } from "../../../callers/websocket-leg.ts";
import { inboundAudio } from "../../../support/audio/inbound-audio.ts";
import { opus } from "../../../support/audio/opus-codecs.ts";
import { type OpusClient, opusStream, packetOf } from "../../../support/audio/opus-packets.ts";
import { vowelAt } from "../../../support/audio/vowel.ts";
import { Random } from "../../../support/random.ts";

const makeResampler = await loadResampler();
const STREAM_MS = 960;

/** Every duration that a packet may have, and the frames that it may be made of. */
const PACKETS: [packetMs: number, frameMs: OpusClient["frameMs"]][] = [
  ...([2.5, 5, 10, 20, 40, 60] as const).map((ms): [number, OpusClient["frameMs"]] => [ms, ms]),
  [80, 20],
  [80, 40],
  [100, 20],
  [120, 2.5],
  [120, 5],
  [120, 10],
  [120, 20],
  [120, 40],
  [120, 60],
];
const BITRATES_BPS = [6_000, 12_000, 24_000, 64_000, 128_000, 256_000, 510_000];

/** What the bus gets of a stream's packets, each of which comes when it is due. */
function onTheBus(rateHz: 8_000 | 16_000, packets: readonly Uint8Array[], packetMs: number): Int16Array {
  const format = { codec: "opus", inputRateHz: rateHz, outputRateHz: rateHz } as const;
  const wire = createWebsocketWire({ format, callId: WEBSOCKET_CALL_ID, opus });
  const samples: number[] = [];
  const audio = new CallerAudio({
    wire,
    codec: "pcm_s16le",
    makeResampler,
    openedMs: callMs(0),
    startMs: callMs(0),
    counters: new CallCounters(),
    onFrame: (frame) => samples.push(...frame.samples),
  });
  const inbound = inboundAudio();
  let tickMs = 0;
  const tickUntil = (nowMs: CallMs): void => {
    for (; callMs(tickMs) < nowMs; tickMs += FRAME_MS) audio.fillPause(callMs(tickMs));
  };
  for (const [index, packet] of packets.entries()) {
    const nowMs = callMs((index + 1) * packetMs);
    tickUntil(nowMs);
    expect(wire.decode(packet, inbound, true)).toEqual({ kind: "audio" });
    audio.push(inbound, nowMs);
    audio.classified(false);
  }
  expect(audio.flooded).toBe(false);
  audio.close();
  wire.close?.();
  return Int16Array.from(samples);
}

/** Packets of one frame, so many at a time in one packet, in any way that holds them. */
function joined(packets: readonly Uint8Array[], count: number, random: Random): Uint8Array[] {
  return Array.from({ length: Math.floor(packets.length / count) }, (_, n) => {
    const group = packets.slice(n * count, (n + 1) * count);
    const [toc] = group[0] as Uint8Array;
    const frames = group.map((packet) => packet.subarray(1));
    const vbr = new Set(frames.map(({ length }) => length)).size > 1;
    const padding = random.chance(0.3) ? { paddingBytes: random.whole(0, 10) } : {};
    return packetOf(toc as number, frames, { code: 3, vbr, ...padding });
  });
}

/** A packet of one frame: libopus packs 40 and 60 ms of its waveform coder as two and three. */
const isSingle = ([toc]: Uint8Array): boolean => ((toc as number) & 0b11) === 0;

const loudness = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);

test.each(
  PACKETS,
)("M6: packets of %d ms in frames of %d ms reach the bus without loss, at every bit rate, mono and stereo, padded or not", (packetMs, frameMs) => {
  const seed = 18;
  const random = new Random(seed);
  let tested = 0;
  for (const bitrateBps of BITRATES_BPS) {
    for (const channels of [1, 2] as const) {
      const constantBitrate = random.chance(0.5);
      const client: OpusClient = { rateHz: 16_000, channels, frameMs, bitrateBps, constantBitrate };
      const what = `${bitrateBps} bit/s, ${channels} channels, constant ${constantBitrate}, seed ${seed}`;
      const single = opusStream(client, STREAM_MS, vowelAt);
      const isOneKind = new Set(single.map(([toc]) => toc)).size === 1 && single.every(isSingle);
      if (packetMs > frameMs && !isOneKind) continue;
      const packets = isOneKind ? joined(single, packetMs / frameMs, random) : single;
      // 120 ms of the highest rate in short frames, with lengths or padding, may be too large.
      if (packets.some(({ length }) => length > OPUS_PACKET_BYTES_MAX)) continue;
      tested += 1;
      const isAudible = single.every(({ length }) => length > 2);
      for (const rateHz of [8_000, 16_000] as const) {
        const samples = onTheBus(rateHz, packets, packetMs);
        const frames = Math.floor((packets.length * packetMs) / FRAME_MS);
        expect(samples.length, what).toBe((frames * FRAME_MS * rateHz) / 1_000);
        if (isAudible) expect(loudness(samples), what).toBeGreaterThan(800);
      }
    }
  }
  expect(tested).toBeGreaterThanOrEqual(3);
});
