import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { BODY_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { conversation, telephone, utterance } from "../../callers/telephone.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { WebrtcSocket } from "../../callers/webrtc-socket.ts";
import { exampleIn } from "../../support/docs/blocks.ts";
import { hasOpenssl, makeCertificate, type TestCertificate } from "../../support/network/certificates.ts";
import { freePort } from "../../support/network/free-port.ts";
import { hasNginx, Nginx } from "../../support/network/nginx.ts";
import { type HttpAnswer, RawWs } from "../../support/network/raw-ws.ts";
import { NEW_CALL, Service, withStores } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { mintToken } from "../../support/tokens.ts";

const GREETING = "Hartwell bakery.";
const UPGRADE = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
};

const root = mkdtempSync(join(tmpdir(), "trunkline-nginx-"));
/** Everything that may not be found in a log of nginx. */
const tokens: string[] = [];
let certificate: TestCertificate;
let service: Service;
let nginx: Nginx;
let port: number;

/** What the service listens on, as its log tells: the addresses that it tells of itself are the proxy's. */
function portOf(child: "control" | "worker", role?: "webrtc"): number {
  const started = service.logged("process started");
  return started.findLast((line) => line.kind === child && line.role === role)?.port as number;
}

function startNginx(onPort: number, replacing: Readonly<Record<string, string>> = {}): Promise<Nginx> {
  const [apiPort, mediaPort] = [portOf("control"), portOf("worker")];
  return Nginx.start({
    directory: mkdtempSync(join(root, "nginx-")),
    port: onPort,
    apiPort,
    mediaPort,
    webrtcPort: portOf("worker", "webrtc"),
    certificate,
    replacing,
    main: exampleIn("deploy/README.md", "Trunkline with nginx, Prometheus and Grafana", "nginx"),
  });
}

async function createCall(body: object = {}, base = `https://127.0.0.1:${port}`) {
  const answer = await fetch(`${base}/api/v1/calls`, {
    method: "POST",
    headers: { "X-API-Key": service.apiKey, "Content-Type": "application/json" },
    body: JSON.stringify({ ...NEW_CALL, ...body }),
  });
  const call = (await answer.json()) as { id: string; websocketUrl: string };
  expect([answer.status, answer.headers.get("location")?.endsWith(`/api/v1/calls/${call.id}`)]).toEqual([201, true]);
  tokens.push(new URL(call.websocketUrl).pathname.split("/").at(-1) as string);
  return { ...call, location: answer.headers.get("location") };
}

/** Opens the socket of a WebRTC call, and RTP beside it. */
async function connectRtp(url: string) {
  const socket = await WebrtcSocket.open(url);
  const caller = new WebrtcCaller();
  onTestFinished(() => caller.close());
  await caller.connect(socket.exchange);
  const { transport, resumeUrl } = await socket.text("ready");
  expect(transport).toBe("rtp");
  return { socket, caller, resumeUrl: String(resumeUrl) };
}

/** Sends a request line, with or without a token in it, as it is, and reads the answer. */
async function ask(requestLine: string, headers: Readonly<Record<string, string>> = {}, body = "", atPort = port) {
  const ws = await RawWs.connect(`wss://127.0.0.1:${atPort}`);
  const lines = Object.entries({ Host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  ws.write(`${requestLine}\r\n${lines.join("")}\r\n${body}`);
  const answer = await ws.readHttp();
  ws.destroy();
  return answer;
}

function expectError(answer: HttpAnswer | undefined, status: number, code: string): void {
  expect([answer?.status, answer?.headers["content-type"]]).toEqual([status, "application/json; charset=utf-8"]);
  expect(JSON.parse(answer?.body ?? "")).toEqual({
    error: { code, message: expect.any(String), details: [], requestId: answer?.headers["x-request-id"] },
  });
  expect(answer?.headers["retry-after"]).toBe(status > 500 ? "5" : undefined);
}

describe.skipIf(!hasNginx || !hasOpenssl)("behind nginx (only where nginx and openssl are installed)", () => {
  beforeAll(async () => {
    // What comes to meet us here has made its certificate itself.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    certificate = makeCertificate(root, "proxy");
    port = await freePort();
    const env = {
      PUBLIC_API_URL: `https://localhost:${port}`,
      PUBLIC_MEDIA_URL: `wss://127.0.0.1:${port}`,
      TRUSTED_PROXIES: "127.0.0.1",
      WEBRTC_UDP_PORTS: "42040-42047",
      WEBRTC_MEDIA_PORT: "0",
      PUBLIC_WEBRTC_URL: `wss://127.0.0.1:${port}/webrtc`,
    };
    service = await Service.start({ env });
    nginx = await startNginx(port);
  });
  afterAll(async () => {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    await nginx?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test("a whole call is created over HTTPS, carried over wss, heard, and read", {
    retry: ifMachineStalled,
  }, async () => {
    const [question, goodbye] = await Promise.all([utterance("Open on Monday?"), utterance("Goodbye!")]);
    const { id, websocketUrl, location } = await createCall({ greeting: GREETING });
    expect(location).toBe(`/api/v1/calls/${id}`);
    expect(websocketUrl).toMatch(new RegExp(`^wss://127\\.0\\.0\\.1:${port}/stream/`));
    const { caller } = await telephone(websocketUrl, conversation([question, goodbye]));
    expect([caller.finished, caller.heard[0]?.text]).toEqual([true, GREETING]);
    expect(await service.ended(id)).toMatchObject({ status: "ended", endReason: "agent_hangup" });
    const recording = await fetch(`https://127.0.0.1:${port}${location}/recording`, {
      headers: { "X-API-Key": service.apiKey },
    });
    expect([recording.status, recording.headers.get("content-type")]).toEqual([200, "audio/wav"]);
    expect((await recording.arrayBuffer()).byteLength).toBeGreaterThan(100_000);
  });

  test("the WebSocket of a WebRTC call passes, its audio does not, and it is resumed through the proxy", {
    retry: ifMachineStalled,
  }, async () => {
    const { id, websocketUrl } = await createCall({ greeting: GREETING, connectionType: "webrtc" });
    expect(websocketUrl).toMatch(new RegExp(`^wss://127\\.0\\.0\\.1:${port}/webrtc/stream/`));
    const first = await connectRtp(`${websocketUrl}?resume=true`);
    tokens.push(new URL(first.resumeUrl).pathname.split("/").at(-1) as string);
    expect(first.resumeUrl).toMatch(new RegExp(`^wss://127\\.0\\.0\\.1:${port}/webrtc/stream/r_`));
    await expect.poll(() => first.caller.heard.length, { timeout: 10_000 }).toBeGreaterThan(5);
    first.socket.cut();
    first.caller.close();
    const again = await connectRtp(first.resumeUrl);
    again.socket.send({ type: "end" });
    expect(await service.ended(id)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
  });

  test("the API is served over HTTP/2, and its OpenAPI document names the public address", async () => {
    const client = connectHttp2(`https://127.0.0.1:${port}`);
    const request = client.request({ ":path": "/api/v1/openapi.json" });
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    const [headers] = (await once(request, "response")) as [Record<string, unknown>];
    await once(request, "end");
    client.close();
    expect(headers[":status"]).toBe(200);
    expect((JSON.parse(body) as { servers: unknown[] }).servers[0]).toMatchObject({
      url: `https://localhost:${port}/api/v1`,
    });
  });

  test("a person signs in through the proxy by a link that no log has, and gets cookies for TLS alone", async () => {
    const base = `https://127.0.0.1:${port}`;
    const { key } = await withStores(service.dataDir, ({ apiKeys }, accountId) =>
      apiKeys.create({ accountId, name: "people", scopes: SCOPES }),
    );
    const invited = await fetch(`${base}/api/v1/users`, {
      method: "POST",
      headers: { "X-API-Key": key, "Content-Type": "application/json" },
      body: JSON.stringify({ email: "kim@example.com", name: "Kim", role: "owner" }),
    });
    const { link } = (await invited.json()) as { link: { url: string } };
    expect(link.url).toMatch(new RegExp(`^https://localhost:${port}/dashboard/accept#tll_`));
    const token = link.url.split("#")[1] ?? "";
    tokens.push(token);
    expect((await fetch(`${base}/dashboard/accept`)).headers.get("content-type")).toBe("text/html; charset=utf-8");
    const accepted = await fetch(`${base}/dashboard/session/accept`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, password: "four quite random words" }),
    });
    const cookies = accepted.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.replace(/=.*?;/, "=…;").replace(/Max-Age=\d+/, "Max-Age=…"))).toEqual([
      "__Host-trunkline_session=…; Path=/; Max-Age=…; HttpOnly; SameSite=Strict; Secure",
      "__Host-trunkline_device=…; Path=/; Max-Age=…; HttpOnly; SameSite=Strict; Secure",
    ]);
    const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
    const users = await fetch(`${base}/dashboard/session/api/v1/users`, { headers: { cookie } });
    expect([users.status, (await fetch(`${base}/api/v1/users`, { headers: { cookie } })).status]).toEqual([200, 401]);
  });

  test("a webhook of a carrier reaches the service, and no log has the key of its address", async () => {
    const key = "key-of-no-account-at-a-carrier";
    tokens.push(key);
    const answer = await fetch(`https://127.0.0.1:${port}/telephony/${key}/voice`, {
      method: "POST",
      body: new URLSearchParams({ CallSid: "CA0123456789abcdef0123456789abcdef" }),
    });
    // nginx's own answer says "there is no such resource".
    expect([answer.status, await answer.json()]).toMatchObject([404, { error: { message: "no such resource" } }]);
  });

  test("with another host name and any forwarded headers the responses are the same", async () => {
    const body = JSON.stringify(NEW_CALL);
    for (const headers of [
      { Host: "other.example" },
      { Host: "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp", Forwarded: "host=evil" },
    ]) {
      const json = { "Content-Type": "application/json", "Content-Length": String(body.length) };
      const answer = await ask(
        "POST /api/v1/calls HTTP/1.1",
        { "X-API-Key": service.apiKey, ...json, ...headers },
        body,
      );
      const { id, websocketUrl } = JSON.parse(answer?.body ?? "") as { id: string; websocketUrl: string };
      expect([answer?.status, answer?.headers.location]).toEqual([201, `/api/v1/calls/${id}`]);
      expect(new URL(websocketUrl).host).toBe(`127.0.0.1:${port}`);
      expect(JSON.stringify(answer)).not.toContain("evil");
    }
  });

  test("below a path of the proxy the service works the same", async () => {
    const snippet = exampleIn("deploy/README.md", "More addresses", "nginx");
    const otherPort = await freePort();
    const other = await startNginx(otherPort, { "    location / {": `${snippet}\n    location / {` });
    const base = `https://127.0.0.1:${otherPort}/voice`;
    const { id, location, websocketUrl } = await createCall({}, base);
    expect(location).toBe(`/voice/api/v1/calls/${id}`);
    const { pathname } = new URL(websocketUrl);
    const { caller, status } = await RawCaller.connect(`wss://127.0.0.1:${otherPort}/voice${pathname}`);
    expect(status).toBe(101);
    caller.ws.destroy();
    await service.ended(id);
    await other.stop();
    for (const token of tokens) expect(other.logged()).not.toContain(token);
    expect(other.logged()).toContain("POST /api/v1/calls 201");
  });

  test("a call lasts while either side sends audio, even if the other is silent for long", {
    retry: ifMachineStalled,
  }, async () => {
    const otherPort = await freePort();
    const other = await startNginx(otherPort, {
      "each 5 s.\n        proxy_read_timeout 90s": "each 5 s.\n        proxy_read_timeout 1s",
    });
    const { id, websocketUrl } = await createCall({ firstSpeaker: "user" }, `https://127.0.0.1:${otherPort}`);
    const caller = await RawCaller.start(`wss://127.0.0.1:${otherPort}${new URL(websocketUrl).pathname}`);
    for (let frames = 0; frames < 3_000 / FRAME_MS; frames += 1) {
      caller.sendFrames(1);
      await delay(FRAME_MS);
    }
    expect([caller.ws.ended, (await service.call(id)).status]).toEqual([false, "active"]);
    await caller.ws.readCloseCode();
    caller.ws.destroy();
    expect(await service.ended(id)).toMatchObject({ endReason: "caller_hangup" });
    await other.stop();
  });

  test("the service's refusals pass unchanged, and those of nginx have the same shape", async () => {
    const token = mintToken();
    tokens.push(token);
    const path = `/stream/${token}`;
    const refused = await ask(`GET ${path} HTTP/1.1`, UPGRADE);
    expectError(refused, 401, "unauthorized");
    expect(refused?.headers["x-request-id"]).toMatch(/^req_[0-9a-f]{8}-/);
    expectError(await ask(`GET ${path} HTTP/1.1`), 426, "upgrade_required");
    expectError(await ask(`GET /nowhere${path} HTTP/1.1`), 404, "not_found");
    expectError(await ask(`TRACE ${path} HTTP/1.1`), 404, "not_found");
    for (const line of [
      "GET /stream",
      "GET /webrtc/stream",
      "GET /stream?a=1",
      "POST /api/v1",
      "GET /api/v1?/api/v1/nothing",
    ]) {
      expectError(await ask(`${line} HTTP/1.1`), 404, "not_found");
    }

    const post = { "X-API-Key": service.apiKey, "Content-Type": "application/json" };
    const sized = (bytes: number) => ({ ...post, "Content-Length": String(bytes) });
    const body = "x".repeat(BODY_BYTES_MAX);
    expectError(await ask("POST /api/v1/calls HTTP/1.1", sized(BODY_BYTES_MAX), body), 400, "invalid_request");
    const tooLarge = await ask("POST /api/v1/calls HTTP/1.1", sized(BODY_BYTES_MAX + 1), `${body}x`);
    expectError(tooLarge, 413, "payload_too_large");
    expectError(await ask(`POST ${path} HTTP/1.1`, sized(BODY_BYTES_MAX + 1)), 413, "payload_too_large");

    for (const line of [
      `GET ${path} HTTP/9.9`,
      `GET ${path} HTTX`,
      `G<T ${path} HTTP/1.1`,
      `GET /..${path}/../.. HTTP/1.1`,
    ]) {
      expectError(await ask(line), 400, "invalid_request");
    }
    for (const headers of [
      { Host: "a/b" },
      { "X-Big": "a".repeat(9_000) },
      { "Content-Length": "4x" },
      { "Transfer-Encoding": "gzip" },
      { "Content-Length": "4", "Transfer-Encoding": "chunked" },
    ]) {
      expectError(await ask(`POST ${path} HTTP/1.1`, headers), 400, "invalid_request");
    }
    for (const line of [`GET /%73tream/${token} HTTP/1.1`, `GET /api/v1/..//../stream/${token} HTTP/1.1`]) {
      expect((await ask(line))?.status).toBeGreaterThanOrEqual(400);
    }
  });

  test("a body is never written to a disk, in any number of parts", async () => {
    const otherPort = await freePort();
    const other = await startNginx(otherPort, { "trunkline.error.log error;": "trunkline.error.log warn;" });
    const headers = { "X-API-Key": service.apiKey, "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
    for (const bytes of [BODY_BYTES_MAX, 1]) {
      const chunk = `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
      const body = `${chunk.repeat(BODY_BYTES_MAX / bytes)}0\r\n\r\n`;
      expectError(await ask("POST /api/v1/calls HTTP/1.1", headers, body, otherPort), 400, "invalid_request");
    }
    await other.stop();
    expect(other.logged()).toContain("POST /api/v1/calls 400");
    expect(other.logged()).not.toContain("temporary file");
  });

  test("while the service is down, every request gets 502 in the shape of our errors; no log has a token or a query", async () => {
    const [live, unused] = [await createCall({ firstSpeaker: "user" }), await createCall()];
    const caller = await RawCaller.start(live.websocketUrl);
    await service.process.kill();
    await caller.ws.readCloseCode();
    caller.ws.destroy();
    for (const path of ["/voices", "/calls?metadata%5Bphone%5D=%2B4930123456", new URL(unused.websocketUrl).pathname]) {
      expectError(await ask(`GET /api/v1${path} HTTP/1.1`), 502, "unavailable");
    }
    expectError(await ask("GET /readyz HTTP/1.1"), 502, "unavailable");
    expectError(await ask(`GET ${new URL(unused.websocketUrl).pathname} HTTP/1.1`, UPGRADE), 502, "unavailable");
    const client = connectHttp2(`https://127.0.0.1:${port}`);
    const request = client.request({ ":path": new URL(unused.websocketUrl).pathname });
    const [headers] = (await once(request, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(502);
    client.destroy();
    // nginx writes when it is asked to exit.
    await nginx.stop();
    const logged = nginx.logged();
    for (const secret of [...tokens, service.apiKey, GREETING, "4930123456", "/api/v1/nothing"]) {
      expect(logged).not.toContain(secret);
    }
    for (const line of ["POST /api/v1/calls 201", "GET - 101", "GET - 502", "GET /api/v1/voices 502"]) {
      expect(logged).toContain(line);
    }
    expect(logged).toContain("connect() failed (111: Connection refused)");
  });
});
