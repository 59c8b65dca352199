import { join } from "node:path";
import { Worker } from "node:worker_threads";
import Libsql from "libsql";
import { expect, onTestFinished, test } from "vitest";
import { systemAgeClock } from "../../../src/core/age-clock.ts";
import { threadModule } from "../../../src/core/child-processes/child-module.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { asCallId, asWorkerId } from "../../../src/core/ids.ts";
import { HANDOFF_SILENT_PINGS_MAX } from "../../../src/core/limits/service/admission.ts";
import { HEARTBEAT_MS } from "../../../src/core/limits/service/processes.ts";
import { HANDOFF_PROTOCOL_VERSION } from "../../../src/store/handoff/messages.ts";
import { HandoffThreadClient } from "../../../src/store/handoff/thread-client.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { createCall, SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { TOKEN_KEY_TEXT } from "../../support/tokens.ts";

const HANDOFF_THREAD = threadModule(import.meta.url, "../../../src/process/handoff-thread");

/** The control process's side: the stores, and the handoff thread. */
async function scene(clock: Clock = systemClock) {
  const dataDir = temporaryDirectory();
  const socketPath = join(dataDir, "control.sock");
  let failed = (_error: Error): void => {};
  const failure = new Promise<Error>((resolve) => {
    failed = resolve;
  });
  const proxy = new HandoffThreadClient({ thread: HANDOFF_THREAD, clock, onFailed: (error) => failed(error) });
  onTestFinished(() => proxy.close());
  const stores = await openSqliteStores(dataDir, systemClock, { unpersisted: proxy.unpersisted });
  onTestFinished(() => stores.close());
  const events: unknown[][] = [];
  const tell =
    (kind: string) =>
    (...what: unknown[]): void =>
      void events.push([kind, ...what]);
  const { bootId } = systemAgeClock();
  const serve = (path = socketPath) =>
    proxy.serve(
      {
        place: { dataDir, databaseUrl: undefined },
        socketPath: path,
        epoch: 4,
        bootId,
        tokenKeys: [TOKEN_KEY_TEXT],
        secretsKeys: SEALING_KEYS.keys,
        encryptMedia: false,
        logLevel: "error",
      },
      {
        onRedeemed: tell("redeemed"),
        onReturned: tell("returned"),
        onWorkerConnected: tell("worker"),
        onLoadReported: () => {},
        onSpendReported: tell("spends"),
        onIncompatibleWorker: tell("foreign"),
        onWorkerDisconnected: tell("gone"),
        onStreamStarted: tell("stream started"),
        onPhoneRequest: tell("phone request"),
        onMedia: tell("media"),
        onEnded: tell("ended"),
      },
    );
  const seen = async (kind: string): Promise<unknown[]> => {
    for (;;) {
      const found = events.find(([name]) => name === kind);
      if (found !== undefined) return found;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const accountId = await stores.accounts.ensure("first");
  return { dataDir, proxy, stores, accountId, socketPath, serve, seen, events, failure };
}

/**
 * A media worker in a separate thread, which says hello, redeems each of the tokens and hangs up. `answers` becomes the
 * number of calls that it got, once all are answered.
 */
const CLIENT = `
const { connect } = require("node:net");
const { workerData } = require("node:worker_threads");
const { path, hashes, answers } = workerData;
const socket = connect(path);
const say = (message) => socket.write(JSON.stringify(message) + "\\n");
say({ kind: "hello", protocol: ${HANDOFF_PROTOCOL_VERSION}, workerId: "worker-1", connection: 1, callIds: [], returned: [],
  load: { callCount: 0, callsMax: 9, loopLagMs: 0, takesCalls: true } });
hashes.forEach((tokenHash, id) => say({ kind: "redeem", id, tokenHash, nonce: "nonce-" + id }));
let [rest, answered, calls] = ["", 0, 0];
socket.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const message of lines.map((line) => JSON.parse(line))) {
    if (message.kind !== "redeemed") continue;
    answered += 1;
    if (message.call?.spec.systemPrompt !== undefined) calls += 1;
  }
  if (answered < hashes.length) return;
  Atomics.store(answers, 0, calls);
  Atomics.notify(answers, 0);
  socket.destroy();
});
`;

test("ADV-M1: redemptions are answered while the control process's event loop is blocked", async () => {
  const { stores, accountId, socketPath, serve, seen } = await scene();
  await serve();
  const calls = [];
  // Every other call has its words only in memory.
  for (let index = 0; index < 20; index += 1) {
    calls.push(await createCall(stores, accountId, { ...SPEC, recordingEnabled: index % 2 === 0 }));
  }
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const hashes = calls.map(({ tokenHash }) => tokenHash);
  const client = new Worker(CLIENT, { eval: true, workerData: { path: socketPath, hashes, answers } });
  onTestFinished(async () => void (await client.terminate()));
  // This event loop is blocked until all are answered.
  Atomics.wait(answers, 0, 0, 20_000);
  expect(Atomics.load(answers, 0)).toBe(calls.length);
  expect(await seen("redeemed")).toEqual(["redeemed", calls[0]?.id, "worker-1", undefined]);
  expect(await seen("gone")).toEqual(["gone", "worker-1", 1]);
  const active = await stores.calls.listActive(asWorkerId("worker-1"));
  expect(active.map(({ id, epoch }) => [id, epoch])).toEqual(calls.map(({ id }) => [id, 4]));
});

test("ADV-M1: a redemption does not wait for a reader in the middle of its list", async () => {
  const { dataDir, stores, accountId, socketPath, serve } = await scene();
  await serve();
  const { tokenHash } = await createCall(stores, accountId);
  const reader = new Libsql(join(dataDir, "trunkline.db"));
  onTestFinished(() => void reader.close());
  reader.exec("BEGIN");
  reader.prepare("SELECT * FROM calls").all();
  const answers = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { path: socketPath, hashes: [tokenHash], answers } });
  onTestFinished(async () => void (await client.terminate()));
  Atomics.wait(answers, 0, 0, 20_000);
  expect(Atomics.load(answers, 0)).toBe(1);
});

/**
 * A media worker in a separate thread, whose connection breaks and which reconnects: `back` becomes 1 when it has been
 * answered.
 */
const RETURNING = `
const { connect } = require("node:net");
const { workerData } = require("node:worker_threads");
const { path, back } = workerData;
const come = (connection, onAnswer) => {
  const socket = connect(path);
  socket.write(JSON.stringify({ kind: "hello", protocol: ${HANDOFF_PROTOCOL_VERSION}, workerId: "worker-1", connection, callIds: [], returned: [], spends: [],
    load: { callCount: 0, callsMax: 9, loopLagMs: 0, takesCalls: true } }) + "\\n");
  socket.on("data", (text) => String(text).includes("token-keys") && onAnswer(socket));
};
come(1, (first) => {
  first.once("close", () => {
    Atomics.wait(back, 1, 1);
    come(2, () => {
      Atomics.store(back, 0, 1);
      Atomics.notify(back, 0);
    });
  });
  Atomics.wait(back, 1, 0);
  first.destroy();
});
`;

test("ADV-M2: a worker that reconnected while the loop was blocked is known to be connected after `caughtUp`", async () => {
  const { proxy, socketPath, serve, seen } = await scene();
  await serve();
  const back = new Int32Array(new SharedArrayBuffer(8));
  const client = new Worker(RETURNING, { eval: true, workerData: { path: socketPath, back } });
  onTestFinished(async () => void (await client.terminate()));
  await seen("worker");
  Atomics.store(back, 1, 1);
  Atomics.notify(back, 1);
  expect(await seen("gone")).toEqual(["gone", "worker-1", 1]);
  expect(proxy.has(asWorkerId("worker-1"))).toBe(false);
  // This event loop is blocked until it has reconnected and been answered.
  Atomics.store(back, 1, 2);
  Atomics.notify(back, 1);
  Atomics.wait(back, 0, 0, 20_000);
  expect(proxy.has(asWorkerId("worker-1"))).toBe(false);
  await proxy.caughtUp();
  expect(proxy.has(asWorkerId("worker-1"))).toBe(true);
});

test("ADV-M1: the death of the handoff thread is reported to the control process, once", async () => {
  const { serve, failure } = await scene();
  // This folder does not exist, and cannot be created.
  void serve("/dev/null/control.sock");
  expect((await failure).message).toMatch(/ENOTDIR|EEXIST|not a directory/);
});

test("ADV-M1: a handoff thread that does not answer pings is reported to the control process, and one that answers is not", async () => {
  const clock = new ManualClock();
  const { proxy, serve, failure } = await scene(clock);
  let reason = "";
  void failure.then(({ message }) => {
    reason = message;
  });
  await serve();
  for (let times = 0; times < 3; times += 1) {
    clock.advance(HANDOFF_SILENT_PINGS_MAX * HEARTBEAT_MS);
    // Its answer follows those to the pings.
    await proxy.metrics(1);
    expect(reason).toBe("");
  }
  // Nothing is received from the thread meanwhile.
  clock.advance((HANDOFF_SILENT_PINGS_MAX + 1) * HEARTBEAT_MS);
  expect((await failure).message).toBe("the handoff thread does not answer pings");
  expect(clock.pending).toBe(0);
});

test("ADV-M5: new token keys reach the workers through the thread", async () => {
  const { proxy, socketPath, serve } = await scene();
  await serve();
  const worker = handoffClient(socketPath);
  onTestFinished(() => worker.close());
  await worker.firstAttempt;
  const other = Buffer.alloc(32, 9).toString("base64url");
  proxy.setTokenKeys([other, TOKEN_KEY_TEXT]);
  while (worker.tokenKeys.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(worker.tokenKeys.map((key) => Buffer.from(key).toString("base64url"))).toEqual([other, TOKEN_KEY_TEXT]);
});

test("what is said about a telephone call passes through the thread, in both directions", async () => {
  const { proxy, socketPath, serve, seen } = await scene();
  await serve();
  const [workerId, callId] = [asWorkerId("worker-1"), asCallId("call_1")];
  const heard: unknown[] = [];
  const worker = handoffClient(socketPath, {
    workerId,
    onEndRequested: (...end) => heard.push(end),
    onPhoneUpdate: (...update) => heard.push(update) > 0,
    resumeAddress: (id) => (id === callId ? "wss://media.example.com/stream/r_1" : undefined),
    mediaStates: () => [{ callId, state: "attached" }],
  });
  onTestFinished(() => worker.close());
  expect(await seen("media")).toEqual(["media", workerId, { callId, state: "attached" }]);
  worker.phoneRequested(callId, { kind: "hang_up" });
  expect(await seen("phone request")).toEqual(["phone request", callId, workerId, { kind: "hang_up" }]);
  await seen("worker");
  expect(await proxy.phoneUpdate(workerId, callId, { kind: "transferring", target: "+43", returnMsMax: 1 })).toBe(true);
  expect(
    await proxy.phoneUpdate(asWorkerId("another"), callId, { kind: "transferring", target: "+43", returnMsMax: 1 }),
  ).toBe(false);
  expect(await proxy.resumeAddress(workerId, callId)).toBe("wss://media.example.com/stream/r_1");
  expect(await proxy.resumeAddress(workerId, asCallId("call_2"))).toBeUndefined();
  expect(proxy.endCall(workerId, callId, "transferred")).toBe(true);
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual([
    [callId, { kind: "transferring", target: "+43", returnMsMax: 1 }],
    [callId, "transferred"],
  ]);
});
