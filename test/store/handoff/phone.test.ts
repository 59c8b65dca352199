import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PhoneUpdate } from "../../../src/core/calls/phone-requests.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import { asCallId, asWorkerId, type WorkerId } from "../../../src/core/ids.ts";
import {
  REDEEM_MS_MAX,
  WORKER_ANSWER_MS_MAX,
  WORKER_CONNECT_MS_MAX,
} from "../../../src/core/limits/service/admission.ts";
import { HandoffServer, type HandoffServerOptions } from "../../../src/store/handoff/control-server.ts";
import { HANDOFF_PROTOCOL_VERSION } from "../../../src/store/handoff/messages.ts";
import type { HandoffClient, HandoffClientOptions } from "../../../src/store/handoff/worker-client.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer, NO_REDEMPTIONS } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const WORKER = asWorkerId("worker-1");
const LISTEN = { kind: "address", url: "wss://media.example.com/stream/l_1", validMs: 60_000 } as const;
const SILENT = asWorkerId("worker-2");
const CALL = asCallId("call_1");
const FAILED: PhoneUpdate = { kind: "transfer-failed", target: "+4312345", outcome: "busy" };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Both ends of the handoff, connected, with a clock for each. */
async function scene(server: Partial<HandoffServerOptions> = {}, client: Partial<HandoffClientOptions> = {}) {
  const path = join(temporaryDirectory(), "control.sock");
  const clock = new ManualClock();
  const control = new HandoffServer(handoffServer(path, { clock, ...server }));
  await control.listen();
  onTestFinished(() => control.close());
  const worker: HandoffClient = handoffClient(path, client);
  onTestFinished(() => worker.close());
  while (!control.has(WORKER)) await turn();
  return { path, clock, control, worker };
}

test("what an agent wants, and the state of its stream, reach the control process with the worker's id", async () => {
  const events: unknown[] = [];
  const { worker } = await scene({
    onPhoneRequest: (...request) => events.push(request),
    onMedia: (...report) => events.push(report),
  });
  expect(worker.phoneRequested(CALL, { kind: "transfer", target: "sip:desk@example.com" })).toBe(true);
  worker.mediaChanged({ callId: CALL, state: "lost" });
  while (events.length < 2) await turn();
  expect(events).toEqual([
    [CALL, WORKER, { kind: "transfer", target: "sip:desk@example.com" }],
    [WORKER, { callId: CALL, state: "lost" }],
  ]);
});

test("a worker reports the streams of its telephone calls at each connection", async () => {
  const reports: unknown[] = [];
  let connections = 0;
  const { path, control } = await scene(
    { onMedia: (_, report) => reports.push(report) },
    { mediaStates: () => [{ callId: CALL, state: connections++ === 0 ? "attached" : "lost" }] },
  );
  while (reports.length < 1) await turn();
  control.close();
  const next = new HandoffServer(handoffServer(path, { onMedia: (_, report) => reports.push(report) }));
  await next.listen();
  onTestFinished(() => next.close());
  while (reports.length < 2) await turn();
  expect(reports).toEqual([
    { callId: CALL, state: "attached" },
    { callId: CALL, state: "lost" },
  ]);
});

test("a worker reports holds when they begin and end, and those of its calls at each connection", async () => {
  const reports: unknown[] = [];
  const sinceMs = epochMs(1_000);
  const onHold = (...report: unknown[]): unknown => reports.push(report);
  const { path, control, worker } = await scene({ onHold }, { holds: () => [{ callId: CALL, sinceMs }] });
  worker.holdChanged({ callId: CALL });
  while (reports.length < 2) await turn();
  control.close();
  const next = new HandoffServer(handoffServer(path, { onHold }));
  await next.listen();
  onTestFinished(() => next.close());
  while (reports.length < 3) await turn();
  const held = [WORKER, { callId: CALL, sinceMs }];
  expect(reports).toEqual([held, [WORKER, { callId: CALL, sinceMs: undefined }], held]);
});

test("a request is not passed on while the control process is not connected", async () => {
  const worker = handoffClient(join(temporaryDirectory(), "nowhere.sock"));
  onTestFinished(() => worker.close());
  expect(worker.phoneRequested(CALL, { kind: "send_dtmf", digits: "1" })).toBe(false);
});

test("a worker answers what became of a request to a live call", async () => {
  const requests: unknown[] = [];
  const { control } = await scene(
    {},
    {
      onLiveRequest: (...request) => {
        requests.push(request);
        return request[1].kind === "hold" ? "done" : "not_on_hold";
      },
    },
  );
  expect(await control.requestLive(WORKER, CALL, { kind: "hold", msMax: 5_000 })).toBe("done");
  expect(await control.requestLive(WORKER, CALL, { kind: "resume" })).toBe("not_on_hold");
  expect(requests).toEqual([
    [CALL, { kind: "hold", msMax: 5_000 }],
    [CALL, { kind: "resume" }],
  ]);
});

test("a worker answers whether it has the call of an update, and with its address", async () => {
  const updates: unknown[] = [];
  const { control } = await scene(
    {},
    {
      onPhoneUpdate: (callId, update) => updates.push([callId, update]) > 0 && callId === CALL,
      resumeAddress: (callId) => (callId === CALL ? "wss://media.example.com/stream/r_1" : undefined),
      listenAddress: (callId) => (callId === CALL ? LISTEN : { kind: "refused", reason: "not_live" }),
    },
  );
  const other = asCallId("call_2");
  const answers = [CALL, other].map((callId) => control.phoneUpdate(WORKER, callId, FAILED));
  expect(await Promise.all(answers)).toEqual([true, false]);
  expect(updates).toEqual([
    [CALL, FAILED],
    [other, FAILED],
  ]);
  const addresses = [CALL, other].map((callId) => control.resumeAddress(WORKER, callId));
  expect(await Promise.all(addresses)).toEqual(["wss://media.example.com/stream/r_1", undefined]);
  const listening = [CALL, other].map((callId) => control.listenAddress(WORKER, callId));
  expect(await Promise.all(listening)).toEqual([LISTEN, { kind: "refused", reason: "not_live" }]);
});

/** A worker that says hello and answers nothing. */
async function silentWorker(path: string): Promise<Socket> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  const load = { callCount: 0, callsMax: 9, loopLagMs: 0, acceptsCalls: true };
  const hello = { kind: "hello", protocol: HANDOFF_PROTOCOL_VERSION, workerId: SILENT, connection: 1, callIds: [CALL] };
  socket.write(`${JSON.stringify({ ...hello, load, spends: [], returned: [] })}\n`);
  return socket;
}

test("no answer is awaited from a worker that is not connected, is lost, or is silent for WORKER_ANSWER_MS_MAX", async () => {
  const { path, control, clock } = await scene();
  const ask = (workerId: WorkerId) =>
    Promise.all([
      control.phoneUpdate(workerId, CALL, FAILED),
      control.resumeAddress(workerId, CALL),
      control.listenAddress(workerId, CALL),
      control.requestLive(workerId, CALL, { kind: "resume" }),
    ]);
  const missing = ask(SILENT);
  await clock.play(WORKER_CONNECT_MS_MAX);
  expect(await missing).toEqual([false, undefined, undefined, undefined]);
  const socket = await silentWorker(path);
  while (!control.has(SILENT)) await turn();
  const silent = ask(SILENT);
  await clock.play(WORKER_ANSWER_MS_MAX);
  expect(await silent).toEqual([false, undefined, undefined, undefined]);
  const lost = ask(SILENT);
  socket.destroy();
  expect(await lost).toEqual([false, undefined, undefined, undefined]);
});

test("what concerns a call whose worker connects again soon waits for that", async () => {
  const { path, control, clock } = await scene();
  const update = control.phoneUpdate(SILENT, CALL, FAILED);
  const socket = await silentWorker(path);
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes;
  });
  while (!control.has(SILENT)) await turn();
  await clock.play(WORKER_CONNECT_MS_MAX / 2);
  while (!received.includes("phone-update")) await turn();
  await clock.play(WORKER_ANSWER_MS_MAX);
  expect(await update).toBe(false);
});

test("a worker learns whether a further stream is its call's, and waits no longer than for a redemption", async () => {
  const proof = { url: "wss://media.example.com/stream/r_1", headers: { "x-signature": "right" } };
  let isLost = false;
  const clock = new ManualClock();
  const { worker, control } = await scene(
    {
      redemptions: {
        ...NO_REDEMPTIONS,
        async isStreamOf(callId, { headers }) {
          if (isLost) throw new Error("the store is lost");
          return callId === CALL && headers["x-signature"] === "right";
        },
      },
    },
    { clock },
  );
  expect(await worker.isStreamOf(CALL, proof)).toBe(true);
  expect(await worker.isStreamOf(CALL, { ...proof, headers: {} })).toBe(false);
  isLost = true;
  await expect(worker.isStreamOf(CALL, proof)).rejects.toThrow("could not check");
  const late = worker.isStreamOf(CALL, proof);
  clock.advance(REDEEM_MS_MAX);
  await expect(late).rejects.toThrow("could not check");
  const lost = worker.isStreamOf(CALL, proof);
  control.close();
  await expect(lost).rejects.toThrow("could not check");
  while (control.has(WORKER)) await turn();
  await expect(worker.isStreamOf(CALL, proof)).rejects.toThrow("not connected");
});
