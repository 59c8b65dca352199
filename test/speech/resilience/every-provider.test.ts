import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { type Refusal, refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { hasOpenssl, makeCertificate } from "../../support/network/certificates.ts";
import { type AnyProvider, EVERY_PROVIDER, PROVIDER_KEY, SPOKEN } from "../../support/providers/every-provider.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

// Faults before or below the protocol, which are the same for every provider that uses a server.

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** A label longer than a host name allows: it cannot exist, so no DNS server is queried. */
const NO_SUCH_HOST = `${"x".repeat(64)}.invalid`;

/** Secrets that no error may quote. */
const ALL_SECRETS = new RegExp(`${PROVIDER_KEY}|${SPOKEN}`);

/** The error of a request to the provider; asserts that it quotes no secret. */
async function failureOf({ ask }: AnyProvider, base: string): Promise<{ message: string; cause?: unknown }> {
  const clock = new ManualClock();
  const error: unknown = await ask(base, clock).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "provider_failed", fault: "provider" });
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(ALL_SECRETS);
  expect(clock.pending).toBe(0);
  return error as Error;
}

/** A server that writes its responses byte by byte itself. */
async function rawServer(answer: (socket: Duplex, request: IncomingMessage) => void) {
  const requestUrls: string[] = [];
  const server = createServer((request, response) => {
    // A preconnect requests nothing in particular.
    if (request.method === "GET") {
      response.writeHead(404).end();
      return;
    }
    requestUrls.push(request.url ?? "");
    request.resume();
    answer(request.socket, request);
  });
  server.on("upgrade", (request, socket: Duplex) => {
    requestUrls.push(request.url ?? "");
    socket.on("error", () => {});
    answer(socket, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requestUrls };
}

const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}) =>
  (socket: Duplex): void => {
    const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const body = `${PROVIDER_KEY}: ${SPOKEN}`;
    socket.end(
      `HTTP/1.1 ${status} No\r\n${headerLines.join("")}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  };

/** Accepts a WebSocket handshake and sends `bytes` after it. */
const switching =
  (bytes: Uint8Array, headers = "") =>
  (socket: Duplex, { headers: received }: IncomingMessage): void => {
    const accept = createHash("sha1")
      .update(`${received["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${headers}\r\n`,
    );
    socket.write(bytes);
  };

const overWebSocket = EVERY_PROVIDER.filter(({ isSocket }) => isSocket);
const overHttp = EVERY_PROVIDER.filter(({ isSocket }) => !isSocket);

/** Describes each provider; the tests have its stage as their tag. */
function describeEach(providers: readonly AnyProvider[], where: string, tests: (provider: AnyProvider) => void): void {
  for (const provider of providers) {
    const { kind, name } = provider;
    describe(`${kind} ${name}${where}`, { tags: [kind] }, () => tests(provider));
  }
}

describeEach(EVERY_PROVIDER, "", (provider) => {
  test("P1: a refused connection is reported with the system's error code", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    expect((await failureOf(provider, `http://127.0.0.1:${port}`)).message).toContain("ECONNREFUSED");
  });

  test("P1: an unresolvable host is reported with the system's error code", async () => {
    expect((await failureOf(provider, `http://${NO_SUCH_HOST}:8080`)).message).toMatch(/ENOTFOUND|EAI_/);
  });

  test.skipIf(!hasOpenssl)("P1: an untrusted certificate is refused (only where openssl is installed)", async () => {
    const { certFile, keyFile } = makeCertificate(temporaryDirectory(), "provider");
    const server = createTlsServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    opened.push(server);
    const { port } = server.address() as AddressInfo;
    const { message } = await failureOf(provider, `https://127.0.0.1:${port}`);
    expect(message).toContain("DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  test.each([
    400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 529,
  ])("P8: %i is a refusal, reported with its status, and not retried", async (status) => {
    const { base, requestUrls } = await rawServer(refusing(status));
    const { message, cause } = await failureOf(provider, base);
    expect(message).toContain(String(status));
    expect(cause).toEqual({ status, retryAfterMs: undefined } satisfies Refusal);
    expect(requestUrls).toHaveLength(1);
  });

  test.each([
    "0",
    "3600",
    "Wed, 21 Oct 2026 07:28:00 GMT",
    "soon",
  ])("P8: the retry delay is reported where the server gives it in seconds: %s", async (retryAfter) => {
    const { base } = await rawServer(refusing(429, { "retry-after": retryAfter }));
    expect((await failureOf(provider, base)).cause).toEqual(refusalFrom(429, retryAfter));
  });

  test("P8: a redirect to a private address is a refusal and is not followed", async () => {
    const elsewhere = await rawServer(refusing(500));
    const { base } = await rawServer(refusing(301, { location: `${elsewhere.base}/v1` }));
    expect((await failureOf(provider, base)).message).toContain("301");
    expect(elsewhere.requestUrls).toEqual([]);
  });
});

describeEach(overWebSocket, " over its WebSocket", (provider) => {
  test.each<[name: string, bytes: Uint8Array, headers?: string]>([
    ["a message of 1 GB", Buffer.from([0x81, 0x7f, 0, 0, 0, 0, 0x40, 0, 0, 0])],
    ["a message in an unreasonable number of fragments", Buffer.alloc(400_000)],
    [
      "unrequested compression with an invalid window",
      Buffer.alloc(0),
      "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99\r\n",
    ],
    ["a masked message", Buffer.from([0x81, 0x82, 1, 2, 3, 4, 0, 0])],
    ["a text that is no UTF-8", Buffer.from([0x81, 2, 0xff, 0xff])],
    ["a close with 1011 after which the connection stays open", Buffer.from([0x88, 2, 0x03, 0xf3])],
  ])("P10: %s is a failure, and the process survives", async (_name, bytes, headers) => {
    const { base } = await rawServer(switching(bytes, headers));
    await failureOf(provider, base);
  });
});

describeEach(overHttp, " over HTTP", (provider) => {
  test.each<[name: string, encoding: string, body: Buffer]>([
    ["a gzip bomb", "gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ["a brotli bomb", "br", brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
    ["a body compressed a thousand times", Array.from({ length: 1_000 }, () => "gzip").join(", "), gzipSync("{}")],
  ])("P9: %s is refused by its headers, and never decompressed", async (_name, encoding, body) => {
    const { base } = await rawServer((socket) => {
      // It announces more than it sends, so a client that waits for the end would hang.
      const head = `content-type: application/json\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${body.length + 1}`;
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
      socket.write(body);
    });
    await failureOf(provider, base);
  });
});
