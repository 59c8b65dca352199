import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { unavailable } from "../../../core/errors.ts";
import { packageFolder } from "../../../core/installed-package.ts";
import { type Runtime, UWS_LINES, type UwsPackage, uwsPackageName } from "../choice.ts";

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

/** The runtime of this process, and the packages that a module at `from`, a path or file URL, would find. */
export function currentRuntime(from: string = import.meta.url): Runtime {
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    arch: process.arch,
    glibcVersion: glibcVersion(),
    packages: UWS_LINES.flatMap(({ nodeMajor }) => packageFor(nodeMajor, from) ?? []),
  };
}

function glibcVersion(): string | undefined {
  if (process.platform !== "linux") return undefined;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime;
}

function packageFor(nodeMajor: number, from: string): UwsPackage | undefined {
  const name = uwsPackageName(nodeMajor);
  const folder = packageFolder(name, from);
  if (folder === undefined) return undefined;
  return { nodeMajor, name, folder, version: versionOf(folder), problem: binaryProblem(join(folder, "uws.node")) };
}

function versionOf(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: unknown };
    return typeof version === "string" && existsSync(join(folder, "index.js")) ? version : undefined;
  } catch {
    return undefined;
  }
}

// The ELF header: https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html
const ELF_HEADER_BYTES = 64;
const ELF_MAGIC = 0x7f454c46;
const ELF_CLASS_64 = 2;
const ELF_MACHINE_X64 = 62;

/**
 * What is wrong with a binary, judged by its file alone: the system would kill the whole process on a truncated one.
 * The section headers are last in the file, so a complete file reaches to their end.
 */
function binaryProblem(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return "its uws.node cannot be read";
  }
  try {
    const header = Buffer.alloc(ELF_HEADER_BYTES);
    const { size } = fstatSync(file);
    const isElf = readSync(file, header) === ELF_HEADER_BYTES && header.readUInt32BE(0) === ELF_MAGIC;
    if (!isElf) return "its uws.node is not a Linux binary";
    const machine = header.readUInt16LE(18);
    if (header[4] !== ELF_CLASS_64 || machine !== ELF_MACHINE_X64) {
      return `its uws.node is for another processor (ELF machine ${machine}, not ${ELF_MACHINE_X64})`;
    }
    const completeBytes = Number(header.readBigUInt64LE(40)) + header.readUInt16LE(58) * header.readUInt16LE(60);
    return size < completeBytes ? `its uws.node is truncated: ${size} of ${completeBytes} bytes` : undefined;
  } finally {
    closeSync(file);
  }
}
