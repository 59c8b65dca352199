import crypto from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import S3rver from "@20minutes/s3rver";
import { S3Bucket } from "../../../src/store/bucket/s3.ts";

/** The credentials that the server accepts. */
export const S3_CREDENTIALS = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
export const S3_BUCKET_NAME = "calls";

/** An S3 server on this machine. */
export interface S3Server {
  /** The address of its bucket. */
  url: string;
  /** The bucket, as the service opens it. */
  bucket(requestMsMax?: number): S3Bucket;
  fault: S3Faults;
  close(): Promise<void>;
}

/** What becomes of a request instead: a status, no answer at all, or an answer that is lost when all is done. */
export type S3Fault = { status: number; code: string } | "silent" | "cut" | "lost";

/** What is wrong with the server at present. */
export interface S3Faults {
  /** What becomes of requests instead; undefined for nothing. */
  answer: S3Fault | undefined;
  /** Of so many requests one has this fault. */
  everyNth: number;
  /** How long each request waits before it is looked at. */
  delayMs: number;
  /** Lists lack what was put since. */
  listLagMs: number;
}

/** The answer is sent as a whole, without what was changed within `lagMs`. */
function withoutLatest(response: ServerResponse, lagMs: number): void {
  const parts: Buffer[] = [];
  const end = response.end.bind(response);
  const add = (part: unknown): void => {
    if (typeof part === "string" || part instanceof Uint8Array) parts.push(Buffer.from(part as string));
  };
  response.write = (part: unknown) => {
    add(part);
    return true;
  };
  response.end = ((part: unknown) => {
    add(part);
    const text = Buffer.concat(parts)
      .toString()
      .replaceAll(/<Contents>.*?<\/Contents>/gs, (object) => {
        const changedAtMs = Date.parse(/<LastModified>(.*?)<\/LastModified>/.exec(object)?.[1] ?? "");
        return Date.now() - changedAtMs < lagMs ? "" : object;
      });
    if (!response.headersSent) response.setHeader("content-length", Buffer.byteLength(text));
    return end(text);
  }) as typeof response.end;
}

/** The connection is cut when the answer begins. */
function withoutAnswer(response: ServerResponse): ServerResponse {
  const cut = (): boolean => response.socket?.destroy() !== undefined;
  return Object.assign(response, { write: cut, end: cut });
}

/**
 * The server hides the key in the token of a list's next page by DES, which OpenSSL 3 does not have any more. Another cipher does as
 * well.
 */
function replaceDes(): void {
  const { createCipheriv, createDecipheriv } = crypto;
  const twice = (bytes: Buffer): Buffer => Buffer.concat([bytes, bytes]);
  type Create<Made> = (name: string, key: Buffer, iv: Buffer, ...rest: unknown[]) => Made;
  const replaced = <Made>(create: unknown): Create<Made> => {
    const make = create as Create<Made>;
    return (name, key, iv, ...rest) =>
      name === "des" ? make("aes-128-cbc", twice(key), twice(iv)) : make(name, key, iv, ...rest);
  };
  Object.assign(crypto, { createCipheriv: replaced(createCipheriv), createDecipheriv: replaced(createDecipheriv) });
}

replaceDes();

interface S3ServerOptions {
  /** An address of this machine; by default the one that only this machine reaches. */
  host?: string;
  /** By default a free one. */
  port?: number;
  /** Where it keeps its objects, also after it was closed; by default a directory that is deleted then. */
  directory?: string;
}

/** Starts a real S3 server with one bucket, which is empty in a new directory. */
export async function startS3Server({
  host = "127.0.0.1",
  port = 0,
  directory: kept,
}: S3ServerOptions = {}): Promise<S3Server> {
  const directory = kept ?? mkdtempSync(join(tmpdir(), "trunkline-s3-"));
  const options = { directory, silent: true, configureBuckets: [{ name: S3_BUCKET_NAME, configs: [] }] };
  const s3 = new S3rver(options);
  await s3.configureBuckets();
  // It signs the path of a list without the slash at its end, which S3 signs as it was sent.
  const lists = new S3rver({ ...options, allowMismatchedSignatures: true });
  const fault: S3Faults = { answer: undefined, everyNth: 1, delayMs: 0, listLagMs: 0 };
  let requests = 0;
  const [serve, serveList] = [s3.callback(), lists.callback()];
  const server: Server = createServer(async (request, response) => {
    requests += 1;
    const answer = requests % fault.everyNth === 0 ? fault.answer : undefined;
    if (fault.delayMs > 0) await delay(fault.delayMs);
    const isList = request.url?.startsWith(`/${S3_BUCKET_NAME}/?`) === true;
    if (isList && fault.listLagMs > 0) withoutLatest(response, fault.listLagMs);
    if (answer === undefined) (isList ? serveList : serve)(request, response);
    else if (answer === "cut") request.socket.destroy();
    else if (answer === "lost") serve(request, withoutAnswer(response));
    else if (answer !== "silent") {
      request.resume();
      response.writeHead(answer.status, { "content-type": "application/xml" });
      response.end(`<?xml version="1.0"?><Error><Code>${answer.code}</Code><Message>planted</Message></Error>`);
    }
  });
  server.listen(port, host);
  await once(server, "listening");
  const url = `http://${host}:${(server.address() as AddressInfo).port}/${S3_BUCKET_NAME}`;
  return {
    url,
    fault,
    bucket: (requestMsMax) =>
      new S3Bucket({
        url,
        region: "us-east-1",
        ...S3_CREDENTIALS,
        ...(requestMsMax !== undefined && { requestMsMax }),
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}
