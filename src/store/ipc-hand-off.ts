import { Socket } from "node:net";
import type { ConnectionType } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { unavailable } from "../core/errors.ts";
import { LOAD_TELL_MS, REDEEM_MS_MAX } from "../core/limits.ts";
import type { ProcessMetrics } from "../core/metrics-sum.ts";
import type { AccountOver, AccountSpend } from "../core/spend.ts";
import { atShortPath } from "./control-socket.ts";
import type { EndSummary, HandOff, RedeemedCall } from "./hand-off.ts";
import { type ControlMessage, LineParser, toLine, type WorkerLoad, type WorkerMessage } from "./ipc-messages.ts";

const RECONNECT_MS = 100;

export interface IpcHandOffOptions {
  /** The control process's Unix socket; read at each connection. */
  readonly path: string;
  workerId: string;
  /** The calls that live in this worker: told at every connection, so that a new control process knows them. */
  callIds: () => readonly string[];
  /** How the worker stands: told at every connection, and every LOAD_TELL_MS. */
  load: () => WorkerLoad;
  /** What accounts have spent since this was asked last, or `all` of it within the last minute: told with the load. */
  takeSpends: (all: boolean) => readonly AccountSpend[];
  /** These accounts have reached a limit, and no others. */
  onAccountsOver: (accounts: readonly AccountOver[]) => void;
  /** Somebody asked by the API that a call of this worker be ended. One that is over already is none. */
  onEnd: (callId: string) => void;
  /** The worker's metrics, when the control process is asked for them; undefined when they cannot be told. Must not reject. */
  metrics: () => Promise<ProcessMetrics | undefined>;
  clock: Clock;
}

interface Waiting {
  resolve: (call: RedeemedCall | undefined) => void;
  reject: (error: Error) => void;
  cancelTimeout: () => void;
}

/** The worker's end of the hand-off: a socket to the control process that is mended whenever it breaks. */
export class IpcHandOff implements HandOff {
  /** Resolves when the first try to reach the control process is over: with it, or without. */
  readonly tried: Promise<void>;
  readonly #options: IpcHandOffOptions;
  readonly #waiting = new Map<number, Waiting>();
  /** Ended calls that the control process has not acknowledged yet. */
  readonly #unacknowledged = new Map<string, EndSummary | undefined>();
  #socket: Socket | undefined;
  #nextId = 1;
  #closed = false;
  #cancelLoad: (() => void) | undefined;
  #onAcknowledged: (() => void) | undefined;

  constructor(options: IpcHandOffOptions) {
    this.#options = options;
    const socket = this.#connect();
    this.tried = new Promise((resolve) => {
      socket.once("connect", resolve);
      socket.once("close", () => resolve());
    });
  }

  redeem(tokenHash: string, only?: readonly ConnectionType[]): Promise<RedeemedCall | undefined> {
    const socket = this.#socket;
    if (socket === undefined) return Promise.reject(unavailable("the control process is away"));
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#options.clock.after(REDEEM_MS_MAX, () => {
        this.#waiting.delete(id);
        reject(unavailable("the control process did not answer in time"));
      });
      this.#waiting.set(id, { resolve, reject, cancelTimeout });
      socket.write(toLine({ kind: "redeem", id, tokenHash, only }));
    });
  }

  streamStarted(callId: string, carrierCallId: string): void {
    this.#socket?.write(toLine({ kind: "stream-started", callId, carrierCallId }));
  }

  ended(callId: string, end?: EndSummary): void {
    this.#unacknowledged.set(callId, end);
    this.#socket?.write(toLine({ kind: "ended", callId, end }));
  }

  /** Tells how the worker stands, now that it stands otherwise. */
  tellLoad(): void {
    // Before a control process that does not read nothing piles up: it learns of the rest when it does again.
    if (this.#socket?.writableLength !== 0) return;
    const { load, takeSpends } = this.#options;
    this.#socket.write(toLine({ kind: "load", ...load(), spends: takeSpends(false) }));
  }

  /** Waits until every ended call has been acknowledged, then closes. */
  async close(): Promise<void> {
    if (this.#unacknowledged.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onAcknowledged = resolve;
      });
    }
    this.#closed = true;
    this.#cancelLoad?.();
    this.#socket?.end();
  }

  #connect(): Socket {
    const socket = new Socket();
    const parser = new LineParser<ControlMessage>();
    socket.setEncoding("utf8");
    socket.on("connect", () => this.#onConnect(socket));
    socket.on("data", (text: string) => parser.push(text, (message) => this.#onMessage(message)));
    // An error is always followed by `close`, which is where the connection is mended.
    socket.on("error", () => {});
    socket.on("close", () => this.#onClose());
    try {
      atShortPath(this.#options.path, (path) => socket.connect(path));
    } catch (error) {
      // The folder was swept: the control process makes it again.
      socket.destroy(error instanceof Error ? error : undefined);
    }
    return socket;
  }

  #onConnect(socket: Socket): void {
    this.#socket = socket;
    const { workerId, callIds, load, takeSpends } = this.#options;
    const spends = takeSpends(true);
    const hello: WorkerMessage = { kind: "hello", workerId, callIds: callIds(), load: load(), spends };
    socket.write(toLine(hello));
    this.#tellLoadRepeatedly();
    for (const [callId, end] of this.#unacknowledged) socket.write(toLine({ kind: "ended", callId, end }));
  }

  #tellLoadRepeatedly(): void {
    this.#cancelLoad = this.#options.clock.after(LOAD_TELL_MS, () => {
      this.tellLoad();
      this.#tellLoadRepeatedly();
    });
  }

  #onMessage(message: ControlMessage): void {
    switch (message.kind) {
      case "redeemed":
      case "redeem-failed":
        this.#onRedeemed(message);
        return;
      case "ended-known":
        this.#unacknowledged.delete(message.callId);
        if (this.#unacknowledged.size === 0) this.#onAcknowledged?.();
        return;
      case "end":
        // What came before it in the same piece may have been the call itself, which then begins first.
        setImmediate(() => this.#options.onEnd(message.callId));
        return;
      case "accounts-over":
        this.#options.onAccountsOver(message.accounts);
        return;
      case "metrics":
        void this.#tellMetrics();
        return;
    }
  }

  #onRedeemed(message: Extract<ControlMessage, { id: number }>): void {
    const waiting = this.#waiting.get(message.id);
    // An answer after its time: the call it gives was refused long ago, and the control process will miss it.
    if (waiting === undefined) {
      if (message.kind === "redeemed" && message.call !== null) this.ended(message.call.callId);
      return;
    }
    this.#waiting.delete(message.id);
    waiting.cancelTimeout();
    if (message.kind === "redeemed") waiting.resolve(message.call ?? undefined);
    else waiting.reject(unavailable("the control process could not redeem the token"));
  }

  async #tellMetrics(): Promise<void> {
    const metrics = await this.#options.metrics();
    this.#socket?.write(toLine({ kind: "metrics", metrics: metrics ?? null }));
  }

  #onClose(): void {
    this.#socket = undefined;
    this.#cancelLoad?.();
    for (const waiting of this.#waiting.values()) {
      waiting.cancelTimeout();
      waiting.reject(unavailable("the control process went away"));
    }
    this.#waiting.clear();
    if (!this.#closed) this.#options.clock.after(RECONNECT_MS, () => this.#connect());
  }
}
