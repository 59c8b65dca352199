import { setTimeout as delay } from "node:timers/promises";
import { OPUS_PACKET_MS_MAX } from "../../src/core/limits/streams/media.ts";
import type { WebrtcPort } from "../../src/gateway/webrtc/peer.ts";
import { loadRtpOpus } from "../../src/media/opus/load.ts";
import { opus } from "../../test/support/audio/opus-codecs.ts";
import { opusStream } from "../../test/support/audio/opus-packets.ts";
import { speechLike } from "../../test/support/audio/speech-like.ts";
import { likenessDb, quantile, toneSnrDb } from "../../test/support/audio/tone.ts";
import { LossyProxy } from "../../test/support/network/lossy-proxy.ts";
import { Random } from "../../test/support/random.ts";
import { loopbackCall } from "../../test/support/webrtc/loopback-call.ts";
import { withPort } from "./loopback-port.ts";
import { type NetworkRow, type Scene, SOUNDS, type Sound } from "./result.ts";

// What the service hears of a caller over a bad network.

const codecs = await loadRtpOpus(opus);
const TONE_HZ = 1_000;
const TONE_PEAK = 8_000;
const SIGNALS: Readonly<Record<Sound, (seconds: number, seed: number) => (second: number) => number>> = {
  tone: () => (second) => TONE_PEAK * Math.sin(2 * Math.PI * TONE_HZ * second),
  speech: (seconds, seed) => {
    const samples = speechLike(new Random(seed), Math.ceil(SETTLE_S + seconds), RATE_HZ);
    return (second) => samples[Math.round(second * RATE_HZ)] ?? 0;
  },
};
/** The encoder settles, before the loss begins. */
const SETTLE_S = 0.5;
const RATE_HZ = 16_000;
const BAD_DB = 10;
/** The longest patience, and the way through the proxy. */
const LAST_PACKET_MS = 200;

const LOSS_SHARES = [0, 0.01, 0.05, 0.2];
/** How much longer than others a datagram may take; past the 20 ms between two packets they overtake each other. */
const JITTERS_MS = [0, 10, 50];
/** On the networks with the most jitter some datagrams come twice, too. */
const DUPLICATE_SHARE = 0.02;

type Conditions = Pick<NetworkRow, "sound" | "lossShare" | "jitterMs" | "fec">;

/** Calls in real time over a proxy that loses and delays datagrams; those of one loss at once. */
export async function measureNetwork({ options, write }: Scene): Promise<NetworkRow[]> {
  const { seconds, seed, reduced } = options;
  const [losses, jitters] = reduced ? [[0.05], [10]] : [LOSS_SHARES, JITTERS_MS];
  return await withPort(async (port) => {
    const rows: NetworkRow[] = [];
    for (const sound of SOUNDS) {
      for (const lossShare of losses) {
        write(`network: ${sound} with ${Math.round(100 * lossShare)} % loss, ${seconds} s`);
        const conditions = jitters.flatMap((jitterMs) =>
          [true, false].map((fec): Conditions => ({ sound, lossShare, jitterMs, fec })),
        );
        rows.push(...(await Promise.all(conditions.map((each) => runCall(port, each, seconds, seed)))));
      }
    }
    return rows;
  });
}

async function runCall(port: WebrtcPort, conditions: Conditions, seconds: number, seed: number): Promise<NetworkRow> {
  const { sound, lossShare, jitterMs, fec } = conditions;
  const proxy = await LossyProxy.open(port.port, new Random(seed));
  const { caller, transport, heard, gapsMs, end } = await loopbackCall(port, { callerPort: proxy.port });
  const client = { rateHz: RATE_HZ, channels: 1, frameMs: 20, bitrateBps: 32_000, fec } as const;
  const packets = opusStream(client, 1_000 * (SETTLE_S + seconds), SIGNALS[sound](seconds, seed));
  const settled = packets.length - 50 * seconds;
  const duplicateShare = jitterMs === Math.max(...JITTERS_MS) ? DUPLICATE_SHARE : 0;
  await caller.play(packets.slice(0, settled));
  proxy.conditions = { lossShare, duplicateShare, delayMs: 0, jitterMs };
  await caller.play(packets.slice(settled));
  await delay(LAST_PACKET_MS);
  const samples = Int16Array.from(heard);
  const snrDb =
    sound === "tone"
      ? toneSnrDb(samples.subarray(SETTLE_S * RATE_HZ), TONE_HZ, RATE_HZ)
      : likenessDb(samples, decoded(packets), RATE_HZ).slice(SETTLE_S * 50);
  const { missing, reordered } = transport.counters;
  const row = {
    ...conditions,
    duplicateShare,
    missing,
    reordered,
    gapsMs: gapsMs(),
    medianDb: quantile(snrDb, 0.5),
    p10Db: quantile(snrDb, 0.1),
    badShare: snrDb.filter((db) => db < BAD_DB).length / snrDb.length,
  };
  end();
  proxy.close();
  return row;
}

/** What arrives without loss. */
function decoded(packets: readonly Uint8Array[]): Int16Array {
  const decoder = codecs.decoder(RATE_HZ);
  const room = new Int16Array((RATE_HZ / 1_000) * OPUS_PACKET_MS_MAX);
  const samples = packets.flatMap((packet) => [...room.subarray(0, decoder.decode(packet, room))]);
  decoder.close();
  return Int16Array.from(samples);
}

/** The columns and rows of its table. */
export const NETWORK_COLUMNS = [
  "sound",
  "loss",
  "jitter, ms",
  "twice",
  "FEC",
  "missing",
  "overtaken",
  "gaps, ms",
  "median, dB",
  "p10, dB",
  `below ${BAD_DB} dB`,
];
export const networkRow = (row: NetworkRow): string[] => [
  row.sound,
  percent(row.lossShare),
  String(row.jitterMs),
  percent(row.duplicateShare),
  row.fec ? "yes" : "no",
  String(row.missing),
  String(row.reordered),
  row.gapsMs.toFixed(0),
  row.medianDb.toFixed(1),
  row.p10Db.toFixed(1),
  `${(100 * row.badShare).toFixed(1)} %`,
];
const percent = (share: number): string => `${Math.round(100 * share)} %`;
