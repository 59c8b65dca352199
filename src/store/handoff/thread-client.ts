import { inspect } from "node:util";
import { MessageChannel, Worker } from "node:worker_threads";
import type { AccountOverLimit } from "../../core/billing/spend.ts";
import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../../core/calls/live-requests.ts";
import type { PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { ThreadModule } from "../../core/child-processes/child-module.ts";
import type { Clock } from "../../core/clock.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import { HANDOFF_SILENT_PINGS_MAX } from "../../core/limits/service/admission.ts";
import { HEARTBEAT_MS } from "../../core/limits/service/processes.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { RelayNode } from "../../core/network/node-tags.ts";
import type { UnpersistedPrompts } from "../redemptions.ts";
import type { HandoffServerOptions } from "./control-server.ts";
import type { FromHandoffThread, HandoffThreadOptions, ToHandoffThread } from "./thread-messages.ts";
import { PromptsSender } from "./unpersisted-prompts.ts";

/** Handlers of the events of the workers' socket, called on the control process's event loop, in order. */
export type HandoffHandlers = Pick<
  HandoffServerOptions,
  | "onRedeemed"
  | "onReturned"
  | "onWorkerConnected"
  | "onIncompatibleWorker"
  | "onLoadReported"
  | "onSpendReported"
  | "onWorkerDisconnected"
  | "onStreamStarted"
  | "onEnded"
> &
  Partial<Pick<HandoffServerOptions, "onPhoneRequest" | "onMedia" | "onHold" | "onActivity">>;

export interface HandoffThreadClientOptions {
  /** The program of the thread: a module that serves the messages of thread-messages.ts. */
  thread: ThreadModule;
  clock: Clock;
  /**
   * The thread has died or does not answer; called once. Nothing can be redeemed from then on, so the process must end.
   */
  onFailed(error: Error): void;
}

/** What a worker answers to a question. */
type WorkerAnswer = Extract<
  FromHandoffThread,
  { kind: "phone-updated" | "live-outcome" | "resume-address" | "listen-address" }
>;

/**
 * The control process's interface to the handoff thread. The thread has the workers' socket and its own connection to
 * the database. It redeems tokens even while the control process's event loop is busy, and passes on everything else.
 */
export class HandoffThreadClient {
  /** For the stores of the control process: passes the words of unrecorded calls to the thread. */
  readonly unpersisted: UnpersistedPrompts;
  readonly #thread: Worker;
  readonly #options: HandoffThreadClientOptions;
  /** The connection numbers of the connected workers. */
  readonly #workers = new Map<WorkerId, number>();
  readonly #pendingMetrics = new Map<number, (metrics: ReadonlyMap<WorkerId, ProcessMetrics | undefined>) => void>();
  /** Questions to workers, by their numbers. */
  readonly #pendingAnswers = new Map<number, (answer: WorkerAnswer) => void>();
  #handlers: HandoffHandlers | undefined;
  #onListening = (): void => {};
  /** Callers that wait for all events before a ping to be delivered. */
  readonly #pendingPings = new Map<number, () => void>();
  #lastRequestId = 0;
  #silentPings = 0;
  #isClosed = false;

  /** Starts the thread, which loads its code and waits for `serve`. */
  constructor(options: HandoffThreadClientOptions) {
    this.#options = options;
    const { port1, port2 } = new MessageChannel();
    this.unpersisted = new PromptsSender(port1);
    const { source, isCode } = options.thread;
    this.#thread = new Worker(source, { eval: isCode, workerData: port2, transferList: [port2] });
    this.#thread.on("message", (message: FromHandoffThread) => this.#onMessage(message));
    this.#thread.once("error", (error) => this.#fail(error instanceof Error ? error : new Error(inspect(error))));
    this.#thread.once("exit", (code) => this.#fail(new Error(`the handoff thread exited with code ${code}`)));
  }

  /** Resolves when the workers' socket listens. `onFailed` reports if it cannot. */
  serve(options: HandoffThreadOptions, handlers: HandoffHandlers): Promise<void> {
    this.#handlers = handlers;
    this.#send({ kind: "serve", options });
    return new Promise((resolve) => {
      this.#onListening = () => {
        this.#monitor();
        resolve();
      };
    });
  }

  get workerCount(): number {
    return this.#workers.size;
  }

  has(workerId: WorkerId): boolean {
    return this.#workers.has(workerId);
  }

  /** The number of the worker's connection; undefined while it has none. */
  connectionOf(workerId: WorkerId): number | undefined {
    return this.#workers.get(workerId);
  }

  /**
   * Resolves when all earlier events of the workers' socket have been delivered, including those that `has` reflects.
   */
  caughtUp(): Promise<void> {
    return new Promise((resolve) => {
      this.#pendingPings.set(this.#ping(), resolve);
    });
  }

  /** Sends the workers new token keys, base64url. */
  setTokenKeys(keys: readonly string[]): void {
    this.#send({ kind: "token-keys", keys });
  }

  /** Informs the worker that carried the call that its end is recorded. */
  acknowledge(callId: CallId): void {
    this.#send({ kind: "acknowledge", callId });
  }

  /** Requests a worker to end one of its calls for this reason; false when the worker is not connected. */
  endCall(workerId: WorkerId, callId: CallId, reason: EndReason): boolean {
    if (!this.has(workerId)) return false;
    this.#send({ kind: "end-call", workerId, callId, reason });
    return true;
  }

  /**
   * Informs the worker of a telephone call of what the telephone network does. Resolves to true when the call acts by it: only then may
   * the carrier be instructed to transfer the caller, because the loss of the leg would end the call. False where the worker is not
   * connected, has no such call, or does not answer within WORKER_ANSWER_MS_MAX. Never rejects.
   */
  phoneUpdate(workerId: WorkerId, callId: CallId, update: PhoneUpdate): Promise<boolean> {
    return this.#ask("phone-updated", (id) => ({ kind: "phone-update", id, workerId, callId, update })).then(
      ({ isTaken }) => isTaken,
    );
  }

  /**
   * Asks the worker of a live call something of it. Undefined where the worker is not connected, or does not answer within
   * WORKER_ANSWER_MS_MAX. Never rejects.
   */
  requestLive(workerId: WorkerId, callId: CallId, request: LiveRequest): Promise<LiveOutcome | undefined> {
    return this.#ask("live-outcome", (id) => ({ kind: "live-request", id, workerId, callId, request })).then(
      ({ outcome }) => outcome,
    );
  }

  /**
   * The single-use address at which the carrier makes this connection of a telephone call, in any worker; that of the connection before is
   * no longer valid. It is a secret. The worker of the call should be sent `transfer-failed` before the carrier is given it, so that the
   * agent knows why the caller is back. Undefined as `phoneUpdate` is false. Never rejects.
   */
  resumeAddress(workerId: WorkerId, callId: CallId, connect?: number): Promise<string | undefined> {
    return this.#ask("resume-address", (id) => ({ kind: "resume-address", id, workerId, callId, connect })).then(
      ({ url }) => url,
    );
  }

  /**
   * A new single-use address at which a client listens to a call: a secret. Undefined where the worker is not connected, or does not answer
   * within WORKER_ANSWER_MS_MAX. Never rejects.
   */
  listenAddress(workerId: WorkerId, callId: CallId): Promise<ListenAnswer | undefined> {
    return this.#ask("listen-address", (id) => ({ kind: "listen-address", id, workerId, callId })).then(
      ({ answer }) => answer,
    );
  }

  /** With `isOn` the workers report what all of their calls do, and then what changes: again, where they did so before. */
  watchActivity(isOn: boolean): void {
    this.#send({ kind: "watch-activity", isOn });
  }

  /** Sends the workers the accounts that have reached a limit, if these changed. */
  sendAccountsOverLimit(accounts: readonly AccountOverLimit[]): void {
    this.#send({ kind: "accounts-over-limit", accounts });
  }

  /** Sends the workers the nodes to which streams can be relayed, if these changed. */
  sendRelayNodes(nodes: readonly RelayNode[]): void {
    this.#send({ kind: "relay-nodes", nodes });
  }

  /**
   * The metrics of every connected worker, after `timeoutMs` at most: undefined for a worker that did not send them in
   * time.
   */
  metrics(timeoutMs: number): Promise<ReadonlyMap<WorkerId, ProcessMetrics | undefined>> {
    const id = ++this.#lastRequestId;
    this.#send({ kind: "metrics", id, timeoutMs });
    return new Promise((resolve) => {
      this.#pendingMetrics.set(id, resolve);
    });
  }

  /** Resolves when the thread has ended and closed its socket. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const exited = new Promise((resolve) => {
      this.#thread.once("exit", resolve);
    });
    this.#send({ kind: "close" });
    await exited;
  }

  #ping(): number {
    const id = ++this.#lastRequestId;
    this.#send({ kind: "ping", id });
    return id;
  }

  #send(message: ToHandoffThread): void {
    this.#thread.postMessage(message);
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#thread.terminate();
    this.#options.onFailed(error);
  }

  /** Counts pings instead of time, because a pause of this process is no silence of the thread. */
  #monitor(): void {
    this.#options.clock.after(HEARTBEAT_MS, () => {
      if (this.#isClosed) return;
      this.#silentPings += 1;
      if (this.#silentPings > HANDOFF_SILENT_PINGS_MAX)
        this.#fail(new Error("the handoff thread does not answer pings"));
      else {
        this.#ping();
        this.#monitor();
      }
    });
  }

  #onMessage(message: FromHandoffThread): void {
    this.#silentPings = 0;
    const handlers = this.#handlers;
    if (handlers === undefined) return;
    switch (message.kind) {
      case "listening":
        this.#onListening();
        return;
      case "redeemed":
        handlers.onRedeemed(message.callId, message.workerId, message.mediaKey);
        return;
      case "returned":
        handlers.onReturned(message.call);
        return;
      case "worker-connected":
        this.#workers.set(message.workerId, message.connection);
        handlers.onWorkerConnected(message.workerId, message.connection, message.callIds, message.load);
        return;
      case "load-reported":
        handlers.onLoadReported(message.workerId, message.load);
        return;
      case "spend-reported":
        handlers.onSpendReported(message.workerId, message.spends, message.all);
        return;
      case "incompatible-worker":
        handlers.onIncompatibleWorker(message.workerId);
        return;
      case "worker-disconnected":
        if (this.#workers.get(message.workerId) === message.connection) this.#workers.delete(message.workerId);
        handlers.onWorkerDisconnected(message.workerId, message.connection);
        return;
      case "stream-started":
        handlers.onStreamStarted(message.callId, message.carrierCallId);
        return;
      case "phone-request":
        handlers.onPhoneRequest?.(message.callId, message.workerId, message.request);
        return;
      case "media":
        handlers.onMedia?.(message.workerId, message.report);
        return;
      case "hold":
        handlers.onHold?.(message.workerId, message.report);
        return;
      case "activity":
        handlers.onActivity?.(message.calls);
        return;
      case "phone-updated":
      case "live-outcome":
      case "resume-address":
      case "listen-address":
        this.#onAnswer(message);
        return;
      case "ended":
        handlers.onEnded(message.callId, message.end);
        return;
      case "metrics":
        this.#pendingMetrics.get(message.id)?.(message.metrics);
        this.#pendingMetrics.delete(message.id);
        return;
      case "pong":
        this.#pendingPings.get(message.id)?.();
        this.#pendingPings.delete(message.id);
        return;
    }
  }

  /** Sends a question to a worker; the thread answers each one, by its kind of answer. */
  #ask<Kind extends WorkerAnswer["kind"]>(
    _kind: Kind,
    question: (id: number) => ToHandoffThread,
  ): Promise<Extract<WorkerAnswer, { kind: Kind }>> {
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    this.#send(question(id));
    return new Promise((resolve) => {
      this.#pendingAnswers.set(id, resolve as (answer: WorkerAnswer) => void);
    });
  }

  #onAnswer(answer: WorkerAnswer): void {
    this.#pendingAnswers.get(answer.id)?.(answer);
    this.#pendingAnswers.delete(answer.id);
  }
}
