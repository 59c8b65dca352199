import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import wavefile from "wavefile";
import { systemClock } from "../../../src/core/clock.ts";
import { SOCKET_BACKPRESSURE_BYTES_MAX } from "../../../src/core/limits/streams/connections.ts";
import { PEER_PACKETS_BURST_MAX, WEBRTC_CONNECT_MS_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import type { WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { WebrtcSocket } from "../../callers/webrtc-socket.ts";
import { opusStream } from "../../support/audio/opus-packets.ts";
import { toneSnrDb } from "../../support/audio/tone.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedStt, type SttStep } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import type { MediaService } from "../../support/services/media-service.ts";
import { openPort, webrtcService } from "../../support/webrtc/call-service.ts";

const WAIT = { timeout: 20_000, interval: 10 };
const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
const OFFER = readFileSync(new URL("../../../fixtures/webrtc/chromium_offer.sdp", import.meta.url), "utf8");
const CALLS = 500;
/** A long transcript, in bytes of UTF-8, too. */
const LONG_TEXT = "本".repeat(4_000);

let port: WebrtcPort;
let bugs: unknown[];
let service: MediaService | undefined;
beforeAll(async () => {
  ({ port, bugs } = await openPort({ first: 41_100, last: 41_199 }));
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  expect(bugs.splice(0)).toEqual([]);
  expect(port.peerCount).toBe(0);
});
afterAll(() => port.close());

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test("W6: 500 offers that nothing follows are freed within 15 s, with their ports and descriptors", async () => {
  const clock = new ManualClock();
  service = await webrtcService(port, { clock, callsMax: CALLS });
  const { create, url, ended, gateway } = service;
  const before = openFiles();
  const sockets: WebrtcSocket[] = [];
  const callIds: Awaited<ReturnType<typeof create>>["callId"][] = [];
  for (let n = 0; n < CALLS; n += 1) {
    const { callId, token } = await create({ connectionType: "webrtc", recordingEnabled: false });
    const socket = await WebrtcSocket.open(`${url}/stream/${token}`);
    await socket.exchange(OFFER);
    sockets.push(socket);
    callIds.push(callId);
  }
  expect(gateway.callIds()).toHaveLength(CALLS);
  // On a slow machine the library gives the first ones up meanwhile, by its own clock.
  expect(port.peerCount).toBeGreaterThan(CALLS / 10);
  await clock.play(WEBRTC_CONNECT_MS_MAX);
  // The journal of a call is closed before its call is over.
  await vi.waitFor(() => expect([port.peerCount, gateway.callIds().length]).toEqual([0, 0]), WAIT);
  for (const callId of callIds) expect((await ended(callId)).endReason).toBe("unreachable");
  await vi.waitFor(() => expect(sockets.every(({ closeCode }) => closeCode !== undefined)).toBe(true), WAIT);
  expect(sockets.map(({ texts }) => texts.at(-1)?.reason)).toEqual(Array(CALLS).fill("unreachable"));
  await vi.waitFor(() => expect(openFiles()).toBeLessThanOrEqual(before + 5), WAIT);
}, 120_000);

test("W8: a peer that floods loses its call alone; another one that is recorded is heard to its end", async () => {
  service = await webrtcService(port, { tts: new ScriptedTts(systemClock, { firstMs: 0 }) });
  const { create, url, ended } = service;
  const begin = async () => {
    const { callId, token } = await create({ connectionType: "webrtc", recordingEnabled: true });
    const socket = await WebrtcSocket.open(`${url}/stream/${token}`);
    const caller = new WebrtcCaller();
    onTestFinished(() => caller.close());
    await caller.connect(socket.exchange);
    await socket.text("ready");
    return { callId, socket, caller };
  };
  const [good, bad] = [await begin(), await begin()];
  const tone = opusStream(
    { rateHz: 48_000, channels: 1, frameMs: 20 },
    2_000,
    (at) => 8_000 * Math.sin(2 * Math.PI * 1_000 * at),
  );
  const speaking = good.caller.play(tone);
  await delay(500);
  for (let n = 0; n < 10 * PEER_PACKETS_BURST_MAX && bad.socket.closeCode === undefined; n += 1) {
    try {
      bad.caller.send(SILENCE);
    } catch {
      break;
    }
    // Fifty times as many as a call has.
    if (n % 50 === 0) await delay(20);
  }
  expect((await ended(bad.callId)).endReason).toBe("audio_flood");
  await vi.waitFor(() => expect(bad.socket.closeCode).toBeDefined(), WAIT);
  await speaking;
  await delay(100);
  expect(service.gateway.callIds()).toEqual([good.callId]);
  good.socket.send({ type: "end" });
  expect((await ended(good.callId)).endReason).toBe("caller_hangup");
  const wav = new wavefile.WaveFile(readFileSync(service.recordingPath(good.callId)));
  const [left] = wav.getSamples(false, Int16Array) as unknown as [Int16Array, Int16Array];
  const heard = toneSnrDb(left, 1_000, (wav.fmt as { sampleRate: number }).sampleRate).filter((db) => db > 10).length;
  expect(20 * heard).toBeGreaterThan(1_900);
}, 60_000);

test("D3: a client over RTP that no longer reads its socket is given up: its socket is closed, and it may come back", async () => {
  const clock = new ManualClock();
  const interims: SttStep[] = Array.from({ length: 4_000 }, (_, n) => ({
    atMs: 1_000 + 20 * n,
    event: { kind: "interim", text: `${n} ${LONG_TEXT}` },
  }));
  service = await webrtcService(port, { clock, stt: new ScriptedStt(clock, interims) });
  const { create, url, ended, server } = service;
  const { callId, token } = await create({ connectionType: "webrtc", firstSpeaker: "user" });
  const socket = await WebrtcSocket.open(`${url}/stream/${token}?resume=true`);
  const caller = new WebrtcCaller();
  onTestFinished(() => caller.close());
  await caller.connect(socket.exchange);
  const { resumeUrl } = await socket.text("ready");
  socket.stopReading();
  let frames = 0;
  for (; port.peerCount > 0; frames += 1) {
    // Far more than the kernel takes for a socket.
    expect(frames).toBeLessThan(3_000);
    if (frames % 50 === 0) caller.send(SILENCE);
    await clock.play(20);
    await setImmediate();
    expect(server.streams.bufferedBytes).toBeLessThan(2 * SOCKET_BACKPRESSURE_BYTES_MAX);
  }
  socket.readOn();
  // Whether a close frame still fits after what waits is up to the media server.
  await vi.waitFor(() => expect(socket.closeCode).toBeDefined(), WAIT);
  expect(socket.texts.length).toBeGreaterThan(50);
  const { pathname, search } = new URL(String(resumeUrl));
  const next = await WebrtcSocket.open(`${url}${pathname}${search}`);
  await next.text("hello");
  next.send({ type: "end" });
  expect((await ended(callId)).endReason).toBe("caller_hangup");
}, 60_000);
