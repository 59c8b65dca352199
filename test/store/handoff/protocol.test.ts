import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { TOKEN_KEYS_MS_MAX } from "../../../src/core/limits/service/admission.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { HANDOFF_PROTOCOL_VERSION } from "../../../src/store/handoff/messages.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { TOKEN_KEY_TEXT } from "../../support/tokens.ts";

const LOAD = { callCount: 1, callsMax: 9, loopLagMs: 0, acceptsCalls: true };

/** The hello of the version before the protocol had a number. */
const OLD_HELLO = { kind: "hello", workerId: "old", callIds: ["call_1"], load: LOAD };

test("ADV-M2: a worker of an older version is refused with one log line that says what to do, and no process ends", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const { log, lines } = memoryLog();
  const events: string[] = [];
  const server = new HandoffServer(
    handoffServer(path, {
      log,
      onWorkerConnected: (workerId) => events.push(`worker ${workerId}`),
      onIncompatibleWorker: (workerId) => events.push(`incompatible ${workerId}`),
      onWorkerDisconnected: (workerId) => events.push(`gone ${workerId}`),
      onEnded: (callId) => events.push(`ended ${callId}`),
    }),
  );
  await server.listen();
  onTestFinished(() => server.close());
  for (let time = 0; time < 3; time += 1) {
    const worker = connect(path);
    const ended = { kind: "ended", callId: "call_1" };
    for (const message of [OLD_HELLO, ended]) worker.write(`${JSON.stringify(message)}\n`);
    worker.on("error", () => {}).resume();
    await once(worker, "close");
  }
  expect(events).toEqual(["incompatible old"]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("restart the service");
  expect(server.workerCount).toBe(0);
});

/** The greeting of a control process that closes the connection at once. */
const CLOSES = "closes";

/** A worker that meets a control process that sends `greeting` on each connection, or nothing. */
async function workerBefore(greeting: () => string | undefined, clock = new ManualClock()) {
  const path = join(temporaryDirectory(), "control.sock");
  const sockets: Socket[] = [];
  const control = createServer((socket) => {
    sockets.push(socket.on("error", () => {}).resume());
    const text = greeting();
    if (text === CLOSES) socket.destroy();
    else if (text !== undefined) socket.write(text);
  });
  control.listen(path);
  await once(control, "listening");
  onTestFinished(() => void control.close());
  let incompatible = 0;
  const worker = handoffClient(path, {
    load: () => LOAD,
    onIncompatibleControl: () => {
      incompatible += 1;
    },
    clock,
  });
  onTestFinished(() => worker.close());
  return { worker, clock, sockets, incompatible: () => incompatible };
}

const KEYS = `${JSON.stringify({ kind: "token-keys", keys: [TOKEN_KEY_TEXT] })}\n`;
const welcome = (protocol: number): string => `${JSON.stringify({ kind: "welcome", protocol })}\n`;

for (const [name, greeting] of [
  ["another number", welcome(HANDOFF_PROTOCOL_VERSION + 1) + KEYS],
  ["no number", KEYS],
] as const) {
  test(`ADV-M2: a worker that meets a control process with ${name} accepts no token keys from it, and reports it once`, async () => {
    let said: string = greeting;
    const { worker, clock, sockets, incompatible } = await workerBefore(() => said);
    await worker.firstAttempt;
    expect([worker.isIncompatible, worker.tokenKeys, incompatible()]).toEqual([true, [], 1]);
    while (sockets.length < 3) await clock.play(1_000);
    expect(incompatible()).toBe(1);
    // The service has been restarted.
    said = welcome(HANDOFF_PROTOCOL_VERSION) + KEYS;
    while (worker.tokenKeys.length === 0) await clock.play(1_000);
    expect([worker.isIncompatible, incompatible()]).toEqual([false, 1]);
  });
}

test("ADV-M2: a worker that meets a control process that sends nothing does not wait forever", async () => {
  const { worker, clock, sockets } = await workerBefore(() => undefined);
  while (sockets.length === 0) await settled();
  await clock.drive(worker.firstAttempt, 1_000);
  expect([worker.isIncompatible, worker.tokenKeys]).toEqual([true, []]);
});

test("ADV-M2: a control process and a worker of the same version work together", async () => {
  const { worker, incompatible } = await workerBefore(() => welcome(HANDOFF_PROTOCOL_VERSION) + KEYS);
  await worker.firstAttempt;
  expect([worker.isIncompatible, worker.tokenKeys.length, incompatible()]).toEqual([false, 1, 0]);
});

test("a worker whose first connection breaks is not ready to listen before another one has brought the token keys", async () => {
  let said = CLOSES;
  const { worker, clock, sockets } = await workerBefore(() => said);
  let isOver = false;
  void worker.firstAttempt.then(() => {
    isOver = true;
  });
  while (sockets.length < 3) await clock.play(100);
  expect([isOver, worker.tokenKeys.length]).toEqual([false, 0]);
  said = welcome(HANDOFF_PROTOCOL_VERSION) + KEYS;
  await clock.drive(worker.firstAttempt, 100);
  expect(worker.tokenKeys).toHaveLength(1);
});

test("a worker that finds no control process stops waiting for token keys, and listens without", async () => {
  const clock = new ManualClock();
  const worker = handoffClient(join(temporaryDirectory(), "missing.sock"), { clock });
  onTestFinished(() => worker.close());
  await clock.drive(worker.firstAttempt, 1_000);
  expect([worker.isIncompatible, worker.tokenKeys]).toEqual([false, []]);
  expect(millisecondsOf(clock.nowMs())).toBe(TOKEN_KEYS_MS_MAX);
});
