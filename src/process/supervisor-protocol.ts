import { strict as assert } from "node:assert";
import type { Socket } from "node:net";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { HEARTBEAT_MS } from "../core/limits/processes.ts";
import type { Logger } from "../core/log/logger.ts";
import type { MediaServerChoice } from "../gateway/server/choice.ts";

/** The processes that the supervisor watches: one that controls, and the media workers. */
export type ChildKind = "control" | "worker";

/** How often processes of each kind were started again since the service began. */
export type Restarts = Readonly<Record<ChildKind, number>>;

/** What the supervisor and the processes it watches tell each other over their IPC channels. */
export type ToChild =
  /** Take this place; always the first word. Until then a process has loaded its code, and holds nothing. */
  | { kind: "serve"; options: ChildAssignment }
  /** The service is to end: take no more calls and let those that live end; then exit. */
  | { kind: "drain" }
  /** Another worker stands in your place: stop listening, serve whom you have accepted, let your calls end; then exit. */
  | { kind: "retire" }
  /** No worker is left: exit as soon as what must not be lost is written. */
  | { kind: "stop" }
  /** To the control process, which tells them to whoever asks for the metrics. */
  | { kind: "restarts"; restarts: Restarts }
  /** To a worker, with a connection of the media port, which is its own from here on. */
  | { kind: "connection" }
  /** To a worker, after each connection: Node drops the message of a connection for which the worker has no descriptor, but not this. */
  | { kind: "connection-sent" }
  /** To a worker that takes no more connections: none follow this. */
  | { kind: "connections-stopped" };

export type FromChild =
  | { kind: "ready"; port: number }
  /** The control process brings the database's schema up to date, or has done so; meanwhile its loop stands still. */
  | { kind: "migrating"; isOver: boolean }
  /** The loop turns. Told every HEARTBEAT_MS from `ready` on. */
  | { kind: "heartbeat" }
  /** A worker takes connections of the media port from now on, or takes no more. */
  | { kind: "connections"; accepting: boolean }
  /** The answer to `connection-sent`: one that was handed over has been taken, or was lost on its way. */
  | { kind: "connection-taken" };

/** Given to a child with its place: what it cannot read from the environment. */
export interface ChildAssignment {
  /** The Unix socket over which workers and control process meet. */
  socketPath: string;
  /** The port to listen on: as configured, or the one that was taken before a restart. */
  port: number;
  /** The media plane's address on this machine, for a control process without PUBLIC_MEDIA_URL. */
  mediaUrl: string;
  restarts: Restarts;
  /** What serves the media port, chosen once for all processes. */
  mediaServer: MediaServerChoice;
  /** Whether it is the worker that the service starts with: what is the same in every worker is logged by this one. */
  isFirst: boolean;
}

/** What the supervisor tells a parent that forked it, once everything is up. */
export interface ServiceReady {
  kind: "ready";
  apiUrl: string;
  mediaUrl: string;
}

/** What was told behind the place, and before there was anybody to hear it: Node loses what comes between two listeners. */
const earlyMessages: ToChild[] = [];
const queueEarlyMessage = (message: ToChild): number => earlyMessages.push(message);

/** Resolves when the supervisor gives this process its place, which may be long after its start; exits where nobody will. */
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
  assert.equal(message.kind, "serve", "the first word gives a place");
  return message.options;
}

/** What nobody caught, at the start or later, is told in one line of the log, and ends the process; the supervisor knows what to do. */
export function exitOnUncaughtException(log: Logger): void {
  process.once("uncaughtException", (error) => {
    log.fatal({ err: error, code: codeOf(error) }, "process failed");
    process.exit(1);
  });
}

/** What a process does at each word of the supervisor. */
export interface SupervisorHandlers {
  drain: () => void;
  stop: () => void;
  /** The supervisor is gone. Another one may start at any moment: ports, the data directory and the socket are to be left to it. */
  orphaned: () => void;
  /** Of workers. */
  retire?: () => void;
  /** Of the control process. */
  restarts?: (restarts: Restarts) => void;
  /** Of workers that are handed their connections. */
  connections?: {
    onConnection(connection: Socket | undefined): void;
    onConnectionSent(): void;
    onConnectionsStopped(): void;
  };
}

/** The service's processes end by the supervisor's word alone: a Ctrl-C, or a terminal that goes away, reaches all of them at once. */
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
  process.on("SIGTERM", drain);
  process.on("disconnect", orphaned);
  const obey = (message: ToChild, connection?: Socket): void => {
    switch (message.kind) {
      case "serve":
        // It has a place.
        return;
      case "drain":
        drain();
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
      case "connections-stopped":
        connections?.onConnectionsStopped();
        return;
    }
  };
  process.on("message", obey);
  process.off("message", queueEarlyMessage);
  for (const message of earlyMessages) obey(message);
  // A supervisor that died while this process came up says so to nobody.
  if (!process.connected) orphaned();
}

/** Tells the supervisor that this process is there, and from then on that its loop turns. */
export function reportReady(port: number, clock: Clock): void {
  send({ kind: "ready", port }, () => scheduleHeartbeat(clock));
}

/** The next one waits until this one was taken: nothing piles up before a supervisor that hangs. */
function scheduleHeartbeat(clock: Clock): void {
  clock.after(HEARTBEAT_MS, () => send({ kind: "heartbeat" }, () => scheduleHeartbeat(clock)));
}

/** Resolves when it was written to the supervisor's channel, and at once where there is no supervisor. */
export const sendToSupervisor = (message: FromChild): Promise<void> =>
  new Promise((resolve) => {
    if (process.connected && process.send) process.send(message, undefined, undefined, () => resolve());
    else resolve();
  });

/** Tells the supervisor something that it does not wait for. */
export const notifySupervisor = (message: FromChild): void => send(message, () => {});

/** Without a supervisor nothing is told, and nothing waits for it. */
function send(message: FromChild, taken: () => void): void {
  if (process.connected) process.send?.(message, undefined, undefined, (error) => error === null && taken());
}
