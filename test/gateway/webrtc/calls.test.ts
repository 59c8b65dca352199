import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { loadWebrtc, type WebrtcLibrary, type WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { WebrtcSocket } from "../../callers/webrtc-socket.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

const FRAME_SAMPLES = 480;
const GREETING = "Hello there this is the bakery speaking";

/** A tone of 440 Hz, whose Opus packets a caller sends. */
function tonePackets(count: number): Uint8Array[] {
  const encoder = opus.encoder(24_000);
  const packets = Array.from({ length: count }, (_, frame) => {
    const samples = Int16Array.from(
      { length: FRAME_SAMPLES },
      (_, index) => 8_000 * Math.sin((2 * Math.PI * 440 * (frame * FRAME_SAMPLES + index)) / 24_000),
    );
    return Uint8Array.from(encoder.encode(samples));
  });
  encoder.close();
  return packets;
}

const PACKETS = tonePackets(50);
const energyOf = (samples: Int16Array): number => samples.reduce((sum, sample) => sum + sample ** 2, 0);

describe("a WebRTC call", () => {
  let library: WebrtcLibrary | undefined;
  let port: WebrtcPort;
  let service: MediaService | undefined;
  const bugs: unknown[] = [];

  beforeAll(async () => {
    ({ library } = await loadWebrtc());
    if (library === undefined) throw new Error("node-datachannel is not installed");
    port = await library.openPort({
      ports: { first: 41_000, last: 41_099 },
      bindAddress: "127.0.0.1",
      clock: systemClock,
      onBug: (error) => bugs.push(error),
    });
  });
  afterEach(async () => {
    await service?.close();
    service = undefined;
    expect(bugs.splice(0)).toEqual([]);
    await expect.poll(() => port.peerCount, { timeout: 5_000 }).toBe(0);
  });
  afterAll(() => port.close());

  /** A service with WebRTC, and the socket of a call whose agent speaks first. */
  async function begin(query = ""): Promise<{ socket: WebrtcSocket; callId: string; caller: WebrtcCaller }> {
    service = await mediaService({
      tts: new ScriptedTts(systemClock, { firstMs: 0 }),
      webrtc: {
        port,
        publicAddress: undefined,
        iceServersOf: () => [],
        rtpOpus: await loadRtpOpus(opus),
        socketOpus: opus,
      },
    });
    const { callId, token } = await service.create({
      connectionType: "webrtc",
      greeting: GREETING,
      interruptible: true,
    });
    const socket = await WebrtcSocket.open(`${service.url}/stream/${token}${query}`);
    const caller = new WebrtcCaller();
    onTestFinished(() => caller.close());
    return { socket, callId, caller };
  }

  const record = async (callId: string) => await service?.ended(callId as never);

  test("says hello, answers the offer, is ready over RTP, and the greeting is heard", async () => {
    const { socket, callId, caller } = await begin();
    expect(await socket.text("hello")).toEqual({ type: "hello", iceServers: [] });
    await caller.connect(socket.exchange);
    const format = { codec: "opus", sampleRate: 48_000 };
    expect(await socket.text("ready")).toEqual({
      type: "ready",
      callId,
      transport: "rtp",
      input: format,
      output: format,
    });
    await caller.play(PACKETS);
    expect(caller.heard.length).toBeGreaterThan(20);
    expect(caller.heard.some(({ samples }) => energyOf(samples) > 0)).toBe(true);
    expect(caller.heard[0]?.marker).toBe(true);
    const mark = await socket.text("mark");
    expect(mark).toMatchObject({ name: "1.0", rtpTimestamp: expect.any(Number) });
    socket.send({ type: "end" });
    const ended = await record(callId);
    expect(ended?.endReason).toBe("caller_hangup");
    await expect.poll(() => socket.closeCode).toBe(1_000);
    expect(socket.texts.at(-1)).toEqual({ type: "ended", reason: "caller_hangup" });
  });

  test("has the loss of both directions, jitter and the round trip in its record, also when it ends on its socket", async () => {
    const { socket, callId, caller } = await begin();
    await caller.connect(socket.exchange);
    await socket.text("ready");
    for (const [n, packet] of PACKETS.entries()) {
      if (n % 10 === 5) caller.lose();
      else await caller.play([packet]);
    }
    await expect.poll(() => caller.reports.length, { timeout: 5_000 }).toBeGreaterThan(0);
    caller.report();
    await delay(100);
    socket.send({ type: "fallback" });
    await socket.text("ready", 2);
    socket.send({ type: "end" });
    const { network } = (await record(callId)) ?? {};
    expect(network?.lossInPercent).toBeCloseTo(10, 0);
    expect(network).toMatchObject({
      lossOutPercent: 0,
      jitterInMs: expect.any(Number),
      jitterOutMs: expect.any(Number),
    });
    expect(network?.roundTripMs).toBeLessThan(1_000);
  });

  test("falls back to its socket without a new token, and the caller hears the greeting to its end", async () => {
    const { socket, callId, caller } = await begin();
    await caller.connect(socket.exchange);
    await socket.text("ready");
    await caller.play(PACKETS.slice(0, 15));
    caller.close();
    socket.send({ type: "fallback" });
    expect(await socket.text("ready", 2)).toMatchObject({
      transport: "websocket",
      input: { codec: "pcm_s16le", sampleRate: 16_000 },
      output: { codec: "pcm_s16le", sampleRate: 24_000 },
    });
    for (let frame = 0; frame < 150; frame += 1) {
      socket.sendAudio(new Uint8Array(640));
      await delay(20);
    }
    expect(socket.audio.length).toBeGreaterThan(10);
    const marks = socket.texts.filter(({ type }) => type === "mark");
    for (const { name } of marks) socket.send({ type: "mark", name });
    await expect
      .poll(() =>
        socket.texts.filter(({ type, role, final }) => type === "transcript" && role === "agent" && final === true),
      )
      .toMatchObject([{ text: GREETING }]);
    socket.send({ type: "end" });
    expect((await record(callId))?.endReason).toBe("caller_hangup");
  });

  test("a client whose socket is cut comes back at the address of its ready, with a new peer", async () => {
    const { socket, callId, caller } = await begin("?resume=true");
    await caller.connect(socket.exchange);
    const { resumeUrl } = await socket.text("ready");
    await caller.play(PACKETS.slice(0, 10));
    socket.cut();
    caller.close();
    const { pathname, search } = new URL(String(resumeUrl));
    const next = await WebrtcSocket.open(`${service?.url}${pathname}${search}`);
    await next.text("hello");
    const again = new WebrtcCaller();
    onTestFinished(() => again.close());
    await again.connect(next.exchange);
    expect((await next.text("ready")).resumeUrl).not.toBe(resumeUrl);
    await again.play(PACKETS);
    expect(again.heard.length).toBeGreaterThan(10);
    next.send({ type: "end" });
    expect((await record(callId))?.endReason).toBe("caller_hangup");
  });

  test("the end of the call by the API closes the peer and the socket", async () => {
    const { socket, caller, callId } = await begin();
    await caller.connect(socket.exchange);
    await socket.text("ready");
    service?.gateway.end(callId as never, "api_hangup");
    expect((await record(callId))?.endReason).toBe("api_hangup");
    await expect.poll(() => socket.closeCode).toBe(1_000);
    expect(socket.texts.at(-1)).toEqual({ type: "ended", reason: "api_hangup" });
  });

  test("the end of a call that has no leg yet closes its socket, too", async () => {
    const { socket, callId } = await begin();
    await socket.text("hello");
    service?.gateway.end(callId as never, "api_hangup");
    expect((await record(callId))?.endReason).toBe("api_hangup");
    await expect.poll(() => socket.closeCode).toBe(1_000);
    expect(socket.texts.at(-1)).toEqual({ type: "ended", reason: "api_hangup" });
  });
});
