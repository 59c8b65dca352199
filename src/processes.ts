import { codeOf } from "./core/errors.ts";
import type { Logger } from "./core/log.ts";

/** What the supervisor and the processes it watches tell each other over their IPC channels. */
export type ToChild =
  /** Take no more calls and let those that live end; then exit. */
  | { kind: "drain" }
  /** Exit as soon as what must not be lost is written. */
  | { kind: "stop" };

export type FromChild = { kind: "ready"; port: number };

/** Given to a child as its only argument, as JSON: what it cannot read from the environment. */
export interface ChildArguments {
  /** The Unix socket over which worker and control process meet. */
  socketPath: string;
  /** The port to listen on: as configured, or the one that was taken before a restart. */
  port: number;
  /** The media plane's address on this machine, for a control process without PUBLIC_MEDIA_URL. */
  mediaUrl: string;
  /** How often this child was started again. */
  restarts: number;
}

/** What the supervisor tells a parent that forked it, once everything is up. */
export interface ServiceReady {
  kind: "ready";
  apiUrl: string;
  mediaUrl: string;
}

export const childArguments = (): ChildArguments => JSON.parse(process.argv[2] ?? "{}") as ChildArguments;

/** What nobody caught, at the start or later, is told in one line of the log, and ends the process; the supervisor knows what to do. */
export function failInOneLine(log: Logger): void {
  process.once("uncaughtException", (error) => {
    log.fatal({ err: error, code: codeOf(error) }, "process failed");
    process.exit(1);
  });
}

/** The service's processes end by the supervisor's word alone: a Ctrl-C reaches all of them at once. */
export function onSupervisor(handlers: { drain: () => void; stop: () => void }): void {
  process.on("SIGINT", () => {});
  process.on("SIGTERM", handlers.drain);
  process.on("message", (message: ToChild) => handlers[message.kind]());
  process.on("disconnect", handlers.drain);
}
