import { strict as assert } from "node:assert";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { isStreamOfAccount } from "../carriers/authentication.ts";
import { systemAgeClock } from "../core/age-clock.ts";
import { systemClock } from "../core/clock.ts";
import { createLogger } from "../core/log/logger.ts";
import { HandoffServer } from "../store/handoff/control-server.ts";
import type { FromHandoffThread, HandoffThreadOptions, ToHandoffThread } from "../store/handoff/thread-messages.ts";
import { PromptsReceiver } from "../store/handoff/unpersisted-prompts.ts";
import { openRedemptions } from "../store/open-stores.ts";
import { Keyring } from "../store/sealing/seal.ts";

/**
 * Composition root of the handoff thread of the control process: the workers' socket and the redemption of stream tokens. It is a
 * thread because it must not wait for the event loop of the API. It is not a process because it relies on the control process's
 * lock on the data directory and must end with it. An uncaught error ends the thread, and with it the control process.
 */
const port = parentPort;
assert.ok(port !== null, "this module runs as a thread");
const promptsReceiver = new PromptsReceiver(workerData as MessagePort);
const send = (message: FromHandoffThread): void => port.postMessage(message);

let server: HandoffServer | undefined;
let closeStore = async (): Promise<void> => {};

port.on("message", (message: ToHandoffThread) => {
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
    case "end-call":
      server?.endCall(message.workerId, message.callId, message.reason);
      return;
    case "phone-update":
      void updatePhone(message);
      return;
    case "live-request":
      void requestLive(message);
      return;
    case "resume-address":
      void answerAddress(message);
      return;
    case "listen-address":
      void answerListening(message);
      return;
    case "watch-activity":
      server?.watchActivity(message.isOn);
      return;
    case "accounts-over-limit":
      server?.sendAccountsOverLimit(message.accounts);
      return;
    case "relay-nodes":
      server?.sendRelayNodes(message.nodes);
      return;
    case "metrics":
      void answerMetrics(message.id, message.timeoutMs);
      return;
    case "ping":
      send({ kind: "pong", id: message.id });
      return;
    case "close":
      void close();
      return;
  }
});

async function serve(options: HandoffThreadOptions): Promise<void> {
  const { place, socketPath, epoch, holder, bootId, tokenKeys, encryptMedia, logLevel } = options;
  const secretsKeys = new Keyring(options.secretsKeys);
  const keys = {
    secretsKeys,
    ...(encryptMedia && { mediaSealing: secretsKeys }),
    isAuthenticStream: isStreamOfAccount,
    ...(holder !== undefined && { holderOf: () => holder }),
  };
  const opened = await openRedemptions(place, systemClock, systemAgeClock(bootId), promptsReceiver, keys);
  closeStore = opened.close;
  server = new HandoffServer({
    path: socketPath,
    clock: systemClock,
    log: createLogger("control", logLevel),
    redemptions: opened.redemptions,
    epoch,
    tokenKeys,
    onRedeemed: (callId, workerId, mediaKey) => send({ kind: "redeemed", callId, workerId, mediaKey }),
    onReturned: (call) => send({ kind: "returned", call }),
    onWorkerConnected: (workerId, connection, callIds, load) =>
      send({ kind: "worker-connected", workerId, connection, callIds, load }),
    onLoadReported: (workerId, { role, callCount, callsMax, loopLagMs, acceptsCalls }) =>
      send({
        kind: "load-reported",
        workerId,
        load: { ...(role !== undefined && { role }), callCount, callsMax, loopLagMs, acceptsCalls },
      }),
    onSpendReported: (workerId, spends, all) => send({ kind: "spend-reported", workerId, spends, all }),
    onIncompatibleWorker: (workerId) => send({ kind: "incompatible-worker", workerId }),
    onWorkerDisconnected: (workerId, connection) => send({ kind: "worker-disconnected", workerId, connection }),
    onStreamStarted: (callId, carrierCallId) => send({ kind: "stream-started", callId, carrierCallId }),
    onPhoneRequest: (callId, workerId, request) => send({ kind: "phone-request", callId, workerId, request }),
    onMedia: (workerId, report) => send({ kind: "media", workerId, report }),
    onHold: (workerId, report) => send({ kind: "hold", workerId, report }),
    onActivity: (calls) => send({ kind: "activity", calls }),
    onEnded: (callId, end) => send({ kind: "ended", callId, end }),
  });
  await server.listen();
  send({ kind: "listening" });
}

async function updatePhone({
  id,
  workerId,
  callId,
  update,
}: Extract<ToHandoffThread, { kind: "phone-update" }>): Promise<void> {
  const isTaken = (await server?.phoneUpdate(workerId, callId, update)) ?? false;
  send({ kind: "phone-updated", id, isTaken });
}

async function requestLive({
  id,
  workerId,
  callId,
  request,
}: Extract<ToHandoffThread, { kind: "live-request" }>): Promise<void> {
  const outcome = await server?.requestLive(workerId, callId, request);
  send({ kind: "live-outcome", id, outcome });
}

async function answerAddress({
  id,
  workerId,
  callId,
  connect,
}: Extract<ToHandoffThread, { kind: "resume-address" }>): Promise<void> {
  const url = await server?.resumeAddress(workerId, callId, connect);
  send({ kind: "resume-address", id, url });
}

async function answerListening({
  id,
  workerId,
  callId,
}: Extract<ToHandoffThread, { kind: "listen-address" }>): Promise<void> {
  const answer = await server?.listenAddress(workerId, callId);
  send({ kind: "listen-address", id, answer });
}

async function answerMetrics(id: number, timeoutMs: number): Promise<void> {
  const metrics = (await server?.metrics(AbortSignal.timeout(timeoutMs))) ?? new Map();
  send({ kind: "metrics", id, metrics });
}

async function close(): Promise<void> {
  server?.close();
  await closeStore();
  process.exit(0);
}
