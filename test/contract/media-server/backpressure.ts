import { setImmediate as loopTurn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import type { CallSpec, StreamFormat } from "../../../src/core/calls/spec.ts";
import { elapsedMs } from "../../../src/core/clocks.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { SOCKET_BACKPRESSURE_BYTES_MAX } from "../../../src/core/limits/streams/connections.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { collectGarbage } from "../../support/heap.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { OPCODE, RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

export function backpressureContract(mediaServer: MediaServerName): void {
  const RATE_HZ = 48_000;
  const WIDE: StreamFormat = { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: RATE_HZ };
  const FRAME_BYTES = (RATE_HZ / 50) * 2;
  const MIB = 2 ** 20;

  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  /** Speaks for ever, at the rate of the leg. */
  const ENDLESS: Tts = {
    provider: "endless",
    capabilities: { wordTimestamps: false },
    voices: async () => [],
    async *speak(_request, signal) {
      const samples = new Int16Array(RATE_HZ / 5).fill(1_000);
      while (!signal.aborted) yield { samples, rateHz: RATE_HZ, words: [] };
    },
  };

  /** Samples of this voice are counted, so that a gap is seen. */
  const COUNT_TO = 30_000;
  const COUNTING: Tts = {
    ...ENDLESS,
    async *speak(_request, signal) {
      for (let next = 0; !signal.aborted; next += RATE_HZ / 5) {
        const samples = Int16Array.from({ length: RATE_HZ / 5 }, (_, at) => (next + at) % COUNT_TO);
        yield { samples, rateHz: RATE_HZ, words: [] };
      }
    },
  };

  async function open(of: MediaService, spec: Partial<CallSpec> = {}): Promise<{ callId: CallId; ws: RawWs }> {
    const { callId, token } = await of.create({ connectionType: "websocket", websocket: WIDE, ...spec });
    const ws = await RawWs.connect(of.url);
    const answer = await ws.upgrade(`/stream/${token}`);
    if (answer?.status !== 101) throw new Error(`refused with ${answer?.status}`);
    return { callId, ws };
  }

  /**
   * The kernel takes what it has room for, however slow its peer: up to 4 MiB a socket on Linux by default (tcp_wmem), which is 44 s
   * of this audio. Only what is in front of that is ours, and bounded. The time is the call's, so none of it is waited for.
   */
  const KERNEL_BYTES_MAX = 6 * MIB;
  /** Who does not read answers no ping: here a peer is not lost before it has filled what waits for it. */
  const PATIENT = { pingTimeoutMs: 300_000 };
  const CLIENTS = 40;
  const GARBAGE_MS = 2_000;
  /** After a collection. Resident memory would say when the allocators return pages, which differs by version and load. */
  const reachableBytes = (): number => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };

  test("D3: clients that never read while the agent speaks all end as slow consumers, and memory stays bounded", {
    // A client that does not read answers no ping: where its frames take too long to be made it is taken for dead before.
    retry: ifMachineStalled,
    timeout: 60_000,
  }, async () => {
    const clock = new ManualClock();
    service = await mediaService({ mediaServer, clock, tts: ENDLESS, liveness: PATIENT });
    const clients: Awaited<ReturnType<typeof open>>[] = [];
    for (let count = 0; count < CLIENTS; count += 1) {
      const client = await open(service, { recordingEnabled: false });
      client.ws.stopReading();
      clients.push(client);
    }
    const reader = await open(service, { recordingEnabled: false });
    collectGarbage();
    const beforeBytes = reachableBytes();
    let peakBytes = beforeBytes;
    let peakBufferedBytes = 0;
    const startMs = clock.nowMs();
    while (service.gateway.callIds().length > 1) {
      await clock.play(20);
      await loopTurn();
      if (elapsedMs(startMs, clock.nowMs()) % GARBAGE_MS < 20) {
        collectGarbage();
        peakBytes = Math.max(peakBytes, reachableBytes());
      }
      peakBufferedBytes = Math.max(peakBufferedBytes, service.server.streams.bufferedBytes);
      const sentBytes = (elapsedMs(startMs, clock.nowMs()) / 20) * FRAME_BYTES;
      expect(sentBytes).toBeLessThan(KERNEL_BYTES_MAX + SOCKET_BACKPRESSURE_BYTES_MAX);
    }
    // A coarse guard for what the buffered bytes below do not show; all that is sent would be 240 MiB.
    expect(peakBytes - beforeBytes).toBeLessThan(CLIENTS * SOCKET_BACKPRESSURE_BYTES_MAX + 128 * MIB);
    // It is reported while it waits, and no longer when its streams are gone.
    expect(peakBufferedBytes).toBeGreaterThan(SOCKET_BACKPRESSURE_BYTES_MAX / 2);
    expect(peakBufferedBytes).toBeLessThanOrEqual((CLIENTS + 1) * (SOCKET_BACKPRESSURE_BYTES_MAX + FRAME_BYTES));
    expect(service.server.streams.bufferedBytes).toBeLessThanOrEqual(SOCKET_BACKPRESSURE_BYTES_MAX);
    for (const { callId, ws } of clients) {
      expect(await service.ended(callId)).toMatchObject({ endReason: "slow_consumer" });
      ws.destroy();
    }
    const closed = service.logged.filter((line) => line.includes('"call ended"')).map((line) => JSON.parse(line));
    expect(closed.map(({ closeCode }) => closeCode)).toEqual(Array(CLIENTS).fill(1_008));
    expect(service.gateway.callIds()).toEqual([reader.callId]);
    reader.ws.destroy();
  });

  test("B17: a client that stops reading and then continues receives everything that was sent, without a gap, and then the end", async () => {
    const clock = new ManualClock();
    service = await mediaService({ mediaServer, clock, tts: COUNTING, liveness: PATIENT });
    const { callId, ws } = await open(service, { recordingEnabled: false });
    ws.stopReading();
    while (service.gateway.callIds().length > 0) {
      await clock.play(20);
      await loopTurn();
    }
    expect((await service.ended(callId)).endReason).toBe("slow_consumer");
    ws.readOn();
    let heard = 0;
    let gaps = 0;
    for (
      let frame = await ws.readFrame(), next: number | undefined;
      frame !== undefined;
      frame = await ws.readFrame()
    ) {
      if (frame.opcode !== OPCODE.binary) continue;
      for (let at = 0; at < frame.payload.length; at += 2) {
        const sample = frame.payload.readInt16LE(at);
        if (sample !== (next ?? sample)) gaps += 1;
        next = (sample + 1) % COUNT_TO;
        heard += 1;
      }
    }
    expect(gaps).toBe(0);
    expect(heard * 2).toBeGreaterThan(SOCKET_BACKPRESSURE_BYTES_MAX);
    expect(heard * 2).toBeLessThan(KERNEL_BYTES_MAX);
    ws.destroy();
  }, 30_000);

  test("M4: a minute of audio within a second is a flood, closed with 1008, and another call is not affected", async () => {
    service = await mediaService({ mediaServer, tts: ENDLESS });
    const beside = await open(service);
    const frames = { read: 0 };
    const reading = (async () => {
      for (let frame = await beside.ws.readFrame(); frame !== undefined; frame = await beside.ws.readFrame()) {
        if (frame.opcode === OPCODE.binary && frame.payload.length === FRAME_BYTES) frames.read += 1;
      }
    })();
    const startedMs = performance.now();
    for (let flood = 0; flood < 5; flood += 1) {
      const { callId, ws } = await open(service, { firstSpeaker: "user" });
      const second = Buffer.alloc(32_000);
      for (let count = 0; count < 60; count += 1) ws.sendBinary(second);
      expect(await ws.readCloseCode()).toBe(1_008);
      const { endReason, counters } = await service.ended(callId);
      expect(endReason).toBe("audio_flood");
      // Two seconds may be ahead, and what came in the third message with them.
      expect(counters?.framesIn).toBeLessThanOrEqual(160);
      ws.destroy();
    }
    // A call beside a flood on the same loop may get a frame late, and gets all frames.
    const dueFrames = Math.floor((performance.now() - startedMs) / 20);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(frames.read).toBeGreaterThanOrEqual(dueFrames);
    expect(service.gateway.callIds()).toEqual([beside.callId]);
    beside.ws.destroy();
    await reading;
  });
}
