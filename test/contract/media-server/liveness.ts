import { afterEach, describe, expect, test } from "vitest";
import type { ConnectionType } from "../../../src/core/calls/spec.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import type { CallId } from "../../../src/core/ids.ts";
import {
  FRAMING_BYTES_BURST_MAX,
  MESSAGE_FRAGMENTS_MAX,
  SILENT_PEER_MS_MAX,
} from "../../../src/core/limits/streams/connections.ts";
import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { BlackHole } from "../../support/network/black-hole.ts";
import { encodeFrame, OPCODE, RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { carriersUnderTest } from "../../support/wires/carriers.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";
import { DIFFERENCES } from "./differences.ts";

const { pingTimeoutMs } = DEFAULT_LIVENESS;
const WORD_MS = 300;
const SENTENCES = 16;
const GREETING = Array.from({ length: SENTENCES }, (_, index) => `This is sentence number${index}.`).join(" ");
/** The line dies while the third sentence is spoken. */
const DIES_MS = 3_000;

/** Each word takes WORD_MS. */
const EVEN: Tts = {
  provider: "even",
  capabilities: { wordTimestamps: true },
  voices: async () => [],
  async *speak({ text }) {
    const words = text.split(" ").map((word, at) => ({ text: word, startMs: at * WORD_MS, endMs: (at + 1) * WORD_MS }));
    const samples = new Int16Array((words.length * WORD_MS * CARRIER_RATE_HZ) / 1_000).fill(1_000);
    yield { samples, rateHz: CARRIER_RATE_HZ, words };
  },
};

/** 20 ms of silence. */
const SILENCE = Buffer.alloc(160, 0xff);
const carrierPeer = (carrier: CarrierUnderTest) => ({
  connectionType: carrier.connectionType,
  start: JSON.stringify(carrier.start(carrier.streamId)),
  media: (chunk: number) => {
    const audio = { ...carrier.place(chunk, chunk * 20), payload: SILENCE.toString("base64") };
    return { opcode: OPCODE.text, payload: JSON.stringify(carrier.media(audio)) };
  },
});
/** What peers say as their streams begin, and each 20 ms. */
const PEERS = [
  {
    connectionType: "websocket" as const,
    start: undefined,
    media: () => ({ opcode: OPCODE.binary, payload: SILENCE }),
  },
  ...carriersUnderTest()
    .filter(({ inbound }) => inbound === "mulaw")
    .map(carrierPeer),
];
const MU_LAW = { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 } as const;

/** Resolves when the service has read so many frames. */
async function framesCome({ gateway }: MediaService, connectionType: ConnectionType, count: number): Promise<void> {
  while ((gateway.readings().counts.get(connectionType)?.framesIn ?? 0) < count) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function livenessContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  describe.each(PEERS)("ADV-M3: $connectionType, whose network drops all packets", ({
    connectionType,
    start,
    media,
  }) => {
    test("ends with connection_lost after the ping timeout, with the words that were heard until then", async () => {
      const clock = new ManualClock();
      service = await mediaService({ mediaServer, clock, tts: EVEN });
      const hole = await BlackHole.to(service.port);
      const { callId, token } = await service.create({
        connectionType,
        greeting: GREETING,
        ...(connectionType === "websocket" && { websocket: MU_LAW }),
      });
      const ws = await RawWs.connect(`ws://127.0.0.1:${hole.port}`);
      expect((await ws.upgrade(`/stream/${token}`))?.status).toBe(101);
      // Marks are withheld; pings are answered, as every library does.
      const answering = ws.answerPings();
      if (start !== undefined) ws.sendText(start);
      for (let chunk = 1; clock.nowMs() < monotonicMs(DIES_MS); chunk += 1) {
        ws.sendFrame(media(chunk));
        await framesCome(service, connectionType, chunk);
        await clock.play(20);
      }
      hole.swallow();
      await clock.play(2 * SILENT_PEER_MS_MAX);
      const { endReason, durationMs } = await service.ended(callId);
      expect(endReason).toBe("connection_lost");
      expect(Math.abs((durationMs ?? 0) - DIES_MS - pingTimeoutMs)).toBeLessThanOrEqual(100);
      const turns = await service.stores.calls.transcript(service.accountId, callId);
      expect(turns).toMatchObject([{ role: "agent", interrupted: true, approximate: true }]);
      const words = turns?.[0]?.text.split(" ").length ?? 0;
      expect(words).toBeGreaterThan(1);
      expect(words).toBeLessThanOrEqual(DIES_MS / WORD_MS);
      ws.destroy();
      await answering;
      hole.close();
    });
  });

  const EMPTY = Buffer.from([0x00, 0x80, 0, 0, 0, 0]);
  const BEGIN = encodeFrame({ opcode: OPCODE.binary, payload: "", fin: false });
  const END = encodeFrame({ opcode: OPCODE.continuation, payload: Buffer.alloc(160, 0xff) });

  async function quiet(of: MediaService): Promise<{ callId: CallId; ws: RawWs }> {
    const { callId, token } = await of.create({
      connectionType: "websocket",
      websocket: MU_LAW,
      firstSpeaker: "user",
    });
    const ws = await RawWs.connect(of.url);
    expect((await ws.upgrade(`/stream/${token}`))?.status).toBe(101);
    return { callId, ws };
  }

  test("ADV-L8: a peer that never completes a message counts as lost, like a silent one", async () => {
    const clock = new ManualClock();
    service = await mediaService({ mediaServer, clock });
    const { callId, ws } = await quiet(service);
    ws.write(BEGIN);
    for (let ms = 0; ms < SILENT_PEER_MS_MAX + 1_000 && service.gateway.callIds().length > 0; ms += 1_000) {
      ws.write(EMPTY);
      await clock.play(1_000);
    }
    expect((await service.ended(callId)).endReason).toBe("connection_lost");
    ws.destroy();
  });

  test("ADV-L8: empty fragments are counted over all messages if the server can", async () => {
    service = await mediaService({ mediaServer });
    const { callId, ws } = await quiet(service);
    const message = Buffer.concat([BEGIN, ...Array<Buffer>(MESSAGE_FRAGMENTS_MAX - 2).fill(EMPTY), END]);
    for (let sent = 0; sent < 2 * FRAMING_BYTES_BURST_MAX; sent += message.length) ws.write(message);
    ws.sendClose(1_000);
    const { closeCode, endReason } = DIFFERENCES[mediaServer].endAfterEmptyFragments;
    expect(await ws.readCloseCode()).toBe(closeCode);
    expect((await service.ended(callId)).endReason).toBe(endReason);
    ws.destroy();
  });
}
