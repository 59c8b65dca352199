import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { loadWebrtc, type WebrtcLibrary, type WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { opusStream } from "../../support/audio/opus-packets.ts";
import { quantile, toneOf, toneSnrDb } from "../../support/audio/tone.ts";
import { LossyProxy } from "../../support/network/lossy-proxy.ts";
import { Random } from "../../support/random.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { loopbackCall } from "../../support/webrtc/loopback-call.ts";

const HOST = "127.0.0.1";
const WAIT = { timeout: 10_000, interval: 10 };

let library: WebrtcLibrary;
let port: WebrtcPort;
beforeAll(async () => {
  library = (await loadWebrtc()).library as WebrtcLibrary;
  const onBug = (error: unknown): void => {
    throw error;
  };
  port = await library.openPort({
    ports: { first: 46_400, last: 46_499 },
    bindAddress: HOST,
    clock: systemClock,
    onBug,
  });
});
afterAll(() => {
  port.close();
  library.cleanup();
});

const tonePackets = (seconds: number): Uint8Array[] =>
  opusStream(
    { rateHz: 48_000, channels: 1, frameMs: 20, bitrateBps: 32_000, fec: true },
    1_000 * seconds,
    (at) => 8_000 * Math.sin(2 * Math.PI * 1_000 * at),
  );

describe("a call on this machine", { retry: ifMachineStalled }, () => {
  test("audio goes both ways at once, and both ends report to each other", async () => {
    const { caller, transport, wire, heard, end } = await loopbackCall(port);
    const speech = toneOf(600, 2, 24_000);
    const packets = tonePackets(2);
    for (const [n, packet] of packets.entries()) {
      caller.send(packet);
      transport.send(wire.encodeAudio(pcmBytes(speech.subarray(480 * n, 480 * (n + 1)))), true);
      if (n % 25 === 24) caller.report();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await vi.waitFor(() => expect(heard.length).toBe(320 * packets.length), WAIT);
    expect(quantile(toneSnrDb(Int16Array.from(heard).subarray(3_200), 1_000, 16_000), 0.5)).toBeGreaterThan(30);
    const there = caller.samples;
    expect(there.length).toBeGreaterThanOrEqual(320 * packets.length);
    expect(quantile(toneSnrDb(there.subarray(3_200, 30_000), 600, 16_000), 0.5)).toBeGreaterThan(30);
    expect(caller.heard[0]?.marker).toBe(true);
    const late = caller.heard.slice(1).filter(({ marker }) => marker).length;
    expect(late).toBeLessThan(5);
    await vi.waitFor(() => expect(transport.readings.roundTripMs).toBeLessThan(500), WAIT);
    caller.report();
    await vi.waitFor(() => expect(caller.reception.readings.roundTripMs).toBeLessThan(500), WAIT);
    expect(transport.counters).toMatchObject({ missing: 0, malformed: 0, unsent: 0 });
    expect(caller.errors).toEqual([]);
    end();
  }, 30_000);

  test("lost packets are made up for: the call hears as much audio as was sent", async () => {
    const { caller, transport, heard, end } = await loopbackCall(port);
    const packets = tonePackets(2);
    for (const [n, packet] of packets.entries()) {
      if (n > 10 && n % 10 === 5) caller.lose();
      else caller.send(packet);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await vi.waitFor(() => expect(heard.length).toBe(320 * packets.length), WAIT);
    expect(transport.counters.missing).toBe(9);
    // A window with a hole has no more tone than other sound: 0 dB.
    expect(quantile(toneSnrDb(Int16Array.from(heard).subarray(3_200), 1_000, 16_000), 0.1)).toBeGreaterThan(3);
    end();
  }, 30_000);

  test("after the agent's last word the caller gets silence, then nothing", async () => {
    const { caller, transport, wire, end } = await loopbackCall(port);
    for (let n = 0; n < 5; n += 1) transport.send(wire.encodeAudio(pcmBytes(toneOf(600, 0.02, 24_000))), true);
    await vi.waitFor(() => expect(caller.heard).toHaveLength(15), WAIT);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(caller.heard).toHaveLength(15);
    const silence = caller.heard.slice(7).flatMap(({ samples }) => [...samples]);
    expect(Math.max(...silence.map(Math.abs))).toBeLessThan(100);
    end();
  }, 30_000);

  test.each([
    { lossShare: 0.01, jitterMs: 10, medianDb: 20 },
    { lossShare: 0.05, jitterMs: 50, medianDb: 10 },
    { lossShare: 0.2, jitterMs: 50, medianDb: 3 },
  ])("W7: over a network with loss of $lossShare, jitter of $jitterMs ms, reordering and duplicates the call goes on, and the losses are counted", async ({
    lossShare,
    jitterMs,
    medianDb,
  }) => {
    const seed = Number(process.env.SEED ?? 1);
    const proxy = await LossyProxy.open(port.port, new Random(seed));
    const { caller, transport, heard, gapsMs, end } = await loopbackCall(port, { callerPort: proxy.port });
    proxy.conditions = { lossShare, duplicateShare: 0.05, delayMs: 20, jitterMs };
    const packets = tonePackets(2);
    await caller.play(packets);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const { reordered, missing, duplicate } = transport.counters;
    if (jitterMs > 20) expect(reordered).toBeGreaterThan(0);
    expect([missing > 0, proxy.counts.lost > 0]).toEqual([true, true]);
    // SRTP has dropped them.
    expect([proxy.counts.duplicated > 0, duplicate]).toEqual([true, 0]);
    // Everything until the last packet that came.
    expect(heard.length / 16).toBeGreaterThan(20 * packets.length - 300);
    expect(gapsMs()).toBeLessThan(400);
    expect(quantile(toneSnrDb(Int16Array.from(heard).subarray(3_200), 1_000, 16_000), 0.5)).toBeGreaterThan(medianDb);
    end();
    proxy.close();
  }, 30_000);
});
