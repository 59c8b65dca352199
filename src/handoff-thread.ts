import { strict as assert } from "node:assert";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { systemAgeClock } from "./core/age-clock.ts";
import { systemClock } from "./core/clock.ts";
import { createLogger } from "./core/log.ts";
import type { FromHandoff, HandoffOptions, ToHandoff } from "./store/handoff-messages.ts";
import { WordsReceiver } from "./store/handoff-words.ts";
import { IpcServer } from "./store/ipc-server.ts";
import { openRedemptions } from "./store/sqlite/stores.ts";

/**
 * Composition root of the handoff thread of the control process: the workers' socket, and the redemption of tokens. A thread, because
 * it must not wait for the loop of the API; not a process, because it lives and dies with the control process, whose lock on the data
 * directory it needs. An error that nobody caught ends the thread, and the control process with it.
 */
const port = parentPort;
assert.ok(port !== null, "this module runs as a thread");
const words = new WordsReceiver(workerData as MessagePort);
const tell = (message: FromHandoff): void => port.postMessage(message);

let server: IpcServer | undefined;
let closeStore = async (): Promise<void> => {};

port.on("message", (message: ToHandoff) => {
  switch (message.kind) {
    case "serve":
      void serve(message.options);
      return;
    case "token-keys":
      server?.setTokenKeys(message.keys);
      return;
    case "acknowledge":
      server?.acknowledge(message.callId);
      return;
    case "end":
      server?.end(message.workerId, message.callId);
      return;
    case "accounts-over":
      server?.accountsOver(message.accounts);
      return;
    case "metrics":
      void answerMetrics(message.id, message.timeoutMs);
      return;
    case "ping":
      tell({ kind: "pong", id: message.id });
      return;
    case "close":
      void close();
      return;
  }
});

async function serve({ dataDir, socketPath, epoch, bootId, tokenKeys, logLevel }: HandoffOptions): Promise<void> {
  const opened = openRedemptions(dataDir, systemClock, systemAgeClock(bootId), words);
  closeStore = opened.close;
  server = new IpcServer({
    path: socketPath,
    clock: systemClock,
    log: createLogger("control", logLevel),
    redemptions: opened.redemptions,
    epoch,
    tokenKeys,
    onRedeemed: (callId, workerId) => tell({ kind: "redeemed", callId, workerId }),
    onReturned: (call) => tell({ kind: "returned", call }),
    onWorker: (workerId, connection, callIds, load) => tell({ kind: "worker", workerId, connection, callIds, load }),
    onLoad: (workerId, { callCount, callsMax, loopLagMs, takesCalls }) =>
      tell({ kind: "load", workerId, load: { callCount, callsMax, loopLagMs, takesCalls } }),
    onSpends: (workerId, spends, all) => tell({ kind: "spends", workerId, spends, all }),
    onForeignWorker: (workerId) => tell({ kind: "foreign-worker", workerId }),
    onWorkerGone: (workerId, connection) => tell({ kind: "worker-gone", workerId, connection }),
    onStreamStarted: (callId, carrierCallId) => tell({ kind: "stream-started", callId, carrierCallId }),
    onEnded: (callId, end) => tell({ kind: "ended", callId, end }),
  });
  await server.listen();
  tell({ kind: "listening" });
}

async function answerMetrics(id: number, timeoutMs: number): Promise<void> {
  const metrics = (await server?.metrics(AbortSignal.timeout(timeoutMs))) ?? new Map();
  tell({ kind: "metrics", id, metrics });
}

async function close(): Promise<void> {
  server?.close();
  await closeStore();
  process.exit(0);
}
