import { randomBytes } from "node:crypto";
import { Socket } from "node:net";
import type { AccountOverLimit, AccountSpend } from "../../core/billing/spend.ts";
import type { CallActivity } from "../../core/calls/activity.ts";
import type { ListenAnswer } from "../../core/calls/listening.ts";
import type { LiveOutcome, LiveRequest } from "../../core/calls/live-requests.ts";
import type { PhoneRequest, PhoneUpdate } from "../../core/calls/phone-requests.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import type { CallId, CarrierCallId, WorkerId } from "../../core/ids.ts";
import {
  LOAD_REPORT_MS,
  REDEEM_MS_MAX,
  REDEMPTION_NONCE_BYTES,
  RETURN_RETRY_MS,
  TOKEN_KEYS_MS_MAX,
  UNRESOLVED_REDEMPTIONS_MAX,
} from "../../core/limits/service/admission.ts";
import type { ProcessMetrics } from "../../core/metrics/aggregation.ts";
import type { RelayNode } from "../../core/network/node-tags.ts";
import type { CallHandoff, EndSummary, HoldReport, MediaReport, RedeemedCall } from "../call-handoff.ts";
import type { StreamProof } from "../redemptions.ts";
import { ActivityReports } from "./activity-reports.ts";
import {
  type ControlMessage,
  HANDOFF_PROTOCOL_VERSION,
  LineParser,
  toLine,
  type WorkerLoad,
  type WorkerMessage,
} from "./messages.ts";
import { withShortPath } from "./socket-path.ts";

const RECONNECT_MS = 100;
/** The interval after meeting a control process of another version. */
const RECONNECT_INCOMPATIBLE_MS = 5_000;
/** Versions before protocol number 2 send no welcome. */
const WELCOME_MS_MAX = 5_000;

export interface HandoffClientOptions {
  /** The control process's Unix socket; read at each connection. */
  readonly path: string;
  workerId: WorkerId;
  /** The calls that this worker carries: sent at every connection, so that a new control process knows them. */
  callIds: () => readonly CallId[];
  /** The worker's load: sent at every connection, and every LOAD_REPORT_MS. */
  load: () => WorkerLoad;
  /** The accounts' spend since the last call, or with `all` all of it within the last minute; sent with the load. */
  takeSpendReports: (all: boolean) => readonly AccountSpend[];
  /** These accounts, and no others, have reached a limit. */
  onAccountsOverLimit: (accounts: readonly AccountOverLimit[]) => void;
  /** To these nodes, and no others, streams of their calls can be relayed. */
  onRelayNodes?: (nodes: readonly RelayNode[]) => void;
  /** One of this worker's calls is to end, for this reason. A call that is already over is ignored. */
  onEndRequested: (callId: CallId, reason: EndReason) => void;
  /** What the telephone network does about a call; false where this worker does not have it. */
  onPhoneUpdate: (callId: CallId, update: PhoneUpdate) => boolean;
  /** What a program asks of one of this worker's live calls. */
  onLiveRequest: (callId: CallId, request: LiveRequest) => LiveOutcome;
  /** The address at which the carrier makes this connection of a call; undefined where this worker does not have it. */
  resumeAddress: (callId: CallId, connect?: number) => string | undefined;
  /** An address at which a client listens to a call. */
  listenAddress: (callId: CallId) => ListenAnswer;
  /** What this worker's calls do: sent while the control process wants it. */
  activity: () => readonly CallActivity[];
  /** The media streams of this worker's telephone calls: sent at every connection. */
  mediaStates: () => readonly MediaReport[];
  /** The holds of this worker's calls: sent at every connection. */
  holds: () => readonly HoldReport[];
  /** The control process has another protocol version: called once, until one of this version is met. */
  onIncompatibleControl: () => void;
  /**
   * The worker's metrics, when the control process requests them; undefined when they cannot be read. Must not reject.
   */
  metrics: () => Promise<ProcessMetrics | undefined>;
  clock: Clock;
}

interface PendingRedemption {
  tokenHash: string;
  nonce: string;
  resolve: (call: RedeemedCall | undefined) => void;
  reject: (error: Error) => void;
  cancelTimeout: () => void;
}

interface PendingCheck {
  resolve: (isAuthentic: boolean) => void;
  reject: (error: Error) => void;
  cancelTimeout: () => void;
}

/** The worker's end of the handoff: a socket to the control process that reconnects whenever it breaks. */
export class HandoffClient implements CallHandoff {
  /**
   * Resolves when the first attempt to get the token keys is over: with the keys, without them where the control process
   * speaks another version, or after TOKEN_KEYS_MS_MAX. A connection that breaks before is made again meanwhile.
   */
  readonly firstAttempt: Promise<void>;
  tokenKeys: readonly Uint8Array[] = [];
  readonly #options: HandoffClientOptions;
  readonly #pending = new Map<number, PendingRedemption>();
  readonly #pendingChecks = new Map<number, PendingCheck>();
  /** Ended calls that the control process has not acknowledged yet. */
  readonly #unacknowledged = new Map<CallId, EndSummary | undefined>();
  /** Token hashes of redemptions with an unknown outcome, by nonce, until the store has returned them. */
  readonly #unconfirmed = new Map<string, string>();
  readonly #activityReports: ActivityReports;
  #socket: Socket | undefined;
  #isIncompatible = false;
  #connectionCount = 0;
  #nextId = 1;
  #onFirstAttempt: () => void = () => {};
  #closed = false;
  #cancelLoad: (() => void) | undefined;
  #onSettled: (() => void) | undefined;

  constructor(options: HandoffClientOptions) {
    this.#options = options;
    this.#activityReports = new ActivityReports({
      activity: options.activity,
      send: (calls) => this.#sendActivity(calls),
      clock: options.clock,
    });
    this.firstAttempt = new Promise((resolve) => {
      const cancelTimeout = options.clock.after(TOKEN_KEYS_MS_MAX, resolve);
      this.#onFirstAttempt = () => {
        cancelTimeout();
        resolve();
      };
    });
    this.#connect();
  }

  /** The last control process that was met has another protocol version, and cannot be used. */
  get isIncompatible(): boolean {
    return this.#isIncompatible;
  }

  redeem(tokenHash: string, only?: readonly ConnectionType[], proof?: StreamProof): Promise<RedeemedCall | undefined> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.reject(unavailable("the control process is not connected"));
    if (this.#unconfirmed.size >= UNRESOLVED_REDEMPTIONS_MAX) {
      return Promise.reject(unavailable("too many redemptions are waiting to be returned"));
    }
    const id = this.#nextId;
    this.#nextId += 1;
    const nonce = randomBytes(REDEMPTION_NONCE_BYTES).toString("base64url");
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#options.clock.after(REDEEM_MS_MAX, () => {
        this.#abort(id, "the control process did not answer in time");
      });
      this.#pending.set(id, { tokenHash, nonce, resolve, reject, cancelTimeout });
      socket.write(toLine({ kind: "redeem", id, tokenHash, nonce, only, proof }));
    });
  }

  isStreamOf(callId: CallId, proof: StreamProof): Promise<boolean> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.reject(unavailable("the control process is not connected"));
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#options.clock.after(REDEEM_MS_MAX, () => this.#streamChecked(id, null));
      this.#pendingChecks.set(id, { resolve, reject, cancelTimeout });
      socket.write(toLine({ kind: "check-stream", id, callId, proof }));
    });
  }

  /** `isAuthentic`: null where there is no answer. */
  #streamChecked(id: number, isAuthentic: boolean | null): void {
    const pending = this.#pendingChecks.get(id);
    if (pending === undefined) return;
    this.#pendingChecks.delete(id);
    pending.cancelTimeout();
    if (isAuthentic === null) pending.reject(unavailable("the control process could not check the stream"));
    else pending.resolve(isAuthentic);
  }

  /** Refuses and returns the redemption, whatever its outcome: no call begins. */
  #abort(id: number, reason: string): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.cancelTimeout();
    const { tokenHash, nonce } = pending;
    this.#unconfirmed.set(nonce, tokenHash);
    this.#returnRedemption(nonce);
    pending.reject(unavailable(reason));
  }

  /** Returns a redemption repeatedly until it is answered; while there is no connection, the next hello returns it. */
  #returnRedemption(nonce: string): void {
    const tokenHash = this.#unconfirmed.get(nonce);
    const socket = this.#socket;
    if (tokenHash === undefined || socket === undefined) return;
    socket.write(toLine({ kind: "return", tokenHash, nonce }));
    this.#retryReturn(socket, nonce);
  }

  #retryReturn(socket: Socket, nonce: string): void {
    this.#options.clock.after(RETURN_RETRY_MS, () => {
      if (this.#socket === socket) this.#returnRedemption(nonce);
    });
  }

  streamStarted(callId: CallId, carrierCallId: CarrierCallId): void {
    this.#socket?.write(toLine({ kind: "stream-started", callId, carrierCallId }));
  }

  phoneRequested(callId: CallId, request: PhoneRequest): boolean {
    this.#socket?.write(toLine({ kind: "phone-request", callId, request }));
    return this.#socket !== undefined;
  }

  mediaChanged(report: MediaReport): void {
    this.#socket?.write(toLine({ kind: "media", ...report }));
  }

  holdChanged(report: HoldReport): void {
    this.#socket?.write(toLine({ kind: "hold", ...report }));
  }

  ended(callId: CallId, end?: EndSummary): void {
    this.#unacknowledged.set(callId, end);
    this.#socket?.write(toLine({ kind: "ended", callId, end }));
  }

  /** Sends the worker's load after a change. */
  sendLoad(): void {
    // Nothing is queued for a control process that does not read; it gets the current load when it reads again.
    if (this.#socket?.writableLength !== 0) return;
    const { load, takeSpendReports } = this.#options;
    this.#socket.write(toLine({ kind: "load", ...load(), spends: takeSpendReports(false) }));
  }

  /** Waits until every ended call is acknowledged, then closes. Redemptions that it returns have been sent by then. */
  async close(): Promise<void> {
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    this.#checkSettled();
    await settled;
    this.#closed = true;
    this.#onFirstAttempt();
    this.#cancelLoad?.();
    this.#socket?.end();
  }

  #checkSettled(): void {
    if (this.#unacknowledged.size === 0) this.#onSettled?.();
  }

  #connect(): void {
    const socket = new Socket();
    const parser = new LineParser<ControlMessage>();
    let isWelcome = false;
    let cancelWelcome = (): void => {};
    socket.setEncoding("utf8");
    socket.on("connect", () => {
      cancelWelcome = this.#options.clock.after(WELCOME_MS_MAX, () => this.#disconnectIncompatible(socket));
      this.#onConnect(socket);
    });
    socket.on("data", (text: string) =>
      parser.push(text, (message) => {
        if (socket.destroyed) return;
        cancelWelcome();
        if (message.kind === "welcome") isWelcome = message.protocol === HANDOFF_PROTOCOL_VERSION;
        if (!isWelcome) this.#disconnectIncompatible(socket);
        else this.#onMessage(message);
      }),
    );
    // An error is always followed by `close`, which reconnects.
    socket.on("error", () => {});
    socket.on("close", () => {
      cancelWelcome();
      this.#onClose();
    });
    try {
      withShortPath(this.#options.path, (path) => socket.connect(path));
    } catch (error) {
      // The folder was deleted; the control process creates it again.
      socket.destroy(error instanceof Error ? error : undefined);
    }
  }

  #disconnectIncompatible(socket: Socket): void {
    socket.destroy();
    if (this.#isIncompatible) return;
    this.#isIncompatible = true;
    this.#onFirstAttempt();
    this.#options.onIncompatibleControl();
  }

  #onConnect(socket: Socket): void {
    this.#socket = socket;
    this.#connectionCount += 1;
    const { workerId, callIds, load, takeSpendReports, mediaStates, holds } = this.#options;
    const hello: WorkerMessage = {
      kind: "hello",
      protocol: HANDOFF_PROTOCOL_VERSION,
      workerId,
      connection: this.#connectionCount,
      callIds: callIds(),
      load: load(),
      spends: takeSpendReports(true),
      returned: [...this.#unconfirmed].map(([nonce, tokenHash]) => ({ tokenHash, nonce })),
    };
    socket.write(toLine(hello));
    for (const report of mediaStates()) this.mediaChanged(report);
    for (const report of holds()) this.holdChanged(report);
    for (const nonce of this.#unconfirmed.keys()) this.#retryReturn(socket, nonce);
    this.#sendLoadRepeatedly();
    for (const [callId, end] of this.#unacknowledged) socket.write(toLine({ kind: "ended", callId, end }));
  }

  #sendLoadRepeatedly(): void {
    this.#cancelLoad = this.#options.clock.after(LOAD_REPORT_MS, () => {
      this.sendLoad();
      this.#sendLoadRepeatedly();
    });
  }

  #onMessage(message: ControlMessage): void {
    switch (message.kind) {
      case "welcome":
        this.#isIncompatible = false;
        return;
      case "redeemed":
      case "redeem-failed":
        this.#onRedeemed(message);
        return;
      case "stream-checked":
        this.#streamChecked(message.id, message.isAuthentic);
        return;
      case "returned":
        this.#unconfirmed.delete(message.nonce);
        return;
      case "token-keys":
        this.tokenKeys = message.keys.map((key) => Buffer.from(key, "base64url"));
        this.#onFirstAttempt();
        return;
      case "ended-acknowledged":
        this.#unacknowledged.delete(message.callId);
        this.#checkSettled();
        return;
      case "end-call":
        // The call itself may have arrived in the same chunk; it then begins first.
        setImmediate(() => this.#options.onEndRequested(message.callId, message.reason));
        return;
      case "phone-update":
        setImmediate(() => this.#answerUpdate(message));
        return;
      case "live-request":
        setImmediate(() => this.#answerLive(message));
        return;
      case "resume-address":
        setImmediate(() => this.#answerAddress(message));
        return;
      case "watch-activity":
        if (message.isOn) this.#activityReports.start();
        else this.#activityReports.stop();
        return;
      case "listen-address":
        setImmediate(() => this.#answerListening(message));
        return;
      case "accounts-over-limit":
        this.#options.onAccountsOverLimit(message.accounts);
        return;
      case "relay-nodes":
        this.#options.onRelayNodes?.(message.nodes);
        return;
      case "metrics":
        void this.#sendMetrics();
        return;
    }
  }

  #answerUpdate({ id, callId, update }: Extract<ControlMessage, { kind: "phone-update" }>): void {
    const isTaken = this.#options.onPhoneUpdate(callId, update);
    this.#socket?.write(toLine({ kind: "phone-updated", id, isTaken }));
  }

  #answerLive({ id, callId, request }: Extract<ControlMessage, { kind: "live-request" }>): void {
    const outcome = this.#options.onLiveRequest(callId, request);
    this.#socket?.write(toLine({ kind: "live-outcome", id, outcome }));
  }

  #answerAddress({ id, callId, connect }: Extract<ControlMessage, { kind: "resume-address" }>): void {
    const url = this.#options.resumeAddress(callId, connect) ?? null;
    this.#socket?.write(toLine({ kind: "resume-address", id, url }));
  }

  #sendActivity(calls: readonly CallActivity[]): boolean {
    // Nothing is queued for a control process that does not read.
    if (this.#socket?.writableLength !== 0) return false;
    this.#socket.write(toLine({ kind: "activity", calls }));
    return true;
  }

  #answerListening({ id, callId }: Extract<ControlMessage, { kind: "listen-address" }>): void {
    this.#socket?.write(toLine({ kind: "listen-address", id, answer: this.#options.listenAddress(callId) }));
  }

  #onRedeemed(message: Extract<ControlMessage, { kind: "redeemed" | "redeem-failed" }>): void {
    const pending = this.#pending.get(message.id);
    // The answer is late, and the redemption has been returned.
    if (pending === undefined) return;
    if (message.kind === "redeem-failed") {
      this.#abort(message.id, "the control process could not redeem the token");
      return;
    }
    this.#pending.delete(message.id);
    pending.cancelTimeout();
    pending.resolve(message.call ?? undefined);
  }

  async #sendMetrics(): Promise<void> {
    const metrics = await this.#options.metrics();
    this.#socket?.write(toLine({ kind: "metrics", metrics: metrics ?? null }));
  }

  #onClose(): void {
    this.#socket = undefined;
    this.#activityReports.stop();
    this.#cancelLoad?.();
    for (const id of [...this.#pending.keys()]) this.#abort(id, "the connection to the control process was lost");
    for (const id of [...this.#pendingChecks.keys()]) this.#streamChecked(id, null);
    if (!this.#closed)
      this.#options.clock.after(this.#isIncompatible ? RECONNECT_INCOMPATIBLE_MS : RECONNECT_MS, () => this.#connect());
  }
}
