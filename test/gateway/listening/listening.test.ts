import { afterEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { asCallId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { LISTENERS_PER_CALL_MAX } from "../../../src/core/limits/calls/listening.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { CONNECTED, mediaMessage, startMessage } from "../../callers/twilio-stream.ts";
import { OPCODE, RawWs } from "../../support/network/raw-ws.ts";
import { MEDIA_URL, type MediaService, mediaService } from "../../support/services/media-service.ts";

const WORKER = asWorkerId("worker");

let service: MediaService;
afterEach(() => service.close());

/** A live call of carrier_a, whose caller speaks. */
async function liveCall(spec: Partial<CallSpec> = {}): Promise<{ callId: CallId; caller: RawWs }> {
  service = await mediaService();
  const { callId, token } = await service.create({ connectionType: "carrier_a", ...spec });
  const caller = await RawWs.connect(service.url);
  expect((await caller.upgrade(`/stream/${token}`))?.status).toBe(101);
  for (const message of [CONNECTED, startMessage()]) caller.sendText(JSON.stringify(message));
  await expect.poll(() => service.gateway.readings().calls.opening).toBe(0);
  return { callId, caller };
}

/** An address of the call, as a path of the service under test. */
async function address(callId: CallId): Promise<string> {
  const answer = await service.ipc.listenAddress(WORKER, callId);
  if (answer?.kind !== "address") throw new Error(`no address: ${JSON.stringify(answer)}`);
  expect(answer.validMs).toBe(60_000);
  expect(answer.url.startsWith(`${MEDIA_URL}/stream/l_`)).toBe(true);
  return answer.url.slice(MEDIA_URL.length);
}

async function upgrade(path: string): Promise<{ ws: RawWs; status: number | undefined }> {
  const ws = await RawWs.connect(service.url);
  return { ws, status: (await ws.upgrade(path))?.status };
}

async function join(callId: CallId): Promise<RawWs> {
  const { ws, status } = await upgrade(await address(callId));
  expect(status).toBe(101);
  return ws;
}

const listeners = (): number => service.gateway.readings().listening.listeners;

describe("listening to a live call", () => {
  test("is by an address that serves one connection, which gets a description and then the audio of both sides", async () => {
    const { callId, caller } = await liveCall();
    const path = await address(callId);
    const { ws, status } = await upgrade(path);
    expect(status).toBe(101);
    expect((await upgrade(path)).status).toBe(401);
    const first = await ws.readFrame();
    expect(first?.opcode).toBe(OPCODE.text);
    expect(JSON.parse(String(first?.payload))).toEqual({
      type: "listening",
      callId,
      sampleRate: 8_000,
      channels: 2,
      encoding: "pcm_s16le",
    });
    let number = 0;
    const loud = Buffer.alloc(160).toString("base64");
    const sending = setInterval(() => caller.sendText(JSON.stringify(mediaMessage(++number, loud))), 20);
    let isHeard = false;
    while (!isHeard) {
      const frame = await ws.readFrame();
      if (frame?.opcode === OPCODE.ping) ws.sendFrame({ opcode: OPCODE.pong, payload: frame.payload });
      if (frame?.opcode !== OPCODE.binary) continue;
      expect(frame.payload).toHaveLength(3_200);
      // The loudest sample of mu-law is that of the byte 0.
      isHeard = frame.payload.readInt16LE(0) < -30_000;
    }
    clearInterval(sending);
    expect(listeners()).toBe(1);
    expect(service.logged.join("\n")).not.toContain(path.slice("/stream/".length));
    caller.destroy();
    expect(await ws.readCloseCode()).toBe(1_000);
    await service.ended(callId);
    expect(listeners()).toBe(0);
    expect(service.gateway.readings().listening.ended.call_ended).toBe(1);
  });

  test("is read-only, and leaves the call and its journal as they would be without it", async () => {
    const { callId, caller } = await liveCall();
    const ws = await join(callId);
    ws.sendText(JSON.stringify({ event: "stop" }));
    expect(await ws.readCloseCode()).toBe(1_008);
    const other = await join(callId);
    other.destroy();
    await expect.poll(listeners).toBe(0);
    expect(service.gateway.readings().listening.ended).toMatchObject({ sent: 1, left: 1 });
    expect(service.gateway.callIds()).toEqual([callId]);
    caller.destroy();
    expect(await service.ended(callId)).toMatchObject({ endReason: "caller_hangup" });
    expect((await compareJournal(journalPath(service.directory, callId))).difference).toBeUndefined();
  });

  test("is for a few at a time", async () => {
    const { callId } = await liveCall();
    const spare = await address(callId);
    for (let count = 0; count < LISTENERS_PER_CALL_MAX; count += 1) await join(callId);
    await expect.poll(listeners).toBe(LISTENERS_PER_CALL_MAX);
    expect(await service.ipc.listenAddress(WORKER, callId)).toEqual({ kind: "refused", reason: "too_many_listeners" });
    const { ws, status } = await upgrade(spare);
    expect([status, await ws.readCloseCode()]).toEqual([101, 1_008]);
    expect(listeners()).toBe(LISTENERS_PER_CALL_MAX);
  });

  test("is not possible for a call that is over, that the worker does not have, or by a token that is not signed", async () => {
    const { callId, caller } = await liveCall();
    const notLive = { kind: "refused", reason: "not_live" };
    expect(await service.ipc.listenAddress(WORKER, asCallId("call_2"))).toEqual(notLive);
    const path = await address(callId);
    expect((await upgrade(`${path.slice(0, -1)}${path.endsWith("A") ? "B" : "A"}`)).status).toBe(401);
    caller.destroy();
    await service.ended(callId);
    expect(await service.ipc.listenAddress(WORKER, callId)).toEqual(notLive);
    expect((await upgrade(path)).status).toBe(401);
  });
});

test("a worker that is full keeps its port open for a listener that has an address", async () => {
  const full: boolean[] = [];
  service = await mediaService({ callsMax: 1 });
  const { callId, token } = await service.create({ connectionType: "carrier_a" });
  const caller = await RawWs.connect(service.url);
  const path = `/stream/${token}`;
  const pause = service.server.pauseListening.bind(service.server);
  service.server.pauseListening = (isFull) => {
    full.push(isFull);
    return pause(isFull);
  };
  expect((await caller.upgrade(path))?.status).toBe(101);
  for (const message of [CONNECTED, startMessage()]) caller.sendText(JSON.stringify(message));
  await expect.poll(() => full).toEqual([true]);
  const listening = await address(callId);
  expect(full).toEqual([true, false]);
  await expect.poll(async () => (await upgrade(listening)).status).toBe(101);
  expect(full).toEqual([true, false, true]);
});
