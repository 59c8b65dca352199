import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CONTROL_FRAMES_PER_SECOND_MAX,
  MESSAGE_FRAGMENTS_MAX,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../../src/core/limits/streams/connections.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import type { CallRecord } from "../../../src/store/calls/call-store.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { STREAM_ID } from "../../callers/twilio-stream.ts";
import { OPCODE, RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { DIFFERENCES } from "./differences.ts";

/** What peers may do wrong with WebSocket frames. */
export function framesContract(mediaServer: MediaServerName): void {
  const {
    closeCodeAfterViolation,
    closeCodeAfterTooLarge,
    closeCodeAfterUnmaskedBinary,
    endAfterTooManyFragments,
    readsUnmaskedFrames,
  } = DIFFERENCES[mediaServer];
  let service: MediaService;
  beforeEach(async () => {
    service = await mediaService({ mediaServer });
  });
  afterEach(() => service.close());

  const STOP = JSON.stringify({ event: "stop", streamSid: STREAM_ID, stop: {} });
  /** JSON may be followed by as much white space as one likes. */
  const stopOf = (bytes: number): string => STOP.padEnd(bytes);

  /**
   * What comes of a call in which its peer does this after a few frames: the close frame's code, if the server sent one
   * before the connection ended, and the record. Meanwhile another call goes on, which must not notice.
   */
  async function callWith(misdeed: (ws: RawWs) => unknown): Promise<{ code: number | undefined; record: CallRecord }> {
    const [bad, good] = await Promise.all([service.create(), service.create()]);
    const bystander = await RawCaller.start(`${service.url}/stream/${good.token}`);
    const caller = await RawCaller.start(`${service.url}/stream/${bad.token}`);
    caller.sendFrames(2);
    await caller.ws.readFrame();
    await misdeed(caller.ws);
    const code = await caller.ws.readCloseCode();
    caller.ws.destroy();
    const record = await service.ended(bad.callId);
    bystander.sendFrames(3);
    bystander.ws.sendText(STOP);
    expect(await service.ended(good.callId)).toMatchObject({ endReason: "caller_hangup", counters: { framesIn: 3 } });
    bystander.ws.destroy();
    return { code, record };
  }

  /** Sends one text message in fragments of these lengths. */
  function sendFragments(ws: RawWs, text: string, lengths: readonly number[]): void {
    let at = 0;
    for (const [index, length] of lengths.entries()) {
      const opcode = index === 0 ? OPCODE.text : OPCODE.continuation;
      ws.sendFrame({ opcode, payload: text.slice(at, at + length), fin: index === lengths.length - 1 });
      at += length;
    }
  }

  /** `count` fragments of `bytes` each, and one of what is left over. */
  const fragments = (total: number, bytes: number): number[] => [
    ...Array.from({ length: Math.floor(total / bytes) }, () => bytes),
    ...(total % bytes === 0 ? [] : [total % bytes]),
  ];

  describe("B3: a frame that is not masked", () => {
    test.each<[string, number, string | Buffer, number | undefined]>([
      ["text", OPCODE.text, STOP, closeCodeAfterViolation],
      ["binary", OPCODE.binary, Buffer.alloc(160), closeCodeAfterUnmaskedBinary],
      ["a close", OPCODE.close, Buffer.from([0x03, 0xe8]), closeCodeAfterViolation],
      ["a ping", OPCODE.ping, "hello", closeCodeAfterViolation],
    ])("%s: the payload is ignored, and too many of them close the connection", async (_what, opcode, payload, closeCode) => {
      const { code, record } = await callWith((ws) => {
        for (let times = 0; times < 20; times += 1) ws.sendFrame({ opcode, payload, masked: false });
      });
      expect([code, record.endReason]).toEqual([closeCode, "protocol_error"]);
    });

    test("alone is never accepted", async () => {
      const { record } = await callWith(async (ws) => {
        ws.sendFrame({ opcode: OPCODE.text, payload: STOP, masked: false });
        if (!readsUnmaskedFrames) return;
        // Were it heard, the agent would fall silent at once.
        for (let frames = 0; frames < 20; frames += 1) expect(await ws.readFrame()).toBeDefined();
        ws.halfClose();
      });
      expect(record.endReason).toBe(readsUnmaskedFrames ? "caller_hangup" : "protocol_error");
    });
  });

  describe("B7: a message", () => {
    test.each<[string, (ws: RawWs) => void]>([
      ["whole", (ws) => ws.sendText(stopOf(CARRIER_MESSAGE_BYTES_MAX))],
      [
        "in 64 fragments",
        (ws) => sendFragments(ws, stopOf(CARRIER_MESSAGE_BYTES_MAX), fragments(CARRIER_MESSAGE_BYTES_MAX, 1_024)),
      ],
      [
        "in fragments of any length",
        (ws) => sendFragments(ws, stopOf(CARRIER_MESSAGE_BYTES_MAX), [0, 1, 125, 126, 0, 65_283, 0, 1]),
      ],
    ])("of the maximum size, %s, is accepted", async (_how, send) => {
      const { code, record } = await callWith(send);
      expect([code, record.endReason]).toEqual([1_000, "caller_hangup"]);
    });

    test.each<[string, number, readonly [number, string]]>([
      ["as many fragments as may be", MESSAGE_FRAGMENTS_MAX, [1_000, "caller_hangup"]],
      ["one fragment more", MESSAGE_FRAGMENTS_MAX + 1, endAfterTooManyFragments],
    ])("in %s", async (_how, count, end) => {
      const { code, record } = await callWith((ws) => sendFragments(ws, stopOf(count), fragments(count, 1)));
      expect([code, record.endReason]).toEqual(end);
    });

    test.each<[string, (ws: RawWs) => void]>([
      ["whole", (ws) => ws.sendText(stopOf(CARRIER_MESSAGE_BYTES_MAX + 1))],
      [
        "in fragments",
        (ws) =>
          sendFragments(ws, stopOf(CARRIER_MESSAGE_BYTES_MAX + 1), fragments(CARRIER_MESSAGE_BYTES_MAX + 1, 1_024)),
      ],
      ["as large as the library takes", (ws) => ws.sendText(stopOf(SOCKET_PAYLOAD_BYTES_MAX))],
    ])("above the maximum size, %s, ends the call with 1009", async (_how, send) => {
      const { code, record } = await callWith(send);
      expect([code, record.endReason]).toEqual([1_009, "protocol_error"]);
    });

    test.each<[string, (ws: RawWs) => void]>([
      ["whole", (ws) => ws.sendText(stopOf(SOCKET_PAYLOAD_BYTES_MAX + 1))],
      [
        "in fragments",
        (ws) => sendFragments(ws, stopOf(SOCKET_PAYLOAD_BYTES_MAX + 1), fragments(SOCKET_PAYLOAD_BYTES_MAX + 1, 1_024)),
      ],
      ["by its own account", (ws) => ws.sendFrame({ opcode: OPCODE.text, claimedBytes: 2n ** 40n })],
    ])("above the library's limit, %s, closes the connection", async (_how, send) => {
      const { code, record } = await callWith(send);
      expect([code, record.endReason]).toEqual([closeCodeAfterTooLarge, "protocol_error"]);
    });

    test("that never ends is refused at the same size, with fragments of any size", async () => {
      let sentBytes = 0;
      let codeMeanwhile: number | undefined;
      const { code, record } = await callWith(async (ws) => {
        ws.sendFrame({ opcode: OPCODE.text, payload: "[", fin: false });
        for (; !ws.ended; sentBytes += 16 * 128) {
          for (let count = 0; count < 128; count += 1) {
            ws.sendFrame({ opcode: OPCODE.continuation, payload: "x".repeat(16), fin: false });
          }
          // Pings may come between fragments. Its answer says that all of that was read.
          ws.sendFrame({ opcode: OPCODE.ping });
          for (let frame = await ws.readFrame(); frame && frame.opcode !== OPCODE.pong; frame = await ws.readFrame()) {
            if (frame.opcode === OPCODE.close) codeMeanwhile = frame.payload.readUInt16BE(0);
          }
        }
      });
      expect([code ?? codeMeanwhile, record.endReason]).toEqual([closeCodeAfterTooLarge, "protocol_error"]);
      expect(sentBytes).toBeGreaterThan(SOCKET_PAYLOAD_BYTES_MAX - 2_048);
      expect(sentBytes).toBeLessThan(SOCKET_PAYLOAD_BYTES_MAX + 4_096);
    });
  });

  describe("B6: an excessive length", () => {
    test.each([
      2n ** 32n,
      2n ** 53n + 1n,
      2n ** 63n,
      2n ** 64n - 1n,
    ])("%d: the connection is closed before the first byte of the payload", async (claimedBytes) => {
      for (const opcode of [OPCODE.text, OPCODE.binary, OPCODE.continuation]) {
        const { code, record } = await callWith((ws) => ws.sendFrame({ opcode, claimedBytes }));
        // A continuation of nothing is wrong already.
        const closeCode = opcode === OPCODE.continuation ? closeCodeAfterViolation : closeCodeAfterTooLarge;
        expect([code, record.endReason]).toEqual([closeCode, "protocol_error"]);
      }
    });
  });

  describe("B8: compression", () => {
    test.each([
      "permessage-deflate",
      "permessage-deflate; client_max_window_bits",
      "permessage-deflate; server_max_window_bits=99; client_no_context_takeover",
      'permessage-deflate; server_max_window_bits="8", x-webkit-deflate-frame, permessage-deflate',
      "permessage-deflate;;;=; ,,",
    ])("that is offered as %j is declined, and a compressed message closes the connection", async (offer) => {
      const { callId, token } = await service.create();
      const ws = await RawWs.connect(service.url);
      const answer = await ws.upgrade(`/stream/${token}`, { "Sec-WebSocket-Extensions": offer });
      expect([answer?.status, answer?.headers["sec-websocket-extensions"]]).toEqual([101, undefined]);
      // An empty message, as permessage-deflate writes it.
      ws.sendFrame({ opcode: OPCODE.text, payload: Buffer.of(0x00), rsv: 4 });
      expect(await ws.readCloseCode()).toBe(closeCodeAfterViolation);
      ws.destroy();
      expect((await service.ended(callId)).endReason).toBe("protocol_error");
    });
  });

  describe("B18: unsolicited pings and pongs", () => {
    test.each([
      ["pings", OPCODE.ping],
      ["pongs", OPCODE.pong],
    ])("%s: as many as a client needs are tolerated, more within a second end the call with 1008", async (_what, opcode) => {
      const { code, record } = await callWith(async (ws) => {
        for (let count = 0; count < CONTROL_FRAMES_PER_SECOND_MAX; count += 1) ws.sendFrame({ opcode });
        // The agent speaks on, for half a second.
        for (let frames = 0; frames < 25; frames += 1) expect((await ws.readFrame())?.opcode).not.toBe(OPCODE.close);
        for (let count = 0; count <= CONTROL_FRAMES_PER_SECOND_MAX; count += 1) ws.sendFrame({ opcode });
      });
      expect([code, record.endReason]).toEqual([1_008, "protocol_error"]);
    });
  });
}
