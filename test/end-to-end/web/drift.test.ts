import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RTP_LEAD_MS } from "../../../src/core/limits/streams/webrtc.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { quantile, toneOf, toneSnrDb } from "../../support/audio/tone.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { ScriptedService } from "../../support/web/scripted-service.ts";
import { microphoneTone, SdkPage, UNPROCESSED } from "../../support/web/sdk-page.ts";
import { openPort } from "../../support/webrtc/call-service.ts";
import { ServedPeer } from "../../support/webrtc/served-peer.ts";

// A call of the SDK in Chromium with the service's own peer, transport and wire, and a tone both ways for as long as DRIFT_S
// says: `npm run proof -- browser` has five minutes. The figures go to the file DRIFT_FILE.

const CALL_S = Number(process.env.DRIFT_S ?? 20);
/** This part at the start is compared with as much at the end. */
const PART = CALL_S >= 100 ? 0.05 : 0.25;
const SETTLE_S = 4;
/** Far below what a clock that is 100 ppm off would make of an hour, and above what the buffer of a browser varies by. */
const DRIFT_MS_MAX = 40;
const OUT_HZ = 24_000;
const HEARD_HZ = 16_000;
const TICKS_PER_MS = 48;
const MARKS_PER_S = 2;
const MARK_EVERY_FRAMES = 1_000 / FRAME_MS / MARKS_PER_S;
const GOOD_DB = 15;
/** Of the call: what a machine that is busy for a moment loses. */
const MADE_UP_SHARE_MAX = 0.05;

let port: Awaited<ReturnType<typeof openPort>>["port"];
beforeAll(async () => {
  if (hasChromium) ({ port } = await openPort({ first: 46_700, last: 46_799 }));
});
afterAll(() => port?.close());

/**
 * What the browser says of the agent's audio: milliseconds that it made up, and by which it played slower or faster. And of the
 * microphone: how much it has recorded by when. Chromium's imitation of one leaves buffers out when its timer is late.
 */
const AUDIO = `page.peers.at(-1).getStats().then((stats) => {
  const of = [...stats.values()].find(({ type }) => type === "inbound-rtp");
  const microphone = [...stats.values()].find(({ type }) => type === "media-source");
  return {
    recordedMs: 1000 * microphone.totalSamplesDuration,
    atMs: microphone.timestamp,
    madeUpMs: of.concealedSamples / ${TICKS_PER_MS},
    silentMs: of.silentConcealedSamples / ${TICKS_PER_MS},
    addedMs: of.insertedSamplesForDeceleration / ${TICKS_PER_MS},
    removedMs: of.removedSamplesForAcceleration / ${TICKS_PER_MS},
    packetsLost: of.packetsLost,
  };
})`;
type BrowserAudio = Record<
  "recordedMs" | "atMs" | "madeUpMs" | "silentMs" | "addedMs" | "removedMs" | "packetsLost",
  number
>;

/**
 * The delay at the start, and how much longer that at the end is: in each case of the quickest tenth, because a machine that is busy
 * for a moment makes the others late, and a drift none of them earlier.
 */
function driftOf(values: readonly number[]): { startMs: number; driftMs: number } {
  const count = Math.max(5, Math.floor(PART * values.length));
  const startMs = quantile(values.slice(0, count), 0.1);
  return { startMs, driftMs: quantile(values.slice(-count), 0.1) - startMs };
}

/** Minutes are not spent again. */
const retry = CALL_S < 100 ? ifMachineStalled : 0;

describe.skipIf(!hasChromium)("a long call", { retry, timeout: (CALL_S + 60) * 1_000 }, () => {
  test("does not drift: both sides are heard as late at its end as at its start, and no gap grows (only where chromium is installed)", async () => {
    const service = await ScriptedService.start();
    const sdk = await SdkPage.open({
      connect: [service.url],
      microphone: microphoneTone(1_000, CALL_S + 30),
    });
    const call = { url: `${service.url}/api/v1/stream/token` };
    await sdk.run(`void page.start(${JSON.stringify(call)}, ${JSON.stringify({ audio: UNPROCESSED })})`);
    const socket = await service.socket();
    socket.send({ type: "hello", iceServers: [] });
    const peer = new ServedPeer(port, String((await socket.text("offer")).sdp));
    socket.send({ type: "answer", sdp: peer.answer });
    await until("the connection", 15_000, () => peer.isConnected);
    socket.ready("rtp");

    const speech = toneOf(600, 1, OUT_HZ);
    const frameSamples = (OUT_HZ * FRAME_MS) / 1_000;
    const sentMs = new Map<string, number>();
    const startMs = systemClock.nowMs();
    const nowMs = (): number => elapsedMs(startMs, systemClock.nowMs());
    let before: BrowserAudio | undefined;
    for (let frame = 0; nowMs() < CALL_S * 1_000; ) {
      for (; frame * FRAME_MS < nowMs() + RTP_LEAD_MS; frame += 1) {
        const at = (frame * frameSamples) % speech.length;
        peer.transport.send(peer.wire.encodeAudio(pcmBytes(speech.subarray(at, at + frameSamples))), true);
        if (frame % MARK_EVERY_FRAMES !== 0) continue;
        sentMs.set(String(frame), frame * FRAME_MS);
        socket.send(JSON.parse(peer.wire.encodeMark(String(frame))));
      }
      peer.transport.tick();
      if (before === undefined && nowMs() > SETTLE_S * 1_000) before = await sdk.run<BrowserAudio>(AUDIO);
      await delay(10);
    }
    const after = await sdk.run<BrowserAudio>(AUDIO);
    const volumes = await sdk.events("volume");
    await delay(500);
    await sdk.close();
    service.stop();
    peer.close();

    const marks = socket.texts.filter(({ type }) => type === "mark");
    const heardAfterMs = marks.map(({ name, atMs }) => elapsedMs(startMs, atMs) - (sentMs.get(String(name)) ?? 0));
    const down = driftOf(heardAfterMs.slice(MARKS_PER_S * SETTLE_S));
    const notRecordedMs = after.atMs - (before?.atMs ?? 0) - (after.recordedMs - (before?.recordedMs ?? 0));
    const up = driftOf(peer.heardAfterMs.slice((SETTLE_S * 1_000) / FRAME_MS));
    const tone = toneSnrDb(Int16Array.from(peer.heard).subarray(SETTLE_S * HEARD_HZ, -HEARD_HZ), 1_000, HEARD_HZ);
    const figures = {
      seconds: CALL_S,
      down: {
        ...down,
        marks: marks.length,
        marksSent: sentMs.size,
        madeUpMs: after.madeUpMs - (before?.madeUpMs ?? 0),
        addedMs: after.addedMs - (before?.addedMs ?? 0),
        removedMs: after.removedMs - (before?.removedMs ?? 0),
      },
      up: {
        ...up,
        notRecordedMs,
        toneDb: quantile(tone, 0.5),
        badWindowsShare: tone.filter((db) => db < GOOD_DB).length / tone.length,
        gapsMs: peer.gapsMs,
      },
    };
    if (process.env.DRIFT_FILE !== undefined) writeFileSync(process.env.DRIFT_FILE, JSON.stringify(figures));
    const shown = JSON.stringify(figures);
    expect(Math.abs(down.driftMs), shown).toBeLessThan(DRIFT_MS_MAX);
    // What the microphone leaves out comes later than its time from then on, through any service.
    expect(Math.abs(up.driftMs - notRecordedMs), shown).toBeLessThan(DRIFT_MS_MAX);
    expect(marks.length, shown).toBeGreaterThan(sentMs.size - 2 * MARKS_PER_S);
    expect(figures.down.madeUpMs, shown).toBeLessThan(MADE_UP_SHARE_MAX * CALL_S * 1_000);
    expect(peer.gapsMs, shown).toBeLessThan(MADE_UP_SHARE_MAX * CALL_S * 1_000);
    expect(figures.up.toneDb, shown).toBeGreaterThan(30);
    expect(figures.up.badWindowsShare, shown).toBeLessThan(MADE_UP_SHARE_MAX);
    // The worklet measures what is played, too: the agent is heard all the time.
    const heardShare = volumes.filter(({ output }) => Number(output) > 0.3).length / volumes.length;
    expect(heardShare, shown).toBeGreaterThan(0.8);
  });
});
