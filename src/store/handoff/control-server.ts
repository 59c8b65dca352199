import { once } from "node:events";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { AccountOverLimit, AccountSpend } from "../../core/billing/spend.ts";
import type { CallActivity } from "../../core/calls/activity.ts";
import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import { asWorkerId, type CallId, type CarrierCallId, type WorkerId } from "../../core/ids.ts";
import { KeyedQueue } from "../../core/keyed-queue.ts";
import { WORKER_CONNECT_MS_MAX } from "../../core/limits/service/admission.ts";
import { COMMITS_COMPARED_MS } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { RelayNode } from "../../core/network/node-tags.ts";
import type { EndSummary, HoldReport, MediaReport } from "../call-handoff.ts";
import type { Redeemer, Redemptions, ReturnedCall } from "../redemptions.ts";
import {
  type ControlMessage,
  HANDOFF_PROTOCOL_VERSION,
  LineParser,
  toLine,
  type UnconfirmedRedemption,
  type WorkerLoad,
  type WorkerMessage,
} from "./messages.ts";
import { clearSocketFolder, withShortPath } from "./socket-path.ts";
import { WorkerAnswers } from "./worker-answers.ts";

/** How often the server checks that its socket exists. */
const SOCKET_CHECK_MS = 1_000;
const SOCKET_MODE = 0o600;
const WORKER_CONNECT_CHECK_MS = 50;

export interface HandoffServerOptions {
  /** The path of the Unix socket, from `newSocketPath`: its folder is created, and other sockets in it are removed. */
  path: string;
  clock: Clock;
  log: Logger;
  redemptions: Redemptions;
  /** The number of this start of the control process. */
  epoch: number;
  /** The keys that sign tokens, base64url; `setTokenKeys` replaces them. */
  tokenKeys: readonly string[];
  /** A token was redeemed; called before the worker gets the answer. `mediaKey` is that of `RedeemedCall`. */
  onRedeemed(callId: CallId, workerId: WorkerId, mediaKey?: string): void;
  /** A redemption was returned: the call waits for its stream again. */
  onReturned(call: ReturnedCall): void;
  /** A worker connected or reconnected, over its connection of this number, with these live calls. */
  onWorkerConnected(workerId: WorkerId, connection: number, callIds: readonly CallId[], load: WorkerLoad): void;
  /** A worker reports its load, every LOAD_REPORT_MS. */
  onLoadReported(workerId: WorkerId, load: WorkerLoad): void;
  /** A worker reports the spend of accounts: of `all` when it connects, or of those whose spend has changed. */
  onSpendReported(workerId: WorkerId, spends: readonly AccountSpend[], all: boolean): void;
  /** A worker of another version tried to connect; called once for each. It is alive, and so may its calls be. */
  onIncompatibleWorker(workerId: WorkerId): void;
  /** The connection of this number is lost, and most likely the worker's process with all its calls. */
  onWorkerDisconnected(workerId: WorkerId, connection: number): void;
  /** The call's stream has started, and its carrier has given it this id. */
  onStreamStarted(callId: CallId, carrierCallId: CarrierCallId): void;
  /** The agent of a telephone call wants something of the telephone network. */
  onPhoneRequest(callId: CallId, workerId: WorkerId, request: PhoneRequest): void;
  /**
   * A telephone call has a media stream from now on, or has lost it. Repeated for all calls of a worker when it connects, also to a
   * control process that has known them before. The end of a call is reported by `onEnded` alone.
   */
  onMedia(workerId: WorkerId, report: MediaReport): void;
  /** A caller is on hold from now on, or no longer. Repeated for all who are on hold when a worker connects. */
  onHold(workerId: WorkerId, report: HoldReport): void;
  /** What calls do; only after `watchActivity`. */
  onActivity(calls: readonly CallActivity[]): void;
  /**
   * The call is over and its journal complete or failed; call `acknowledge` when its end is safely recorded. `end` is
   * absent for a call that never began.
   */
  onEnded(callId: CallId, end?: EndSummary): void;
}

/** A worker's connection after its hello. */
interface WorkerConnection extends Pick<Redeemer, "workerId" | "connection"> {
  socket: Socket;
}

/** The control process's end of the handoff. */
export class HandoffServer {
  readonly #options: HandoffServerOptions;
  #tokenKeys: readonly string[];
  #server: Server | undefined;
  #cancelSocketCheck = (): void => {};
  /** The socket's file is missing and could not be recreated. */
  #isSocketMissing = false;
  readonly #workers = new Map<WorkerId, Socket>();
  /** The accounts over a limit that the workers were last sent. */
  #accountsOverLimit: readonly AccountOverLimit[] = [];
  /** The nodes that the workers were last sent. */
  #relayNodes: readonly RelayNode[] = [];
  /** Redemptions in progress, by nonce. Each worker limits its own: REDEMPTIONS_MAX. */
  readonly #redeeming = new Map<string, Promise<void>>();
  /** By the hashes of tokens. */
  readonly #turns = new KeyedQueue<string>();
  /** What was redeemed here of late and not returned, by the hashes of the tokens, in the order of the times. */
  readonly #redeemed = new Map<string, { nonce: string; atMs: MonotonicMs }>();
  /** Workers of other versions, which keep reconnecting. */
  readonly #incompatibleWorkers = new Set<WorkerId>();
  /**
   * Pending requests for the metrics of each worker. A worker that owes them is not asked again, so nothing accumulates
   * for one that hangs.
   */
  readonly #pendingMetrics = new Map<Socket, Set<(metrics: ProcessMetrics | undefined) => void>>();
  readonly #answers: WorkerAnswers;
  /** The workers report what their calls do. */
  #isWatching = false;

  constructor(options: HandoffServerOptions) {
    this.#options = options;
    this.#answers = new WorkerAnswers(options.clock);
    this.#tokenKeys = options.tokenKeys;
  }

  /** Sends the workers new token keys, base64url. */
  setTokenKeys(keys: readonly string[]): void {
    this.#tokenKeys = keys;
    for (const socket of this.#workers.values()) send(socket, { kind: "token-keys", keys });
  }

  get workerCount(): number {
    return this.#workers.size;
  }

  has(workerId: WorkerId): boolean {
    return this.#workers.has(workerId);
  }

  /**
   * Listens, and listens again whenever the socket's file is missing, for example because its folder was deleted: open
   * connections survive that, but new ones would fail. Rejects with the system's error.
   */
  async listen(): Promise<void> {
    await this.#bind();
    this.#checkSocketRepeatedly();
  }

  async #bind(): Promise<void> {
    const { path } = this.#options;
    clearSocketFolder(path);
    const server = createServer((socket) => this.#onConnection(socket));
    this.#server = server;
    const listening = once(server, "listening");
    withShortPath(path, (shortPath) => server.listen(shortPath));
    await listening;
    // For example, the process is out of file descriptors. The worker reconnects; without a listener the error would
    // end the process.
    server.on("error", (error) => {
      this.#options.log.error({ path, err: error, code: codeOf(error) }, "worker connection could not be accepted");
    });
    chmodSync(path, SOCKET_MODE);
  }

  #checkSocketRepeatedly(): void {
    this.#cancelSocketCheck = this.#options.clock.after(SOCKET_CHECK_MS, () => {
      if (!existsSync(this.#options.path)) void this.#bindAgain();
      this.#checkSocketRepeatedly();
    });
  }

  async #bindAgain(): Promise<void> {
    const { log, path } = this.#options;
    this.#server?.close();
    try {
      await this.#bind();
      this.#isSocketMissing = false;
      log.warn({ path }, "worker socket was missing and has been recreated");
    } catch (error) {
      // Logged once, not at each attempt.
      if (!this.#isSocketMissing) log.error({ path, err: error, code: codeOf(error) }, "worker socket is missing");
      this.#isSocketMissing = true;
    }
  }

  /** Informs the worker that carried the call that its end is recorded. */
  acknowledge(callId: CallId): void {
    // That worker may have been replaced, so all workers are informed; they ignore unknown calls.
    for (const socket of this.#workers.values()) send(socket, { kind: "ended-acknowledged", callId });
  }

  /** Requests a worker to end one of its calls for this reason; false when the worker is not connected. */
  endCall(workerId: WorkerId, callId: CallId, reason: EndReason): boolean {
    const socket = this.#workers.get(workerId);
    if (socket === undefined) return false;
    send(socket, { kind: "end-call", callId, reason });
    return true;
  }

  /**
   * Informs a worker of what the telephone network does about one of its calls. Resolves to true when the call acts by it; false where
   * the worker does not connect within WORKER_CONNECT_MS_MAX, has no such call, or does not answer within WORKER_ANSWER_MS_MAX.
   */
  async phoneUpdate(workerId: WorkerId, callId: CallId, update: PhoneUpdate): Promise<boolean> {
    const socket = await this.#connected(workerId);
    if (socket === undefined) return false;
    const answer = await this.#answers.ask(socket, (id) => send(socket, { kind: "phone-update", id, callId, update }));
    return answer?.kind === "phone-updated" && answer.isTaken;
  }

  /**
   * Asks a worker something of one of its live calls. Resolves to undefined where the worker is not connected, or does not answer
   * within WORKER_ANSWER_MS_MAX.
   */
  async requestLive(workerId: WorkerId, callId: CallId, request: LiveRequest): Promise<LiveOutcome | undefined> {
    const socket = this.#workers.get(workerId);
    if (socket === undefined) return undefined;
    const answer = await this.#answers.ask(socket, (id) => send(socket, { kind: "live-request", id, callId, request }));
    return answer?.kind === "live-outcome" ? answer.outcome : undefined;
  }

  /**
   * A single-use address at which the carrier connects the next stream of a telephone call: a secret. Undefined where the worker does
   * not connect within WORKER_CONNECT_MS_MAX, has no such call, or does not answer within WORKER_ANSWER_MS_MAX.
   */
  async resumeAddress(workerId: WorkerId, callId: CallId, connect?: number): Promise<string | undefined> {
    const socket = await this.#connected(workerId);
    if (socket === undefined) return undefined;
    const answer = await this.#answers.ask(socket, (id) =>
      send(socket, { kind: "resume-address", id, callId, connect }),
    );
    return answer?.kind === "resume-address" ? (answer.url ?? undefined) : undefined;
  }

  /**
   * A single-use address at which a client listens to a call: a secret. Undefined where the worker is not connected, or does not answer
   * within WORKER_ANSWER_MS_MAX.
   */
  async listenAddress(workerId: WorkerId, callId: CallId): Promise<ListenAnswer | undefined> {
    const socket = this.#workers.get(workerId);
    if (socket === undefined) return undefined;
    const answer = await this.#answers.ask(socket, (id) => send(socket, { kind: "listen-address", id, callId }));
    return answer?.kind === "listen-address" ? answer.answer : undefined;
  }

  /** The socket of a worker, which connects again soon after this process has started. Undefined where it does not. */
  async #connected(workerId: WorkerId): Promise<Socket | undefined> {
    for (let waitedMs = 0; waitedMs < WORKER_CONNECT_MS_MAX; waitedMs += WORKER_CONNECT_CHECK_MS) {
      const socket = this.#workers.get(workerId);
      if (socket !== undefined) return socket;
      await new Promise<void>((resolve) => {
        this.#options.clock.after(WORKER_CONNECT_CHECK_MS, resolve);
      });
    }
    return this.#workers.get(workerId);
  }

  /** With `isOn` the workers report what all of their calls do, and then what changes: again, where they did so before. */
  watchActivity(isOn: boolean): void {
    this.#isWatching = isOn;
    for (const socket of this.#workers.values()) send(socket, { kind: "watch-activity", isOn });
  }

  /** Sends the workers the accounts that have reached a limit, if these changed. */
  sendAccountsOverLimit(accounts: readonly AccountOverLimit[]): void {
    if (isDeepStrictEqual(accounts, this.#accountsOverLimit)) return;
    this.#accountsOverLimit = accounts;
    for (const socket of this.#workers.values()) send(socket, { kind: "accounts-over-limit", accounts });
  }

  /** Sends the workers the nodes to which streams can be relayed, if these changed. */
  sendRelayNodes(nodes: readonly RelayNode[]): void {
    if (isDeepStrictEqual(nodes, this.#relayNodes)) return;
    this.#relayNodes = nodes;
    for (const socket of this.#workers.values()) send(socket, { kind: "relay-nodes", nodes });
  }

  /**
   * The metrics of every worker that is still connected at the end, also of draining ones: undefined for a worker that
   * could not read them, or had not answered when `signal` aborted.
   */
  async metrics(signal: AbortSignal): Promise<ReadonlyMap<WorkerId, ProcessMetrics | undefined>> {
    const request = async ([workerId, worker]: [WorkerId, Socket]) =>
      [workerId, await this.#metricsOf(worker, signal)] as const;
    const answers = await Promise.all([...this.#workers].map(request));
    return new Map(answers.filter(([workerId]) => this.#workers.has(workerId)));
  }

  #metricsOf(worker: Socket, signal: AbortSignal): Promise<ProcessMetrics | undefined> {
    const waiting = this.#pendingMetrics.get(worker) ?? new Set();
    if (!this.#pendingMetrics.has(worker)) {
      this.#pendingMetrics.set(worker, waiting);
      send(worker, { kind: "metrics" });
    }
    return new Promise((resolve) => {
      waiting.add(resolve);
      const onAbort = (): void => {
        waiting.delete(resolve);
        resolve(undefined);
      };
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  close(): void {
    this.#cancelSocketCheck();
    this.#server?.close();
    rmSync(this.#options.path, { force: true });
    for (const socket of this.#workers.values()) socket.destroy();
  }

  #onConnection(socket: Socket): void {
    const parser = new LineParser<WorkerMessage>();
    let peer: WorkerConnection = { socket, workerId: asWorkerId(""), connection: 0 };
    /** Nothing is redeemed over a connection before its hello has been processed. */
    let welcomed = Promise.resolve();
    let isIncompatible = false;
    socket.setEncoding("utf8");
    send(socket, { kind: "welcome", protocol: HANDOFF_PROTOCOL_VERSION });
    socket.on("data", (text: string) =>
      parser.push(text, (message) => {
        if (isIncompatible) return;
        switch (message.kind) {
          case "hello":
            isIncompatible = message.protocol !== HANDOFF_PROTOCOL_VERSION;
            if (isIncompatible) {
              this.#refuse(socket, message);
              return;
            }
            peer = { socket, workerId: message.workerId, connection: message.connection };
            welcomed = this.#welcome(peer, message);
            return;
          case "load":
            if (!this.#isCurrent(peer)) return;
            this.#options.onLoadReported(peer.workerId, message);
            this.#options.onSpendReported(peer.workerId, message.spends, false);
            return;
          case "redeem":
            this.#redeeming.set(
              message.nonce,
              welcomed.then(() => this.#redeem(peer, message)),
            );
            return;
          case "check-stream":
            void this.#checkStream(socket, message);
            return;
          case "return":
            void this.#returnWhenSettled(socket, message);
            return;
          case "phone-request":
          case "media":
            // What the control process answers must find the worker.
            void welcomed.then(() => this.#onPhoneMessage(peer, message));
            return;
          case "phone-updated":
          case "live-outcome":
          case "resume-address":
          case "listen-address":
            this.#answers.received(message);
            return;
          case "stream-started":
          case "hold":
          case "activity":
          case "ended":
            this.#onReport(peer, message);
            return;
          case "metrics":
            this.#onMetrics(socket, message.metrics ?? undefined);
            return;
        }
      }),
    );
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#onMetrics(socket, undefined);
      this.#answers.connectionLost(socket);
      if (!this.#isCurrent(peer)) return;
      this.#workers.delete(peer.workerId);
      this.#options.onWorkerDisconnected(peer.workerId, peer.connection);
    });
  }

  /** In the order of arrival: a call that has ended is not on hold. */
  #onReport(
    { workerId }: WorkerConnection,
    message: Extract<WorkerMessage, { kind: "stream-started" | "hold" | "activity" | "ended" }>,
  ): void {
    const { onStreamStarted, onHold, onActivity, onEnded } = this.#options;
    if (message.kind === "stream-started") onStreamStarted(message.callId, message.carrierCallId);
    else if (message.kind === "hold") onHold(workerId, { callId: message.callId, sinceMs: message.sinceMs });
    else if (message.kind === "activity") onActivity(message.calls);
    else onEnded(message.callId, message.end);
  }

  #onPhoneMessage(
    { workerId }: WorkerConnection,
    message: Extract<WorkerMessage, { kind: "phone-request" | "media" }>,
  ): void {
    const { callId } = message;
    if (message.kind === "phone-request") this.#options.onPhoneRequest(callId, workerId, message.request);
    else this.#options.onMedia(workerId, { callId, state: message.state });
  }

  /** The further messages of a worker of another version are unknown, and so is whether it understands an answer. */
  #refuse(socket: Socket, { workerId, protocol }: Extract<WorkerMessage, { kind: "hello" }>): void {
    socket.destroy();
    if (this.#incompatibleWorkers.has(workerId)) return;
    this.#incompatibleWorkers.add(workerId);
    const numbers = { workerId, protocol, ownProtocol: HANDOFF_PROTOCOL_VERSION };
    this.#options.log.error(
      numbers,
      "worker speaks another handoff protocol version than the control process: restart the service",
    );
    this.#options.onIncompatibleWorker(workerId);
  }

  #isCurrent({ workerId, socket }: WorkerConnection): boolean {
    return this.#workers.get(workerId) === socket;
  }

  async #welcome(
    { socket, workerId, connection }: WorkerConnection,
    { callIds, load, spends, returned }: Extract<WorkerMessage, { kind: "hello" }>,
  ): Promise<void> {
    // Redemptions are returned before any check which calls the worker has lost.
    for (const redemption of returned) await this.#returnWhenSettled(socket, redemption);
    // The worker has disconnected meanwhile, and `onWorkerConnected` was not called.
    if (socket.destroyed) return;
    this.#workers.set(workerId, socket);
    send(socket, { kind: "token-keys", keys: this.#tokenKeys });
    this.#options.onWorkerConnected(workerId, connection, callIds, load);
    this.#options.onSpendReported(workerId, spends, true);
    send(socket, { kind: "accounts-over-limit", accounts: this.#accountsOverLimit });
    if (this.#relayNodes.length > 0) send(socket, { kind: "relay-nodes", nodes: this.#relayNodes });
    if (this.#isWatching) send(socket, { kind: "watch-activity", isOn: true });
  }

  #onMetrics(socket: Socket, metrics: ProcessMetrics | undefined): void {
    for (const resolve of this.#pendingMetrics.get(socket) ?? []) resolve(metrics);
    this.#pendingMetrics.delete(socket);
  }

  async #redeem(
    peer: WorkerConnection,
    { id, tokenHash, nonce, only, proof }: Extract<WorkerMessage, { kind: "redeem" }>,
  ): Promise<void> {
    const { redemptions, epoch, onRedeemed, log } = this.#options;
    const { socket, workerId, connection } = peer;
    try {
      const redeemer = { workerId, connection, epoch, nonce };
      // Of many streams with one token the store is asked for one after the other: they would hold up one another, and all be too late.
      const call = await this.#turns.run(tokenHash, async () => {
        // A replica of the database that has become the primary may take the token for a valid one.
        if (this.#redeemed.has(tokenHash)) return undefined;
        const found = await redemptions.redeem(tokenHash, redeemer, only, proof);
        if (found !== undefined) this.#noteRedeemed({ tokenHash, nonce });
        return found;
      });
      if (call !== undefined) onRedeemed(call.callId, workerId, call.mediaKey);
      // The worker died or reconnected meanwhile: it will never learn of the call.
      if (call !== undefined && !this.#isCurrent(peer)) await this.#returnRedemption(socket, { tokenHash, nonce });
      else send(socket, { kind: "redeemed", id, call: call ?? null });
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "token redemption failed");
      send(socket, { kind: "redeem-failed", id });
    } finally {
      this.#redeeming.delete(nonce);
    }
  }

  #noteRedeemed({ tokenHash, nonce }: UnconfirmedRedemption): void {
    const nowMs = this.#options.clock.nowMs();
    for (const [hash, { atMs }] of this.#redeemed) {
      if (elapsedMs(atMs, nowMs) < COMMITS_COMPARED_MS) break;
      this.#redeemed.delete(hash);
    }
    this.#redeemed.set(tokenHash, { nonce, atMs: nowMs });
  }

  async #checkStream(
    socket: Socket,
    { id, callId, proof }: Extract<WorkerMessage, { kind: "check-stream" }>,
  ): Promise<void> {
    const { redemptions, log } = this.#options;
    try {
      send(socket, { kind: "stream-checked", id, isAuthentic: await redemptions.isStreamOf(callId, proof) });
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "stream of a telephone call could not be checked");
      send(socket, { kind: "stream-checked", id, isAuthentic: null });
    }
  }

  /** Waits for the redemption itself if it is still in progress, over this connection or another. */
  async #returnWhenSettled(socket: Socket, redemption: UnconfirmedRedemption): Promise<void> {
    await this.#redeeming.get(redemption.nonce);
    await this.#returnRedemption(socket, redemption);
  }

  /** Sends no answer if the redemption cannot be returned now; the worker then asks again. */
  async #returnRedemption(socket: Socket, { tokenHash, nonce }: UnconfirmedRedemption): Promise<void> {
    const { redemptions, onReturned, log } = this.#options;
    try {
      const call = await redemptions.returnRedemption(tokenHash, nonce);
      if (this.#redeemed.get(tokenHash)?.nonce === nonce) this.#redeemed.delete(tokenHash);
      if (call !== undefined) {
        log.info({ callId: call.callId }, "token redemption returned");
        onReturned(call);
      }
      send(socket, { kind: "returned", nonce });
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "token redemption could not be returned");
    }
  }
}

function send(socket: Socket, message: ControlMessage): void {
  socket.write(toLine(message));
}
