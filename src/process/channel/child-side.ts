import { strict as assert } from "node:assert";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { HEARTBEAT_MS } from "../../core/limits/service/processes.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ChildAssignment, FromChild, Restarts, ToChild } from "./protocol.ts";

/**
 * Messages that arrive after the assignment and before `handleSupervisorMessages`. Node discards messages that arrive while no
 * listener is registered.
 */
const earlyMessages: ToChild[] = [];
const queueEarlyMessage = (message: ToChild): number => earlyMessages.push(message);

/**
 * Resolves when the supervisor sends the assignment, which may be long after the start of this process. Exits when the
 * supervisor is gone.
 */
export async function waitForAssignment(): Promise<ChildAssignment> {
  const exit = (): never => process.exit(0);
  process.once("disconnect", exit);
  if (!process.connected) exit();
  const message = await new Promise<ToChild>((resolve) => {
    process.once("message", (first: ToChild) => {
      process.on("message", queueEarlyMessage);
      resolve(first);
    });
  });
  process.off("disconnect", exit);
  assert.equal(message.kind, "assign", "the first message of the supervisor is the assignment");
  return message.options;
}

/** Logs an uncaught exception in one line and exits; the supervisor restarts the process. */
export function exitOnUncaughtException(log: Logger): void {
  process.once("uncaughtException", (error) => {
    log.fatal({ err: error, code: codeOf(error) }, "process failed");
    process.exit(1);
  });
}

/** What a process does on each message of the supervisor. */
export interface SupervisorHandlers {
  /** Live calls may go on for so long; undefined for a signal to this process alone. */
  drain: (withinMs?: number) => void;
  stop: () => void;
  /** The supervisor is gone. Another one may start at any time: ports, data directory and socket must become free for it. */
  orphaned: () => void;
  /** Workers only. */
  retire?: () => void;
  /** Control process only. */
  restarts?: (restarts: Restarts) => void;
  /** Workers whose connections the supervisor accepts. */
  connections?: {
    onConnection(connection: Socket | undefined): void;
    onConnectionSent(): void;
    onConnectionsStarted(): void;
    onConnectionsStopped(): void;
  };
}

/**
 * Only the supervisor ends the processes of the service. A Ctrl-C, or a terminal that closes, signals all of them at once, so
 * they ignore SIGINT and SIGHUP.
 */
export function handleSupervisorMessages({
  drain,
  stop,
  orphaned,
  retire,
  restarts,
  connections,
}: SupervisorHandlers): void {
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
  process.on("SIGTERM", () => drain());
  process.on("disconnect", orphaned);
  const handle = (message: ToChild, connection?: Socket): void => {
    switch (message.kind) {
      case "assign":
        // `waitForAssignment` has handled it.
        return;
      case "drain":
        drain(message.withinMs);
        return;
      case "stop":
        stop();
        return;
      case "retire":
        retire?.();
        return;
      case "restarts":
        restarts?.(message.restarts);
        return;
      case "connection":
        connections?.onConnection(connection);
        return;
      case "connection-sent":
        connections?.onConnectionSent();
        return;
      case "connections-started":
        connections?.onConnectionsStarted();
        return;
      case "connections-stopped":
        connections?.onConnectionsStopped();
        return;
    }
  };
  process.on("message", handle);
  process.off("message", queueEarlyMessage);
  for (const message of earlyMessages) handle(message);
  // The supervisor may have died while this process started; its `disconnect` was emitted before the listener was there.
  if (!process.connected) orphaned();
}

/** Reports to the supervisor that this process is ready, and sends heartbeats from then on. */
export function reportReady(port: number, clock: Clock): void {
  send({ kind: "ready", port }, () => scheduleHeartbeat(clock));
}

/** Each heartbeat is scheduled when the one before was written, so that none pile up when the supervisor hangs. */
function scheduleHeartbeat(clock: Clock): void {
  clock.after(HEARTBEAT_MS, () => send({ kind: "heartbeat" }, () => scheduleHeartbeat(clock)));
}

/** Resolves when the message was written to the supervisor's channel, and at once when there is no supervisor. */
export const sendToSupervisor = (message: FromChild): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve());
    else resolve();
  });

/** Sends a message that the supervisor does not wait for. */
export const notifySupervisor = (message: FromChild): void => send(message, () => {});

/** `onSent` is not called when the message could not be sent, or when there is no supervisor. */
function send(message: FromChild, onSent: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, (error) => error === null && onSent());
}
