import { createHmac } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { TWILIO } from "../../../src/carriers/twilio/descriptor.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { CONNECTED, startMessage } from "../../callers/twilio-stream.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { MEDIA_URL, type MediaService, mediaService } from "../../support/services/media-service.ts";

const WORKER = asWorkerId("worker");
const signed = (token: string, secret = "secret-of-account"): Record<string, string> => ({
  "X-Twilio-Signature": createHmac("sha1", secret).update(`${MEDIA_URL}/stream/${token}`).digest("base64"),
});

let service: MediaService;
let isStoreLost = false;
afterEach(() => service.close());

/**
 * A live call of carrier_a, whose carrier signs its streams: the first with a secret of the service here, and all others with that of
 * the call's account.
 */
async function liveCall(spec: Partial<CallSpec>): Promise<{ callId: CallId; ws: RawWs }> {
  service = await mediaService({
    carrierSecrets: { carrier_a: ["secret-of-service"] },
    isStreamOf: async (_, { url, headers }) => {
      if (isStoreLost) throw new Error("the store is lost");
      return TWILIO.signature.isAuthentic("secret-of-account", url, headers);
    },
  });
  const { callId, token } = await service.create({ connectionType: "carrier_a", ...spec });
  const { ws, status } = await upgrade(token, signed(token, "secret-of-service"));
  expect(status).toBe(101);
  start(ws);
  return { callId, ws };
}

async function upgrade(token: string, headers = {}): Promise<{ ws: RawWs; status: number | undefined }> {
  const ws = await RawWs.connect(service.url);
  const status = (await ws.upgrade(`/stream/${token}`, headers))?.status;
  return { ws, status };
}

function start(ws: RawWs): void {
  for (const message of [CONNECTED, startMessage()]) ws.sendText(JSON.stringify(message));
}

test("a carrier comes back to its call by an address without a query, once, and only with its signature", async () => {
  const { callId, ws } = await liveCall({ phoneControl: true });
  const { ipc, ended, gateway, logged } = service;
  const transferring = { kind: "transferring", target: "+4312345", returnMsMax: 60_000 } as const;
  await expect.poll(() => gateway.mediaStates()).toEqual([{ callId, state: "attached" }]);
  expect(await ipc.phoneUpdate(WORKER, callId, transferring)).toBe(true);
  ws.destroy();
  await expect.poll(() => gateway.mediaStates()).toEqual([{ callId, state: "lost" }]);

  const replaced = await ipc.resumeAddress(WORKER, callId);
  const address = (await ipc.resumeAddress(WORKER, callId)) ?? "";
  expect(address.startsWith(`${MEDIA_URL}/stream/`)).toBe(true);
  const token = address.slice(`${MEDIA_URL}/stream/`.length);
  expect(token).toMatch(/^[\w-]+$/);
  expect(replaced).not.toBe(address);
  for (const headers of [{}, signed(token, "guessed"), signed(token, "secret-of-service"), signed("another")])
    expect((await upgrade(token, headers)).status).toBe(401);
  isStoreLost = true;
  expect((await upgrade(token, signed(token))).status).toBe(503);
  isStoreLost = false;
  const next = await upgrade(token, signed(token));
  expect(next.status).toBe(101);
  expect((await upgrade(token, signed(token))).status).toBe(503);
  start(next.ws);
  await expect.poll(() => gateway.mediaStates()).toEqual([{ callId, state: "attached" }]);
  next.ws.destroy();
  expect(await ended(callId)).toMatchObject({ endReason: "caller_hangup" });
  expect(logged.join("\n")).not.toContain(token);
});

test("a leg that waits for its end is ended for a transfer, and the call goes on; without a transfer it stays", async () => {
  const { callId, ws } = await liveCall({ phoneControl: true });
  const { ipc, gateway } = service;
  await expect.poll(() => gateway.mediaStates()).toEqual([{ callId, state: "attached" }]);
  expect(await ipc.phoneUpdate(WORKER, callId, { kind: "end-leg" })).toBe(true);
  expect(gateway.mediaStates()).toEqual([{ callId, state: "attached" }]);
  const transferring = { kind: "transferring", target: "+4312345", returnMsMax: 60_000 } as const;
  await ipc.phoneUpdate(WORKER, callId, transferring);
  await ipc.phoneUpdate(WORKER, callId, { kind: "end-leg" });
  await expect.poll(() => gateway.mediaStates()).toEqual([{ callId, state: "lost" }]);
  await expect.poll(() => ws.ended).toBe(true);
});

test("there is no address for a call that the service does not control, is over, or that the worker does not have", async () => {
  const { callId, ws } = await liveCall({});
  const { ipc, ended, gateway } = service;
  const update = { kind: "transfer-failed", target: "+4312345", outcome: "busy" } as const;
  expect(await ipc.resumeAddress(WORKER, callId)).toBeUndefined();
  expect(gateway.mediaStates()).toEqual([]);
  ws.destroy();
  await ended(callId);
  expect(await ipc.resumeAddress(WORKER, callId)).toBeUndefined();
  expect(await ipc.phoneUpdate(WORKER, callId, update)).toBe(false);
  expect(await ipc.resumeAddress(asWorkerId("another"), callId)).toBeUndefined();
  expect(await ipc.phoneUpdate(asWorkerId("another"), callId, update)).toBe(false);
});
