import { createRequire } from "node:module";
import { unavailable } from "../../../core/errors.ts";

// The only module that loads uWebSockets.js. The binaries come from a third party's packages, `@uwsjs/linux-x64-*`,
// which have no types: these are the parts of the library that we use, as
// https://unetworking.github.io/uWebSockets.js/generated/ describes them.

/** A response of the library; valid until it is sent or aborted. */
export interface UwsResponse {
  onAborted(handler: () => void): UwsResponse;
  cork(write: () => void): UwsResponse;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body: string, closeConnection: boolean): UwsResponse;
  endWithoutBody(reportedBytes: number, closeConnection: boolean): UwsResponse;
  upgrade<Data>(data: Data, key: string, protocol: string, extensions: string, context: UwsContext): void;
  close(): UwsResponse;
}

/** A request of the library; valid until its handler returns. */
export interface UwsRequest {
  getMethod(): string;
  /** Without the question mark; undefined where there is none. */
  getQuery(): string | undefined;
  getHeader(name: string): string;
  getParameter(index: number): string | undefined;
}

/** The context that an upgrade is passed on with. */
export type UwsContext = { readonly kind: unique symbol };
export type UwsListenSocket = { readonly kind: unique symbol };

/** A stream of the library; no method may be called after `close`. */
export interface UwsSocket<Data> {
  /** 1: sent; 0: queued after earlier output; 2: dropped because too much is queued. */
  send(message: Uint8Array | string, isBinary: boolean): number;
  /** As `send`. */
  ping(): number;
  end(code: number, reason: string): void;
  getUserData(): Data;
  getBufferedAmount(): number;
}

export interface UwsBehavior<Data> {
  compression: number;
  maxPayloadLength: number;
  maxBackpressure: number;
  /** Seconds. */
  idleTimeout: number;
  sendPingsAutomatically?: boolean;
  upgrade?: (response: UwsResponse, request: UwsRequest, context: UwsContext) => void;
  open?: (socket: UwsSocket<Data>) => void;
  /** The message is valid until this returns. */
  message: (socket: UwsSocket<Data>, message: ArrayBuffer, isBinary: boolean) => void;
  ping?: (socket: UwsSocket<Data>) => void;
  pong?: (socket: UwsSocket<Data>) => void;
  close?: (socket: UwsSocket<Data>, code: number, message: ArrayBuffer) => void;
}

export interface UwsApp {
  ws<Data>(pattern: string, behavior: UwsBehavior<Data>): UwsApp;
  get(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(host: string, port: number, onListening: (socket: UwsListenSocket | false) => void): UwsApp;
  /**
   * Undocumented: called for every connection with 1 when it is accepted, and with -1 when it is closed, unless it was
   * upgraded.
   */
  filter(onConnection: (response: UwsResponse, change: number) => void): UwsApp;
  /**
   * Undocumented except in the library's example of worker threads: an address of this app, valid as long as the
   * process lives.
   */
  getDescriptor(): number;
  /** As `getDescriptor`: from now on this app only accepts connections, and hands them to its children in turn. */
  addChildAppDescriptor(descriptor: number): UwsApp;
  removeChildAppDescriptor(descriptor: number): UwsApp;
  close(): UwsApp;
}

/** The library. */
export interface UwsModule {
  App(): UwsApp;
  SSLApp(files: { cert_file_name: string; key_file_name: string }): UwsApp;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
}

/**
 * Loads the binary of a chosen package. Throws `unavailable`, with one line for the operator, when it cannot be loaded.
 */
export function loadUws(folder: string): UwsModule {
  try {
    const module = createRequire(import.meta.url)(folder) as Partial<UwsModule>;
    // An empty or truncated loader loads without an error.
    if (typeof module.App !== "function") throw new Error("its index.js is incomplete");
    return module as UwsModule;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw unavailable(
      `the media server's binary cannot be loaded (${reason}): run npm ci, or set MEDIA_SERVER=ws`,
      error,
    );
  }
}
