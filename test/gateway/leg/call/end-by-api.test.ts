import { afterEach, expect, test } from "vitest";
import { asCallId, asWorkerId, type CallId } from "../../../../src/core/ids.ts";
import { loadFvadDetection } from "../../../../src/media/voice-activity/fvad.ts";
import { RawCaller } from "../../../callers/raw-caller.ts";
import { type MediaService, type MediaServiceOptions, mediaService } from "../../../support/services/media-service.ts";
import { ifMachineStalled } from "../../../support/stalled-machine.ts";

let service: MediaService;
afterEach(() => service.close());

const voiceActivity = await loadFvadDetection();

async function start(options?: MediaServiceOptions): Promise<MediaService> {
  service = await mediaService(options);
  return service;
}

/** What `POST /calls/{id}/end` does; returns whether a worker was informed. */
async function end(callId: CallId): Promise<boolean> {
  const found = await service.stores.calls.cancel(service.accountId, callId);
  return found?.workerId !== undefined && service.ipc.endCall(found.workerId, callId, "api_hangup");
}

test("a live call ends as `api_hangup`, with 1000 for its peer, and its record says so", async () => {
  const { url, create, ended, gateway } = await start();
  const [held, other] = [await create(), await create()];
  const caller = await RawCaller.start(`${url}/stream/${held.token}`);
  const beside = await RawCaller.start(`${url}/stream/${other.token}`);
  caller.sendFrames(3);
  await caller.ws.readFrame();
  expect(await end(held.callId)).toBe(true);
  expect(await caller.ws.readCloseCode()).toBe(1_000);
  expect(await ended(held.callId)).toMatchObject({ status: "ended", endReason: "api_hangup" });
  expect(gateway.callIds()).toEqual([other.callId]);
  beside.ws.destroy();
});

test("asking twice, or for a call that is over, has no effect", async () => {
  const { url, create, ended, ipc } = await start();
  const { callId, token } = await create();
  const caller = await RawCaller.start(`${url}/stream/${token}`);
  expect([await end(callId), await end(callId)]).toEqual([true, true]);
  const record = await ended(callId);
  expect(record.endReason).toBe("api_hangup");
  expect(await end(callId)).toBe(false);
  for (const id of [callId, "call_unknown"])
    expect(ipc.endCall(asWorkerId("worker"), asCallId(id), "api_hangup")).toBe(true);
  expect(ipc.endCall(asWorkerId("another-worker"), callId, "api_hangup")).toBe(false);
  expect(await service.stores.calls.get(service.accountId, callId)).toEqual(record);
  caller.ws.destroy();
});

test("a call that is asked to end during its redemption ends, too", {
  retry: ifMachineStalled,
}, async () => {
  const seen = new Set<number | undefined>();
  for (let round = 0; round < 20; round += 1) {
    let redeeming = (): void => {};
    const redeemed = new Promise<void>((resolve) => {
      redeeming = resolve;
    });
    const { url, create, ended } = await start({ beforeRedeem: async () => redeeming() });
    const { callId, token } = await create();
    const connecting = RawCaller.connect(`${url}/stream/${token}`);
    await redeemed;
    // From before the redemption until after its end, which is a few microtasks away without any I/O.
    for (let step = 0; step < round * 3; step += 1) await undefined;
    // Either the call had not begun, and its token is now invalid, or its worker is informed after the response to the
    // redemption.
    await end(callId);
    const { caller, status } = await connecting;
    seen.add(status);
    expect((await ended(callId)).endReason).toBe("api_hangup");
    caller.ws.destroy();
    if (round < 19) await service.close();
  }
  expect(seen).toEqual(new Set([101, 401]));
});

test("C18: a call that cannot be opened after its token was redeemed is `failed`, with a record, and the next one lives", async () => {
  let isBroken = true;
  const { url, create, ended, stores, accountId } = await start({
    voiceActivity: {
      open: (rateHz) => {
        if (isBroken) throw new Error("planted");
        return voiceActivity.open(rateHz);
      },
    },
  });
  const [first, second] = [await create(), await create()];
  const { caller, status } = await RawCaller.connect(`${url}/stream/${first.token}`);
  const close = await caller.ws.readFrame();
  expect([status, close?.opcode, close?.payload.readUInt16BE(0)]).toEqual([101, 0x8, 1_011]);
  expect(await ended(first.callId)).toMatchObject({ status: "failed", endReason: "worker_lost", durationMs: 0 });
  expect(await stores.calls.transcript(accountId, first.callId)).toEqual([]);
  isBroken = false;
  const next = await RawCaller.start(`${url}/stream/${second.token}`);
  next.hangUp();
  expect(await ended(second.callId)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  caller.ws.destroy();
});
