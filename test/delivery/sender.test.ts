import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";
import { promisify } from "node:util";
import { Webhook as Signature } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { systemClock } from "../../src/core/clock.ts";
import {
  DELIVERY_ANSWER_BYTES_MAX,
  DELIVERY_EXCERPT_CHARS_MAX,
  DELIVERY_MS_MAX,
} from "../../src/core/limits/control-api/webhooks.ts";
import { GuardedHttp, type Resolve } from "../../src/core/network/guarded-http.ts";
import { eventIdOf } from "../../src/core/new-id.ts";
import { type Message, Sender, type SentMessage } from "../../src/delivery/sender.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasOpenssl, makeCertificate, TestAuthority } from "../support/network/certificates.ts";
import { hookAddress, hookEndpoint } from "../support/network/hook-endpoint.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const SECRETS = ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNhbGRldmVy", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];

const messageTo = (url: string, changes: Partial<Message> = {}): Message => ({
  url,
  eventId: eventIdOf("call.ended call_1"),
  body: JSON.stringify({ type: "call.ended", text: "né 👋 \u2028" }),
  secrets: [SECRETS[0] ?? ""],
  ...changes,
});
const never = new AbortController().signal;
const senderWith = (resolve?: Resolve, clock = systemClock) =>
  new Sender(new GuardedHttp({ allowLoopback: true, resolve }), clock);

describe("a message", () => {
  test("H1, H8: is what the official library verifies, byte for byte, with the id of its event and the time of the attempt", async () => {
    const { url, received } = await hookEndpoint((response) => response.writeHead(204).end());
    const message = messageTo(url);
    const sent = await senderWith().send(message, never);
    expect(sent).toMatchObject({ isDelivered: true, isGone: false, answer: { status: 204, excerpt: "" } });
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    expect(body).toBe(message.body);
    expect(new Signature(SECRETS[0] ?? "").verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
    expect(headers["webhook-id"]).toBe(message.eventId);
    expect(message.eventId).not.toContain(".");
    expect(Math.abs(Number(headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(5);
  });

  test("H5: is signed with both secrets while they overlap, and each verifies it", async () => {
    const { url, received } = await hookEndpoint((response) => response.end());
    await senderWith().send(messageTo(url, { secrets: SECRETS }), never);
    const [{ headers, body } = { headers: {}, body: "" }] = received;
    for (const secret of SECRETS) new Signature(secret).verify(body, headers as Record<string, string>);
    expect(() =>
      new Signature("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").verify(body, headers as Record<string, string>),
    ).toThrow();
  });
});

describe("an answer", () => {
  test.each([200, 201, 204, 299])("H2: of %d is success", async (status) => {
    const { url } = await hookEndpoint((response) => response.writeHead(status).end());
    expect(await senderWith().send(messageTo(url), never)).toMatchObject({ isDelivered: true });
  });

  test.each([
    301, 302, 304, 307, 400, 401, 404, 409, 410, 429, 500, 502, 504,
  ])("H2: of %d is a failure, and no redirect is followed", async (status) => {
    const { url, received } = await hookEndpoint((response) =>
      response.writeHead(status, { location: "/elsewhere" }).end("why"),
    );
    const sent = await senderWith().send(messageTo(url), never);
    expect(sent).toMatchObject({ isDelivered: false, isGone: status === 410, answer: { status } });
    expect(received).toHaveLength(1);
  });

  test("H2: may say when to try again, in seconds or as a date, for a day at most", async () => {
    const after: string[] = ["17", new Date(Date.now() + 60_000).toUTCString(), "999999999", "soon", "-5"];
    const { url } = await hookEndpoint((response) => response.writeHead(429, { "retry-after": after.shift() }).end());
    const delays: (number | undefined)[] = [];
    for (let n = 0; n < 5; n++) delays.push((await senderWith().send(messageTo(url), never)).retryAfterMs);
    expect(delays[0]).toBe(17_000);
    expect(delays[1]).toBeGreaterThan(55_000);
    expect(delays[1]).toBeLessThanOrEqual(60_000);
    expect(delays.slice(2)).toEqual([24 * 3_600_000, undefined, undefined]);
  });

  test("H7: of a gigabyte is read for 64 KiB, and then its connection is closed", async () => {
    let written = 0;
    const { url } = await hookEndpoint((response) => {
      response.statusCode = 500;
      const chunk = Buffer.alloc(64 * 1024, "x");
      const push = (): void => {
        while (written < 1_000_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once("drain", push);
            return;
          }
        }
      };
      push();
    });
    const { isDelivered, answer } = await senderWith().send(messageTo(url), never);
    expect([isDelivered, answer.excerpt]).toEqual([false, "x".repeat(DELIVERY_EXCERPT_CHARS_MAX)]);
    expect(written).toBeLessThan(200 * DELIVERY_ANSWER_BYTES_MAX);
  });

  test("H7: that is compressed is not decompressed, and one of a thousand headers is refused", async () => {
    const bomb = await hookEndpoint((response) =>
      response.writeHead(500, { "content-encoding": "gzip" }).end("\x1f\x8b"),
    );
    expect((await senderWith().send(messageTo(bomb.url), never)).answer.excerpt).toBe("(gzip, not shown)");
    const long = await hookEndpoint((response) => {
      for (let n = 0; n < 1_000; n++) response.setHeader(`x-${n}`, "y".repeat(100));
      response.end();
    });
    expect(await senderWith().send(messageTo(long.url), never)).toMatchObject({
      isDelivered: false,
      answer: { excerpt: "the endpoint could not be reached: HPE_HEADER_OVERFLOW" },
    });
  });

  test("of an endpoint that has accepted the message is not kept, because it may quote it", async () => {
    const { url } = await hookEndpoint((response) => response.end("the caller said yes"));
    const { isDelivered, answer } = await senderWith().send(messageTo(url), never);
    expect([isDelivered, answer.excerpt]).toEqual([true, ""]);
  });

  test("that is no HTTP, or a reset, is a failure with its reason", async () => {
    const nonsense = createTcpServer((socket) => socket.end("hello\r\n"));
    const reset = createTcpServer((socket) => socket.resetAndDestroy());
    for (const server of [nonsense, reset]) {
      const sent = await senderWith().send(messageTo(await hookAddress(server)), never);
      expect(sent).toMatchObject({
        isDelivered: false,
        answer: { excerpt: expect.stringContaining("could not be reached") },
      });
      expect(sent.answer).not.toHaveProperty("status");
    }
  });
});

test.each(["hangs", "drips"])("H2: an endpoint that %s is given up after its time", async (how) => {
  const clock = new ManualClock();
  const { url, received } = await hookEndpoint((response) => {
    if (how === "hangs") return;
    response.writeHead(200);
    response.write("x");
  });
  const sent = senderWith(undefined, clock).send(messageTo(url), never);
  await expect.poll(() => received.length).toBe(1);
  // A drip has begun its answer.
  await new Promise((resolve) => setTimeout(resolve, 20));
  clock.advance(DELIVERY_MS_MAX);
  expect(await sent).toMatchObject({
    isDelivered: false,
    answer: { excerpt: "no complete answer within 15 s", tookMs: DELIVERY_MS_MAX },
  });
});

describe("an address", () => {
  const refused = { isDelivered: false, answer: { excerpt: expect.stringContaining("not of the public internet") } };

  test("S1: that is private is refused, as a literal and by its name, and nothing connects to it", async () => {
    const { url, received } = await hookEndpoint((response) => response.end());
    const { port } = new URL(url);
    const sender = new Sender(
      new GuardedHttp({ allowLoopback: false, resolve: async () => ["127.0.0.1"] }),
      systemClock,
    );
    for (const host of ["127.0.0.1", "[::1]", "localhost", "10.0.0.1", "169.254.169.254", "hooks.example"]) {
      expect(await sender.send(messageTo(`http://${host}:${port}/`), never)).toMatchObject(refused);
    }
    expect(received).toEqual([]);
  });

  test("S2: that resolves to a private one the second time is refused the second time", async () => {
    const answers = [["203.0.114.1"], ["127.0.0.1"]];
    const asked: string[] = [];
    const http = new GuardedHttp({
      allowLoopback: false,
      resolve: async (name) => {
        asked.push(name);
        return answers.shift() ?? [];
      },
    });
    const stop = new AbortController();
    const first = new Sender(http, systemClock).send(messageTo("https://hooks.example/"), stop.signal);
    await expect.poll(() => asked.length).toBe(1);
    stop.abort(new Error("it would wait for an address that nothing answers at"));
    expect((await first).isDelivered).toBe(false);
    expect(await new Sender(http, systemClock).send(messageTo("https://hooks.example/"), never)).toMatchObject(refused);
  });

  test("of which one answer of several is private is refused", async () => {
    const http = new GuardedHttp({ allowLoopback: false, resolve: async () => ["198.51.101.1", "192.168.0.1"] });
    expect(await new Sender(http, systemClock).send(messageTo("https://hooks.example/"), never)).toMatchObject(refused);
  });
});

test.skipIf(!hasOpenssl)(
  "H2: an endpoint gets nothing without a valid certificate of its name (only where openssl is installed)",
  async () => {
    const directory = temporaryDirectory();
    const authority = new TestAuthority(directory);
    const selfSigned = makeCertificate(directory, "self-signed");
    const certificates = [
      authority.issue("valid", "IP:127.0.0.1"),
      { cert: readFileSync(selfSigned.certFile, "utf8"), key: readFileSync(selfSigned.keyFile, "utf8") },
      authority.issue("expired", "IP:127.0.0.1", -1),
      authority.issue("other-name", "DNS:elsewhere.example"),
    ];
    const endpoints = await Promise.all(certificates.map((tls) => hookEndpoint((response) => response.end(), tls)));
    const { path, execArgv } = childModule(import.meta.url, "./programs/send-once");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [...execArgv, path, ...endpoints.map(({ url }) => url)],
      {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: authority.certFile },
      },
    );
    const sent = JSON.parse(stdout) as SentMessage[];
    expect(sent.map(({ isDelivered }) => isDelivered)).toEqual([true, false, false, false]);
    expect(sent.slice(1).map(({ answer }) => answer.excerpt)).toEqual(
      ["DEPTH_ZERO_SELF_SIGNED_CERT", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"].map(
        (code) => `the endpoint could not be reached: ${code}`,
      ),
    );
    expect(endpoints.map(({ received }) => received.length)).toEqual([1, 0, 0, 0]);
  },
);
