import { once } from "node:events";
import { chmodSync, existsSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import type { ConnectionType } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { ProcessMetrics } from "../core/metrics-sum.ts";
import type { AccountOver, AccountSpend } from "../core/spend.ts";
import { atShortPath, clearSocketFolder } from "./control-socket.ts";
import type { EndSummary, RedeemedCall } from "./hand-off.ts";
import { type ControlMessage, LineParser, toLine, type WorkerLoad, type WorkerMessage } from "./ipc-messages.ts";

/** How often the server looks whether its socket can still be found. */
const SOCKET_LOOK_MS = 1_000;
const SOCKET_MODE = 0o600;

export interface IpcServerOptions {
  /** Where the Unix socket stands, as `newSocketPath` says: its folder is made, and other sockets in it are removed. */
  path: string;
  clock: Clock;
  log: Logger;
  redeem(tokenHash: string, workerId: string, only?: readonly ConnectionType[]): Promise<RedeemedCall | undefined>;
  /** A worker is there, first or again, with these calls alive. */
  onWorker(workerId: string, callIds: readonly string[], load: WorkerLoad): void;
  /** A worker tells how it stands, every LOAD_TELL_MS. */
  onLoad(workerId: string, load: WorkerLoad): void;
  /** A worker reports what accounts have spent: `all` that have, when it is there first or again, or those that have changed. */
  onSpends(workerId: string, spends: readonly AccountSpend[], all: boolean): void;
  /** The connection is gone, and most likely the worker's process with all that it carried. */
  onWorkerGone(workerId: string): void;
  /** The call's stream has begun, and its carrier knows it by this id. */
  onStreamStarted(callId: string, carrierCallId: string): void;
  /**
   * The call is over and its journal complete, or failed; `acknowledge` it when its end can no longer be forgotten. `end` is absent
   * for a call that never began.
   */
  onEnded(callId: string, end?: EndSummary): void;
}

/** The control process's end of the hand-off. */
export class IpcServer {
  readonly #options: IpcServerOptions;
  #server: Server | undefined;
  #cancelLook = (): void => {};
  /** The socket's file has vanished and could not be made again. */
  #isLost = false;
  readonly #workers = new Map<string, Socket>();
  /** The accounts that workers were told have reached a limit. */
  #over: readonly AccountOver[] = [];
  /** Who waits for the metrics of a worker. One that owes them is not asked again, so nothing piles up before one that hangs. */
  readonly #waiting = new Map<Socket, Set<(metrics: ProcessMetrics | undefined) => void>>();

  constructor(options: IpcServerOptions) {
    this.#options = options;
  }

  get workerCount(): number {
    return this.#workers.size;
  }

  has(workerId: string): boolean {
    return this.#workers.has(workerId);
  }

  /**
   * Listens, and again whenever the socket's file has vanished, for example with a folder that was swept: open connections
   * survive that, but new ones would fail. Rejects with the error of the system.
   */
  async listen(): Promise<void> {
    await this.#bind();
    this.#lookForSocket();
  }

  async #bind(): Promise<void> {
    const { path } = this.#options;
    clearSocketFolder(path);
    const server = createServer((socket) => this.#onConnection(socket));
    this.#server = server;
    const listening = once(server, "listening");
    atShortPath(path, (shortPath) => server.listen(shortPath));
    await listening;
    // Descriptors that run out, for example: who knocked comes again, and without a listener the error would end the process.
    server.on("error", (error) => {
      this.#options.log.error({ path, err: error, code: codeOf(error) }, "a worker's connection could not be taken");
    });
    chmodSync(path, SOCKET_MODE);
  }

  #lookForSocket(): void {
    this.#cancelLook = this.#options.clock.after(SOCKET_LOOK_MS, () => {
      if (!existsSync(this.#options.path)) void this.#bindAgain();
      this.#lookForSocket();
    });
  }

  async #bindAgain(): Promise<void> {
    const { log, path } = this.#options;
    this.#server?.close();
    try {
      await this.#bind();
      this.#isLost = false;
      log.warn({ path }, "the socket of the workers had vanished and was made again");
    } catch (error) {
      // One line, not one for each try.
      if (!this.#isLost) log.error({ path, err: error, code: codeOf(error) }, "the socket of the workers has vanished");
      this.#isLost = true;
    }
  }

  /** Tells whoever carried the call that its end is recorded. */
  acknowledge(callId: string): void {
    // The worker that asked may have been replaced; the others ignore what they do not know.
    for (const socket of this.#workers.values()) send(socket, { kind: "ended-known", callId });
  }

  /** Tells a worker that a call of its is to end; false when it is away just now. */
  end(workerId: string, callId: string): boolean {
    const socket = this.#workers.get(workerId);
    if (socket === undefined) return false;
    send(socket, { kind: "end", callId });
    return true;
  }

  /** Tells the workers which accounts have reached a limit, where that has changed. */
  accountsOver(accounts: readonly AccountOver[]): void {
    if (isDeepStrictEqual(accounts, this.#over)) return;
    this.#over = accounts;
    for (const socket of this.#workers.values()) send(socket, { kind: "accounts-over", accounts });
  }

  /**
   * The metrics of every worker that is there when all have been waited for, also where it drains: undefined where it could not
   * tell them, or where `signal` aborted before it had answered. One that goes meanwhile is left out, also when it had answered.
   */
  async metrics(signal: AbortSignal): Promise<ReadonlyMap<string, ProcessMetrics | undefined>> {
    const ask = async ([workerId, worker]: [string, Socket]) =>
      [workerId, await this.#metricsOf(worker, signal)] as const;
    const told = await Promise.all([...this.#workers].map(ask));
    return new Map(told.filter(([workerId]) => this.#workers.has(workerId)));
  }

  #metricsOf(worker: Socket, signal: AbortSignal): Promise<ProcessMetrics | undefined> {
    const waiting = this.#waiting.get(worker) ?? new Set();
    if (!this.#waiting.has(worker)) {
      this.#waiting.set(worker, waiting);
      send(worker, { kind: "metrics" });
    }
    return new Promise((resolve) => {
      waiting.add(resolve);
      const giveUp = (): void => {
        waiting.delete(resolve);
        resolve(undefined);
      };
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  close(): void {
    this.#cancelLook();
    this.#server?.close();
    rmSync(this.#options.path, { force: true });
    for (const socket of this.#workers.values()) socket.destroy();
  }

  #onConnection(socket: Socket): void {
    const parser = new LineParser<WorkerMessage>();
    let workerId = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) =>
      parser.push(text, (message) => {
        switch (message.kind) {
          case "hello":
            workerId = message.workerId;
            this.#workers.set(workerId, socket);
            this.#options.onWorker(workerId, message.callIds, message.load);
            this.#options.onSpends(workerId, message.spends, true);
            send(socket, { kind: "accounts-over", accounts: this.#over });
            return;
          case "load":
            this.#options.onLoad(workerId, message);
            this.#options.onSpends(workerId, message.spends, false);
            return;
          case "redeem":
            void this.#redeem(socket, message, workerId);
            return;
          case "stream-started":
            this.#options.onStreamStarted(message.callId, message.carrierCallId);
            return;
          case "ended":
            this.#options.onEnded(message.callId, message.end);
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
      if (this.#workers.get(workerId) !== socket) return;
      this.#workers.delete(workerId);
      this.#options.onWorkerGone(workerId);
    });
  }

  #onMetrics(socket: Socket, metrics: ProcessMetrics | undefined): void {
    for (const resolve of this.#waiting.get(socket) ?? []) resolve(metrics);
    this.#waiting.delete(socket);
  }

  async #redeem(
    socket: Socket,
    { id, tokenHash, only }: Extract<WorkerMessage, { kind: "redeem" }>,
    workerId: string,
  ): Promise<void> {
    try {
      const call = await this.#options.redeem(tokenHash, workerId, only);
      // The worker died meanwhile, or has come back and gave this one up: nobody carries the call, and nobody would miss it.
      if (call !== undefined && this.#workers.get(workerId) !== socket) this.#options.onEnded(call.callId);
      else send(socket, { kind: "redeemed", id, call: call ?? null });
    } catch (error) {
      this.#options.log.error({ err: error, code: codeOf(error) }, "a token could not be redeemed");
      send(socket, { kind: "redeem-failed", id });
    }
  }
}

function send(socket: Socket, message: ControlMessage): void {
  socket.write(toLine(message));
}
