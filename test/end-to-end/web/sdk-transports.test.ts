import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import {
  INPUT_HZ,
  OPUS_FORMAT,
  OUTPUT_HZ,
  ScriptedService,
  type ScriptedSocket,
} from "../../support/web/scripted-service.ts";
import { SdkPage, UNPROCESSED } from "../../support/web/sdk-page.ts";
import { medianToneDb, tone } from "../../support/web/tones.ts";

const MICROPHONE_HZ = 48_000;
const TEST_MS_MAX = 60_000;
/** Of RTP. */
const TICKS_PER_MS = 48;

let service: ScriptedService;
let sdk: SdkPage;
afterEach(async () => {
  await sdk?.close();
  service?.stop();
});

interface Scene extends Omit<Parameters<typeof SdkPage.open>[0], "connect"> {
  call?: object;
  /** A script of the page before the call. */
  before?: string;
}

/** A page that has opened a socket to a service, which has not said anything. */
async function scene({ call = {}, before, ...options }: Scene = {}): Promise<ScriptedSocket> {
  service = await ScriptedService.start();
  sdk = await SdkPage.open({ ...options, connect: [service.url] });
  if (before !== undefined) await sdk.run(before);
  const source = { url: `${service.url}/api/v1/stream/token` };
  const settings = { audio: UNPROCESSED, microphone: options.devices !== "none", ...call };
  await sdk.run(`void page.start(${JSON.stringify(source)}, ${JSON.stringify(settings)})`);
  return await service.socket();
}

const isTapped = () => until("the tap", 5_000, () => sdk.run<boolean>("page.heard.isTapped"));
/** The samples that were heard from the first that is not silent, and their rate. */
async function heard(): Promise<{ samples: number[]; rateHz: number }> {
  const all = await sdk.run<{ samples: number[]; rateHz: number }>("page.heard");
  const first = all.samples.findIndex((x) => Math.abs(x) > 1e-4);
  return { rateHz: all.rateHz, samples: first < 0 ? [] : all.samples.slice(first) };
}
const loudMs = ({ samples, rateHz }: { samples: readonly number[]; rateHz: number }): number =>
  (samples.filter((x) => Math.abs(x) > 1e-4).length / rateHz) * 1_000;

describe.skipIf(!hasChromium)("audio on the socket", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  test("is played without a gap, counted, and its marks come back when it was played", async () => {
    const socket = await scene({ devices: "none" });
    socket.ready("websocket");
    await isTapped();
    socket.send({ type: "state", state: "speaking", latency: { totalMs: 640 } });
    const startedMs = systemClock.nowMs();
    await socket.play(tone(600, OUTPUT_HZ, 3));
    socket.send({ type: "mark", name: "end" });
    const mark = await socket.text("mark");
    expect(elapsedMs(startedMs, mark.atMs)).toBeGreaterThan(2_950);
    expect(elapsedMs(startedMs, mark.atMs)).toBeLessThan(3_600);
    await delay(300);
    const { samples, rateHz } = await heard();
    // The tone passes zero twice a period, so fewer samples are loud than were played.
    expect(loudMs({ samples, rateHz })).toBeGreaterThan(2_980);
    expect(loudMs({ samples, rateHz })).toBeLessThan(3_005);
    expect(medianToneDb(samples.slice(0, rateHz * 3), 600, rateHz)).toBeGreaterThan(60);
    socket.send({ type: "clear" });
    expect((await socket.text("cleared")).playedMs).toBe(3_000);
    expect(await sdk.events("state")).toMatchObject([
      { state: "connecting" },
      { state: "listening" },
      { state: "speaking", latency: { totalMs: 640 } },
    ]);
    expect(sdk.errors).toEqual([]);
  });

  test("is dropped at a clear, without a click, and what comes after it is heard", async () => {
    const socket = await scene({ devices: "none" });
    socket.ready("websocket");
    await isTapped();
    await socket.play(tone(600, OUTPUT_HZ, 3));
    // What was sent ahead is not played then.
    socket.send({ type: "mark", name: "dropped" });
    socket.send({ type: "clear" });
    const { playedMs } = await socket.text("cleared");
    expect(Number(playedMs)).toBeGreaterThan(2_600);
    expect(Number(playedMs)).toBeLessThan(3_000);
    await delay(500);
    const { samples, rateHz } = await heard();
    expect(loudMs({ samples, rateHz })).toBeLessThan(Number(playedMs) + 15);
    const steepest = (2 * Math.PI * 600 * 8_000) / 32_768 / rateHz;
    const steps = samples.map((x, k) => Math.abs(x - (samples[k - 1] ?? 0)));
    expect(steps.slice(1).reduce((most, step) => Math.max(most, step))).toBeLessThan(steepest * 1.2);
    await socket.play(tone(600, OUTPUT_HZ, 0.5));
    socket.send({ type: "mark", name: "after" });
    await until("the mark after it", 5_000, () => socket.texts.some(({ name }) => name === "after"));
    expect(socket.texts.map(({ name }) => name)).not.toContain("dropped");
    socket.texts.length = 0;
    socket.send({ type: "clear" });
    expect(Number((await socket.text("cleared")).playedMs)).toBeCloseTo(Number(playedMs) + 500, 3);
  });

  test("of the microphone comes in messages of 20 ms, as it was", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 6) });
    socket.ready("websocket");
    await until("3 s of the microphone", 15_000, () => socket.audio.length > 150);
    expect(new Set(socket.audio.map(({ length }) => length))).toEqual(new Set([640]));
    const bytes = Buffer.concat(socket.audio.slice(25, 150));
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    expect(medianToneDb(samples, 1_000, INPUT_HZ)).toBeGreaterThan(35);
    expect(Math.max(...samples)).toBeGreaterThan(6_000);
  });

  test("goes on while the page's script is busy", async () => {
    const socket = await scene({ devices: "none" });
    socket.ready("websocket");
    await isTapped();
    const playing = socket.play(tone(600, OUTPUT_HZ, 2));
    await delay(500);
    for (let times = 0; times < 5; times += 1) {
      await sdk.run("void (() => { const end = performance.now() + 70; while (performance.now() < end); })()");
      await delay(100);
    }
    await playing;
    await delay(500);
    const { samples, rateHz } = await heard();
    expect(medianToneDb(samples.slice(0, rateHz * 1.9), 600, rateHz)).toBeGreaterThan(60);
    expect((samples.findLastIndex((x) => Math.abs(x) > 1e-4) / rateHz) * 1_000).toBeLessThan(2_010);
  });
});

describe.skipIf(!hasChromium)("the microphone", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  test("is opened with echo cancellation, noise suppression and gain control", async () => {
    const socket = await scene({ call: { audio: {} } });
    socket.ready("websocket");
    await sdk.event("ready");
    expect(await sdk.run("page.microphones[0].getConstraints()")).toEqual({
      echoCancellation: true,
      noiseSuppression: true,
      autoGainControl: true,
    });
  });

  test("that is unplugged is an error, the call goes on, and another one takes its place", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    socket.ready("websocket");
    await sdk.event("volume", "event.input > 0.5");
    // As the browser does when the device is gone.
    await sdk.run("void (page.microphones[0].stop(), page.microphones[0].dispatchEvent(new Event('ended')))");
    const { atMs } = await sdk.event("error", `event.code === "microphone_lost" && !event.fatal`);
    await sdk.event("volume", `event.atMs > ${atMs + 200} && event.input === 0`);
    await sdk.run("page.call.setMuted(true)");
    await sdk.run(`page.call.setInputDevice("default")`);
    expect(await sdk.run("page.microphones[1].enabled")).toBe(false);
    await sdk.run("page.call.setMuted(false)");
    await sdk.event("volume", `event.atMs > ${atMs + 200} && event.input > 0.5`);
    expect(await sdk.run("page.call.state")).toBe("listening");
    await sdk.run("page.call.stop()");
    expect(await sdk.run("page.microphones.map(({ readyState }) => readyState)")).toEqual(["ended", "ended"]);
  });
});

describe.skipIf(!hasChromium)("a start", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  const start = (source: object, options: object = {}): Promise<string> =>
    sdk.start(source, { microphone: false, ...options });

  test("with what is no address, or by a service that says nothing it knows, is an error", async () => {
    service = await ScriptedService.start();
    sdk = await SdkPage.open({ devices: "none", connect: [service.url] });
    expect(await start({ url: "no address" })).toContain("TrunklineCallError invalid_request");
    expect(await start({ url: service.url }, { workletUrl: "/none.js" })).toContain(
      "TrunklineCallError worklet_failed",
    );
    expect(service.sockets).toEqual([]);
    const unknown = start({ url: service.url });
    const format = { codec: "mulaw", sampleRate: 8_000 };
    (await service.socket()).ready("websocket", { input: format, output: format });
    expect(await unknown).toContain("TrunklineCallError not_supported");
    expect(await sdk.event("ended")).toMatchObject({ reason: "not_supported" });
  });

  test("that is stopped ends without an error", async () => {
    service = await ScriptedService.start();
    sdk = await SdkPage.open({ devices: "none", connect: [service.url] });
    const started = start({ url: service.url });
    const socket = await service.socket();
    await sdk.run("page.call.stop()");
    expect(await started).toContain("TrunklineCallError not_connected");
    await until("the socket to be closed", 5_000, () => socket.isClosed);
    expect(await sdk.events("error")).toEqual([]);
    expect(await sdk.event("ended")).toMatchObject({ reason: "caller_hangup" });
  });
});

describe.skipIf(!hasChromium)("a lost socket", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  test("is opened again by its address, and the call goes on", async () => {
    const first = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    expect(first.url).toBe("/api/v1/stream/token?resume=true");
    first.ready("websocket", { resumeUrl: `${service.url}/api/v1/stream/again?resume=true` });
    await sdk.event("ready");
    first.break();
    await sdk.event("state", `event.state === "reconnecting"`);
    await sdk.run(`page.call.sendText("Are you there?")`);
    const second = await service.socket(1);
    expect(second.url).toBe("/api/v1/stream/again?resume=true");
    second.ready("websocket", { resumeUrl: `${service.url}/api/v1/stream/third?resume=true` });
    expect(await second.text("text")).toMatchObject({ text: "Are you there?" });
    await until("the microphone", 5_000, () => second.audio.length > 10);
    expect((await sdk.events("state")).map(({ state }) => state)).toEqual([
      ...["connecting", "listening", "reconnecting", "listening"],
    ]);
    // A network that comes back may have killed the socket without a word.
    await sdk.run(`window.dispatchEvent(new Event("online"))`);
    const third = await service.socket(2);
    expect(third.url).toBe("/api/v1/stream/third?resume=true");
    await until("the second socket to be closed", 5_000, () => second.isClosed);
    third.ready("websocket");
    await sdk.event("ready", "page.events.filter(({ type }) => type === 'ready').length === 3");
    expect(await sdk.events("error")).toEqual([]);
  });

  test("that is refused for 15 s ends the call", async () => {
    const socket = await scene({ devices: "none" });
    socket.ready("websocket", { resumeUrl: `${service.url}/api/v1/stream/again?resume=true` });
    await sdk.event("ready");
    service.refuses = true;
    socket.break();
    const { atMs } = await sdk.event("state", `event.state === "reconnecting"`);
    const ended = await sdk.event("ended", "true", 25_000);
    expect(ended.reason).toBe("connection_lost");
    expect(ended.atMs - atMs).toBeGreaterThan(10_000);
    expect(await sdk.events("error")).toMatchObject([{ code: "connection_lost", fatal: true }]);
  });

  test("without an address to open it again ends the call; the service's reason is taken where it gives one", async () => {
    const socket = await scene({ devices: "none", call: { resume: false } });
    expect(socket.url).toBe("/api/v1/stream/token");
    socket.ready("websocket");
    await sdk.event("ready");
    socket.close(1_001, "drain_timeout");
    expect(await sdk.event("ended")).toMatchObject({ reason: "drain_timeout" });
    expect(await sdk.events("error")).toMatchObject([{ code: "service_unavailable", fatal: true }]);
  });
});

describe.skipIf(!hasChromium)("a WebRTC call", { retry: ifMachineStalled, timeout: TEST_MS_MAX }, () => {
  /** The handshake, with the other end in the page. */
  async function connect(socket: ScriptedSocket): Promise<string> {
    socket.send({ type: "hello", iceServers: [] });
    const sdp = String((await socket.text("offer")).sdp);
    socket.send({ type: "answer", sdp: await sdk.run(`page.service.answer(${JSON.stringify(sdp)})`) });
    const isConnected = "page.peers.at(-1).connectionState === 'connected'";
    await until("the connection", 5_000, () => sdk.run<boolean>(isConnected));
    socket.ready("rtp");
    await sdk.event("ready", `event.transport === "rtp"`);
    return sdp;
  }
  const receiver = "page.peers.at(-1).getReceivers()[0]";
  const playing = () =>
    until("a packet to be played", 5_000, () =>
      sdk.run<number | undefined>(`${receiver}.getSynchronizationSources()[0]?.rtpTimestamp`),
    );
  const isMuted = () => sdk.run<boolean>("page.elements.at(-1).muted");

  test("offers one audio line, and both sides are heard", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    const sdp = await connect(socket);
    expect(sdp.match(/^m=.*$/gm)).toEqual([expect.stringMatching(/^m=audio .* 111/)]);
    expect(sdp).toContain("a=sendrecv");
    expect(sdp.length).toBeLessThan(16_384);
    expect(await sdk.run(`${receiver}.jitterBufferTarget`)).toBe(100);
    await sdk.event("volume", "event.output > 0.6 && event.input > 0.6");
    await until("the microphone at the other end", 5_000, () =>
      sdk.run<boolean>(`(() => {
        const bins = new Float32Array(page.service.meter.frequencyBinCount);
        page.service.meter.getFloatFrequencyData(bins);
        const loudest = bins.indexOf(Math.max(...bins)) * page.service.meter.context.sampleRate / 2 / bins.length;
        return Math.abs(loudest - 1000) < 50;
      })()`),
    );
    expect(await sdk.run("page.elements.at(-1).paused")).toBe(false);
    expect(socket.audio).toEqual([]);
    await sdk.run("page.call.stop()");
    await socket.text("end");
    expect(await sdk.run("page.peers.at(-1).connectionState")).toBe("closed");
    expect(sdk.errors).toEqual([]);
  });

  test("returns marks by the timestamps that are played, and is silent from a clear until playback is past it", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    await connect(socket);
    const startedMs = systemClock.nowMs();
    const timestamp = await playing();
    socket.send({ type: "mark", name: "a", rtpTimestamp: (timestamp + 1_000 * TICKS_PER_MS) % 2 ** 32 });
    const mark = await socket.text("mark");
    expect(elapsedMs(startedMs, mark.atMs)).toBeGreaterThan(900);
    expect(elapsedMs(startedMs, mark.atMs)).toBeLessThan(1_400);
    const at = await playing();
    socket.send({ type: "mark", name: "dropped", rtpTimestamp: (at + 100 * TICKS_PER_MS) % 2 ** 32 });
    socket.send({ type: "clear", rtpTimestamp: (at + 200 * TICKS_PER_MS) % 2 ** 32 });
    const { playedMs, atMs } = await socket.text("cleared");
    expect(Number(playedMs)).toBeGreaterThan(900);
    expect(Number(playedMs)).toBeLessThan(elapsedMs(startedMs, atMs) + 1_500);
    await until("silence", 150, isMuted);
    await until("sound again", 1_000, async () => !(await isMuted()));
    expect(elapsedMs(atMs, systemClock.nowMs())).toBeLessThan(600);
    expect(await sdk.run("page.elements.at(-1).volume")).toBe(1);
    expect(socket.texts.map(({ name }) => name)).not.toContain("dropped");
  });

  test("of a page that is hidden is silent at once after a clear, and its marks come back", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    await connect(socket);
    await sdk.run(`void (Object.defineProperty(document, "hidden", { value: true }),
      document.dispatchEvent(new Event("visibilitychange")))`);
    const at = await playing();
    socket.send({ type: "mark", name: "heard", rtpTimestamp: (at + 300 * TICKS_PER_MS) % 2 ** 32 });
    await socket.text("mark");
    socket.send({ type: "clear", rtpTimestamp: ((await playing()) + 200 * TICKS_PER_MS) % 2 ** 32 });
    await socket.text("cleared");
    expect(await isMuted()).toBe(true);
    await until("sound again", 2_000, async () => !(await isMuted()));
    expect(await sdk.events("error")).toEqual([]);
    expect(await sdk.run("page.call.state")).toBe("listening");
  });

  test("without a microphone sends silence, because the service takes a call without audio for lost", async () => {
    const socket = await scene({ devices: "none" });
    await connect(socket);
    const sent = () =>
      sdk.run<number>(`page.peers.at(-1).getSenders()[0].getStats().then((stats) =>
        [...stats.values()].find(({ type }) => type === "outbound-rtp").packetsSent)`);
    const before = await sent();
    await until("packets", 5_000, async () => (await sent()) > before + 20);
    expect((await sdk.events("volume")).every(({ input }) => input === 0)).toBe(true);
  });

  test("goes on by the socket when there is no connection within 5 s", async () => {
    const socket = await scene({ devices: "none" });
    socket.send({ type: "hello", iceServers: [] });
    const offer = await socket.text("offer");
    const fallback = await socket.text("fallback");
    expect(fallback.codec).toBe("opus");
    expect(elapsedMs(offer.atMs, fallback.atMs)).toBeGreaterThan(4_500);
    expect(elapsedMs(offer.atMs, fallback.atMs)).toBeLessThan(7_000);
    socket.ready("websocket");
    await sdk.event("ready", `event.transport === "websocket"`);
    await isTapped();
    await socket.play(tone(600, OUTPUT_HZ, 1));
    socket.send({ type: "mark", name: "end" });
    await socket.text("mark");
    expect(loudMs(await heard())).toBeGreaterThan(980);
  });

  test("goes on by the socket when the service asks for it, with what was played counted anew", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    await connect(socket);
    socket.send({ type: "fallback" });
    await socket.text("fallback");
    socket.ready("websocket");
    await sdk.event("ready", `event.transport === "websocket"`);
    await until("the microphone", 5_000, () => socket.audio.length > 10);
    await socket.play(tone(600, OUTPUT_HZ, 1));
    socket.send({ type: "mark", name: "end" });
    await socket.text("mark");
    socket.send({ type: "clear" });
    expect((await socket.text("cleared")).playedMs).toBe(1_000);
    expect(await sdk.run("page.peers.at(-1).connectionState")).toBe("closed");
  });

  test("in Opus is heard without a gap both ways, and marks and clears keep their place", async () => {
    const socket = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60), call: { transport: "websocket" } });
    socket.send({ type: "hello", iceServers: [] });
    expect(await socket.text("fallback")).toMatchObject({ codec: "opus" });
    socket.ready("websocket", OPUS_FORMAT);
    await isTapped();
    const encoder = opus.encoder(OUTPUT_HZ);
    const encode = (message: Int16Array): Uint8Array => Uint8Array.from(encoder.encode(message));
    const startedMs = systemClock.nowMs();
    await socket.play(tone(600, OUTPUT_HZ, 3), encode);
    socket.send({ type: "mark", name: "end" });
    expect(elapsedMs(startedMs, (await socket.text("mark")).atMs)).toBeGreaterThan(2_950);
    await delay(300);
    const { samples, rateHz } = await heard();
    expect(loudMs({ samples, rateHz })).toBeGreaterThan(2_950);
    expect(medianToneDb(samples.slice(0, rateHz * 2.9), 600, rateHz)).toBeGreaterThan(25);
    await socket.play(tone(600, OUTPUT_HZ, 2), encode);
    socket.send({ type: "clear" });
    expect(Number((await socket.text("cleared")).playedMs)).toBeGreaterThan(4_500);
    encoder.close();
    const decoder = opus.decoder(INPUT_HZ);
    const spoken = socket.audio.slice(50, 150).flatMap((packet) => {
      const into = new Int16Array(5_760);
      return [...into.subarray(0, decoder.decode(packet, into))];
    });
    decoder.close();
    expect(spoken.length).toBe((100 * INPUT_HZ) / 50);
    expect(medianToneDb(Int16Array.from(spoken), 1_000, INPUT_HZ)).toBeGreaterThan(20);
    expect(Math.max(...socket.audio.map(({ length }) => length))).toBeLessThan(320);
    expect(sdk.errors).toEqual([]);
  });

  test("is in PCM where the browser has no Opus, and where its codec fails in the call", async () => {
    const options = { devices: "none", call: { transport: "websocket" } } as const;
    const without = await scene({ ...options, before: "void delete globalThis.AudioEncoder" });
    without.send({ type: "hello", iceServers: [] });
    expect(await without.text("fallback")).toMatchObject({ codec: "pcm_s16le" });
    await sdk.close();
    service.stop();
    const failing = await scene(options);
    failing.send({ type: "hello", iceServers: [] });
    await failing.text("fallback");
    failing.ready("websocket", { ...OPUS_FORMAT, resumeUrl: `${service.url}/api/v1/stream/again?resume=true` });
    await sdk.event("ready");
    // RFC 6716, section 3.2.5: a packet of code 3 has at least one frame.
    failing.sendAudio(Uint8Array.of(0xff, 0x00, 0x00));
    const next = await service.socket(1);
    next.send({ type: "hello", iceServers: [] });
    expect(await next.text("fallback")).toMatchObject({ codec: "pcm_s16le" });
    next.ready("websocket");
    await sdk.event("ready", "page.events.filter(({ type }) => type === 'ready').length === 2");
    await isTapped();
    await next.play(tone(600, OUTPUT_HZ, 1));
    expect(loudMs(await heard())).toBeGreaterThan(800);
    expect(await sdk.events("error")).toEqual([]);
  });

  test.each([
    ["a page that wants no WebRTC", { transport: "websocket" }, { type: "hello", iceServers: [] }],
    ["an offer that the service does not take", {}, { type: "error", code: "bad_offer", message: "no" }],
  ])("goes on by the socket at once: %s", async (_, call, message) => {
    const socket = await scene({ devices: "none", call });
    if (message.type === "error") {
      socket.send({ type: "hello", iceServers: [] });
      await socket.text("offer");
    }
    socket.send(message);
    await socket.text("fallback", 2_000);
    socket.ready("websocket");
    await sdk.event("ready");
    expect(await sdk.events("error")).toEqual([]);
  });

  test("begins anew with hello where its socket was lost", async () => {
    const first = await scene({ microphone: tone(1_000, MICROPHONE_HZ, 60) });
    await connect(first);
    first.ready("rtp", { resumeUrl: `${service.url}/api/v1/stream/again?resume=true` });
    await sdk.event("ready", "page.events.filter(({ type }) => type === 'ready').length === 2");
    first.break();
    const second = await service.socket(1);
    await connect(second);
    expect(await sdk.run("page.peers.map(({ connectionState }) => connectionState)")).toEqual(["closed", "connected"]);
    await sdk.event(
      "state",
      `event.state === "listening" && event.atMs > ${(await sdk.event("state", `event.state === "reconnecting"`)).atMs}`,
    );
  });
});
