import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TOKEN_CHARS } from "../../../src/core/limits/service/admission.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { collectGarbage } from "../../support/heap.ts";
import { exchange, head } from "../../support/network/raw-http.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { mintToken } from "../../support/tokens.ts";
import { DIFFERENCES } from "./differences.ts";

/** What peers may do wrong with HTTP, and how requests that become no stream are refused. */
export function httpContract(mediaServer: MediaServerName): void {
  const differences = DIFFERENCES[mediaServer];
  const UNKNOWN = "x".repeat(TOKEN_CHARS);
  const PATH = `/stream/${UNKNOWN}`;

  /** At once, on a machine that has other things to do: far from the ten seconds after which a silent connection is closed. */
  const SOON_MS = 5_000;

  let redemptions = 0;
  let service: MediaService;
  beforeEach(async () => {
    service = await mediaService({
      mediaServer,
      async beforeRedeem() {
        redemptions += 1;
      },
    });
  });
  afterEach(() => service.close());

  /** An upgrade with an unknown token; `more` replaces and adds headers. */
  const upgrade = (more: Readonly<Record<string, string | undefined>> = {}): string =>
    head(`GET ${PATH}`, {
      Upgrade: "websocket",
      Connection: "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version": "13",
      ...more,
    });

  const manyHeaders = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-Header-${index}`, "value"]));

  /** A stream with a good token opens: the server is alive and accepts calls. */
  async function expectToServe(): Promise<void> {
    const { callId, token } = await service.create();
    const ws = await RawWs.connect(service.url);
    expect((await ws.upgrade(`/stream/${token}`))?.status).toBe(101);
    ws.destroy();
    expect((await service.ended(callId)).endReason).toBe("caller_hangup");
  }

  describe("malformed HTTP request heads", () => {
    const smuggled = head("GET /smuggled");
    const post = (headers: Record<string, string>, body: string): string => head(`POST ${PATH}`, headers) + body;

    test.each<[string, string | Buffer, readonly number[]]>([
      ["101 headers more", upgrade(manyHeaders(101)), [431]],
      ["1,001 headers more", upgrade(manyHeaders(1_001)), [431]],
      ["a header of 4,097 bytes", upgrade({ "X-Big": "a".repeat(4_097 - "X-Big: ".length) }), [431]],
      ["a header of 64 KiB", upgrade({ "X-Big": "a".repeat(65_536) }), [431]],
      [
        "16,384 spaces before a subprotocol",
        upgrade({ "Sec-WebSocket-Protocol": `${" ".repeat(16_384)}a` }),
        differences.statusesOfSpacesBeforeValue,
      ],
      ["a path of 8 KiB", head(`GET /${"a".repeat(8_192)}`), [431]],
      ["no Host", upgrade({ Host: undefined }), [400]],
      [
        "a length and chunks",
        post({ "Content-Length": "5", "Transfer-Encoding": "chunked" }, `0\r\n\r\n${smuggled}`),
        [400],
      ],
      ["chunks of no length", post({ "Transfer-Encoding": "chunked" }, `ZZ\r\n${smuggled}`), [400]],
      ["an unknown transfer coding", post({ "Transfer-Encoding": "gzip" }, smuggled), [400]],
      ["a length below zero", post({ "Content-Length": "-1" }, smuggled), [400]],
      ["a length beyond all numbers", post({ "Content-Length": "9".repeat(20) }, smuggled), [400]],
      ["lines that end in LF alone", upgrade().replaceAll("\r\n", "\n"), [505]],
      ["HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\n\r\n", [505]],
      ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [505]],
      ["a TLS handshake", Buffer.from("16030100a5010000a10303", "hex"), differences.statusesOfTlsHandshake],
      // RFC 9112, section 3.2.
      ["two Hosts", upgrade().replace("\r\n", "\r\nHost: y\r\n"), [400]],
      // A client that sends a second request before the first is answered gets no answer.
      ["two upgrades at once", upgrade() + upgrade(), []],
      ["a request after a request", head("GET /") + smuggled, []],
      ["a request after a body", post({ "Content-Length": "2" }, `hi${smuggled}`), []],
      [
        "a request after a body of two lengths",
        post({ "Content-Length": "2\r\nContent-Length: 3" }, `hi${smuggled}`),
        differences.statusesOfTwoLengths,
      ],
    ])("B9: %s: the connection is closed at once, and nothing after it is served", async (_what, bytes, statuses) => {
      const answer = await exchange(service.port, [bytes], SOON_MS);
      expect(answer).toMatchObject({ statuses, ended: true });
      await expectToServe();
    });

    test("B9: a head in two parts is accepted; split within its version it may be refused", async () => {
      const bytes = upgrade();
      const answers = await Promise.all(
        Array.from({ length: bytes.length - 1 }, async (_, index) => {
          const [first, second] = [bytes.slice(0, index + 1), bytes.slice(index + 1)];
          return { first, ...(await exchange(service.port, [first, second], SOON_MS)) };
        }),
      );
      for (const { first, statuses, ended } of answers) {
        const isUnread = differences.mayMissSplitVersion && /^GET (\S+ [^\n]*)?$/.test(first);
        expect([first, isUnread ? [[401], [505]] : [[401]], ended]).toEqual([
          first,
          expect.arrayContaining([statuses]),
          true,
        ]);
      }
    });

    test.each<[string, string, readonly number[]]>([
      ["a line that is no request", "hello\r\n\r\n", differences.statusesOfNoVersion],
      ["a space before a colon", upgrade({ "X-Space ": "before the colon" }), [400]],
      ["a header on two lines", upgrade({ "X-Folded": "one\r\n two" }), [400]],
      ["a NUL", upgrade({ "X-Nul": "a\0b" }), [400]],
      ["a head that never ends", "GET", []],
    ])("B9: %s: no stream is opened, and the connection is closed within seconds", async (_what, bytes, statuses) => {
      const answer = await exchange(service.port, [bytes], 20_000);
      expect(answer).toMatchObject({ statuses, ended: true });
      await expectToServe();
    });
  });

  describe("refusals", () => {
    test.each<[string, string, number]>([
      ["an unknown token", upgrade(), 401],
      ["a malformed token", upgrade().replace(UNKNOWN, "short"), 401],
      ["no token", upgrade().replace(UNKNOWN, ""), 401],
      ["a token and more", upgrade().replace(UNKNOWN, `${UNKNOWN}/more`), 401],
      ["another path", head("GET /nowhere"), 404],
      ["no upgrade", head(`GET ${PATH}`), 426],
      ["an upgrade of another version", upgrade({ "Sec-WebSocket-Version": "8" }), 426],
    ])("of %s have the shape of the API's errors", async (_what, request, status) => {
      const { text, statuses } = await exchange(service.port, [request], SOON_MS);
      expect(statuses).toEqual([status]);
      const [lines = "", body = ""] = text.split("\r\n\r\n");
      const code = { 401: "unauthorized", 404: "not_found", 426: "upgrade_required" }[status];
      const requestId = /^X-Request-Id: (req_[0-9a-f-]{36})\r$/m.exec(lines)?.[1];
      expect(JSON.parse(body)).toEqual({ error: { code, message: expect.any(String), details: [], requestId } });
      expect(lines).toContain("\r\nCache-Control: no-store\r\n");
      expect(lines).toContain("\r\nConnection: close\r\n");
    });

    test("a 401 names the authentication scheme", async () => {
      const { text } = await exchange(service.port, [upgrade()], SOON_MS);
      expect(text).toContain('\r\nWWW-Authenticate: StreamToken realm="Trunkline"\r\n');
    });

    test("pages of CORS_ORIGINS may read them, and no others", async () => {
      const origin = "http://localhost:5173";
      const lenient = await mediaService({ mediaServer, corsOrigins: [origin] });
      try {
        for (const path of [PATH, "/nowhere"]) {
          const allowedFor = async (from: string): Promise<unknown> => {
            const { headers } = await fetch(`http://127.0.0.1:${lenient.port}${path}`, { headers: { Origin: from } });
            return [headers.get("access-control-allow-origin"), headers.get("vary")];
          };
          expect(await allowedFor(origin)).toEqual([origin, "Origin"]);
          expect(await allowedFor("http://localhost:5174")).toEqual([null, "Origin"]);
        }
      } finally {
        await lenient.close();
      }
      const { headers } = await fetch(`http://127.0.0.1:${service.port}${PATH}`, { headers: { Origin: origin } });
      expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([null, null]);
    });

    test("B11: with any method a stream's path is 426 and any other 404, and the response repeats nothing of the request", async () => {
      for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "FOO"]) {
        for (const [path, status] of [
          [PATH, 426],
          ["/stream/", 426],
          ["/stream", 404],
          ["/api/v1/calls", 404],
        ] as const) {
          const { statuses, text, ended } = await exchange(service.port, [head(`${method} ${path}`)], SOON_MS);
          const isStream = path.startsWith("/stream/") ? "stream" : "other";
          const special = { FOO: differences.unknownMethodStatus, CONNECT: differences.connectStatus }[method];
          expect([method, path, statuses, ended]).toEqual([method, path, [special?.[isStream] ?? status], true]);
          expect(text).not.toContain(UNKNOWN);
        }
      }
      await expectToServe();
    });

    test("B11: HEAD gets only the head", async () => {
      const answer = await fetch(`http://127.0.0.1:${service.port}${PATH}`, { method: "HEAD" });
      expect([answer.status, await answer.text()]).toEqual([426, ""]);
      expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(100);
    });

    test("B11: an upgrade of another path, or to another protocol than WebSocket, is refused", async () => {
      for (const [request, status] of [
        [upgrade().replace(PATH, "/"), 404],
        [upgrade().replace(PATH, "/api/v1/calls"), 404],
        [upgrade().replace(PATH, `/${PATH}`), 404],
        [upgrade().replace(PATH, `${PATH}/`), 401],
        [upgrade().replace(PATH, PATH.replace("/stream/", "/stream//")), 401],
        [upgrade({ "Sec-WebSocket-Key": undefined, Upgrade: "h2c" }), 426],
      ] as const) {
        expect((await exchange(service.port, [request], SOON_MS)).statuses).toEqual([status]);
      }
    });
  });

  describe("T9: a flood of unknown tokens", () => {
    const flood = async (count: number, token: () => string, status = 401): Promise<void> => {
      for (let sent = 0; sent < count; sent += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => exchange(service.port, [upgrade().replace(UNKNOWN, token())], SOON_MS)),
        );
        for (const { statuses } of answers) expect(statuses).toEqual([status]);
      }
    };

    test("the store is not queried for texts that cannot be tokens", async () => {
      const before = redemptions;
      const shapes = ["", "x".repeat(63), "x".repeat(65), `${"x".repeat(63)}=`, `${"x".repeat(63)}+`, "%78".repeat(21)];
      let turn = 0;
      await flood(1_000, () => shapes[turn++ % shapes.length] ?? "");
      await flood(50, () => "é", differences.statusOfNonAsciiPath);
      expect(redemptions).toBe(before);
    });

    test("all are refused without a trace, and a valid token is redeemed", async () => {
      await flood(4_000, mintToken);
      service.logged.length = 0;
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      const asked = redemptions;
      await flood(3_000, mintToken);
      expect(redemptions - asked).toBe(3_000);
      expect(service.logged.length).toBe(3_000);
      service.logged.length = 0;
      collectGarbage();
      // A token and what belongs to it, kept for each, would be some MiB.
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(1024 * 1024);
      expect(service.gateway.callIds()).toEqual([]);
      await expectToServe();
    }, 60_000);
  });
}
