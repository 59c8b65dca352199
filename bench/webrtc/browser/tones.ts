import { setTimeout as delay } from "node:timers/promises";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RTP_LEAD_MS } from "../../../src/core/limits/streams/webrtc.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { quantile, toneOf, toneSnrDb } from "../../../test/support/audio/tone.ts";
import { LossyProxy } from "../../../test/support/network/lossy-proxy.ts";
import { Random } from "../../../test/support/random.ts";
import { type HeardCall, heardCall } from "../../../test/support/webrtc/loopback-call.ts";
import { withPort } from "../loopback-port.ts";
import type { Scene, ToneRow } from "../result.ts";
import { type BenchPage, withBrowser } from "./bench-page.ts";

// Tones between Chromium and the service's transport and wire, over a bad network: what both of them hear.

const UP_HZ = 1_000;
const DOWN_HZ = 600;
const HEARD_RATE_HZ = 16_000;
const SENT_RATE_HZ = 24_000;
const FRAME_SAMPLES = (SENT_RATE_HZ * FRAME_MS) / 1_000;
const WINDOW_MS = 200;
export const BAD_DB = 15;
/** The connection, encoders and the jitter buffer settle, and the loss has been reported, before anything is measured. */
const SETTLE_S = 4;
const JITTER_MS = 10;

interface Conditions {
  name: "with" | "without";
  lossShare: number;
  fec: boolean;
}

/** The goal's network, and the one on which FEC is judged, with FEC and without. */
const CALLS: readonly (readonly Conditions[])[] = [
  [{ name: "with", lossShare: 0.01, fec: true }],
  [
    { name: "with", lossShare: 0.05, fec: true },
    { name: "without", lossShare: 0.05, fec: false },
  ],
];

export async function measureTones(scene: Scene): Promise<ToneRow[]> {
  const rows: ToneRow[] = [];
  await withPort((port) =>
    withBrowser("page", async (browser) => {
      for (const calls of CALLS) {
        const [{ lossShare }] = calls as [Conditions];
        scene.write(`tones: both ways, ${100 * lossShare} % loss, ${scene.options.toneSeconds} s`);
        const page = await browser.open();
        const measured = await Promise.all(calls.map((conditions) => runCall(port, page, conditions, scene)));
        for (const row of measured.flat()) scene.write(`tones: ${toneLine(row)}`);
        rows.push(...measured.flat());
        await page.close();
      }
    }),
  );
  return rows;
}

const toneLine = ({ direction, fec, medianDb, bad, windows, lossShare }: ToneRow): string =>
  `${direction}, ${100 * lossShare} % loss, FEC ${fec ? "on" : "off"}: median ${medianDb.toFixed(1)} dB, ${bad} of ${windows} windows bad`;

interface PageHeard {
  base64: string;
  rateHz: number;
  received: number;
  concealed: number;
  accelerated: number;
  decelerated: number;
}

async function runCall(
  port: WebrtcPort,
  page: BenchPage,
  { name, lossShare, fec }: Conditions,
  { options: { seed, toneSeconds: seconds } }: Scene,
): Promise<ToneRow[]> {
  const tones = `bench.tones.${name}`;
  const proxy = await LossyProxy.open(port.port, new Random(seed));
  const call = await heardCall(port, { callerPort: proxy.port }, async (exchange) => {
    const answer = await exchange(await page.run<string>(`${tones}.offer(${UP_HZ})`));
    await page.run(`${tones}.answer(${JSON.stringify(fec ? answer : withoutFec(answer))})`);
  });
  const stop = playTone(call);
  proxy.conditions = { lossShare, duplicateShare: 0, delayMs: 0, jitterMs: JITTER_MS };
  await delay(1_000 * SETTLE_S);
  const [heardBefore, missingBefore] = [call.heard.length, call.transport.counters.missing];
  await page.run(`${tones}.begin()`);
  await delay(1_000 * seconds);
  const up = Int16Array.from(call.heard.slice(heardBefore));
  const missing = call.transport.counters.missing - missingBefore;
  const heard = await page.run<PageHeard>(`${tones}.finish()`);
  stop();
  call.end();
  proxy.close();
  const bytes = Buffer.from(heard.base64, "base64");
  const down = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const network = { lossShare, jitterMs: JITTER_MS, fec, seconds };
  return [
    {
      direction: "down",
      ...network,
      ...windowsOf(down, DOWN_HZ, heard.rateHz),
      concealedShare: heard.concealed / heard.received,
      acceleratedSamples: heard.accelerated,
      deceleratedSamples: heard.decelerated,
      missing: undefined,
    },
    {
      direction: "up",
      ...network,
      ...windowsOf(up, UP_HZ, HEARD_RATE_HZ),
      concealedShare: undefined,
      acceleratedSamples: undefined,
      deceleratedSamples: undefined,
      missing,
    },
  ];
}

function windowsOf(
  samples: Int16Array,
  hz: number,
  rateHz: number,
): Pick<ToneRow, "windows" | "medianDb" | "p10Db" | "bad"> {
  const db = toneSnrDb(samples, hz, rateHz, WINDOW_MS);
  return {
    windows: db.length,
    medianDb: quantile(db, 0.5),
    p10Db: quantile(db, 0.1),
    bad: db.filter((each) => each < BAD_DB).length,
  };
}

/** An answer that asks the browser for no FEC. */
const withoutFec = (sdp: string): string => sdp.replaceAll("useinbandfec=1", "useinbandfec=0");

/** Sends a tone without an end, as far ahead of playout as a call does. */
function playTone({ transport, wire }: HeardCall): () => void {
  const tone = toneOf(DOWN_HZ, 1, SENT_RATE_HZ);
  const startMs = performance.now();
  let sent = 0;
  const send = (): void => {
    for (; sent * FRAME_MS < performance.now() - startMs + RTP_LEAD_MS; sent += 1) {
      const at = (sent * FRAME_SAMPLES) % tone.length;
      transport.send(wire.encodeAudio(pcmBytes(tone.subarray(at, at + FRAME_SAMPLES))), true);
    }
  };
  send();
  const timer = setInterval(send, FRAME_MS / 4);
  return () => clearInterval(timer);
}
