import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { CarrierResponse, Exchange } from "../../src/carriers/telephony.ts";
import { systemClock } from "../../src/core/clock.ts";
import { CARRIER_ANSWER_BYTES_MAX } from "../../src/core/limits/phone/carriers.ts";
import { HttpCarrierClient } from "../../src/telephony/http-client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";

const SECRET = "c2VjcmV0";
const NUMBER = "+15550199";

const EXCHANGE: Exchange<CarrierResponse> = {
  request: {
    operation: "dial",
    method: "POST",
    path: "/2010-04-01/Calls.json?to=%2B15550199",
    headers: { authorization: `Basic ${SECRET}`, "content-type": "application/json" },
    body: JSON.stringify({ to: NUMBER, note: "é" }),
  },
  read: (response) => ({ kind: "done", value: response }),
};

/** A client of a carrier at this address, and what it counts and logs. */
function clientOf(url: string, clock = systemClock) {
  const counted: string[] = [];
  const { log, lines } = memoryLog();
  const client = new HttpCarrierClient({
    apiUrls: { carrier_a: url },
    clock,
    log,
    onAnswer: (...labels) => counted.push(labels.join(" ")),
  });
  return { client, counted, lines };
}

/** A carrier's API that answers like this. */
async function apiOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a request is sent as it is, once, below the path of the configured address, and its answer is read whole", async () => {
  const seen: unknown[] = [];
  const url = await apiOf((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      seen.push([request.method, request.url, request.headers.authorization, Buffer.concat(chunks).toString()]);
      response.writeHead(201, { "Retry-After": "7", "Set-Cookie": ["a=1", "b=2"] }).end('{"sid":"CA1"}');
    });
  });
  const { client, counted } = clientOf(`${url}/emulator`);
  expect(await client.send("carrier_a", EXCHANGE)).toMatchObject({
    kind: "done",
    value: { status: 201, headers: { "retry-after": "7", "set-cookie": "a=1, b=2" }, body: '{"sid":"CA1"}' },
  });
  const { method, path, body } = EXCHANGE.request;
  expect(seen).toEqual([[method, `/emulator${path}`, `Basic ${SECRET}`, body]]);
  expect(counted).toEqual(["carrier_a dial done"]);
});

test("a redirect is an answer like any other: credentials go nowhere else", async () => {
  const asked: unknown[] = [];
  const elsewhere = await apiOf((request) => asked.push(request.url));
  const url = await apiOf((_, response) => response.writeHead(307, { location: elsewhere }).end());
  expect(await clientOf(url).client.send("carrier_a", EXCHANGE)).toMatchObject({ value: { status: 307 } });
  expect(asked).toEqual([]);
});

test("a carrier to which no connection can be made has done nothing", async () => {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { client, counted } = clientOf(`http://127.0.0.1:${port}`);
  expect(await client.send("carrier_a", EXCHANGE)).toEqual({ kind: "busy", isUnreachable: true });
  expect(counted).toEqual(["carrier_a dial unreachable"]);
});

test("a server without TLS at an https address has seen nothing of the request", async () => {
  const url = await apiOf((_, response) => response.end());
  const answer = await clientOf(url.replace("http:", "https:")).client.send("carrier_a", EXCHANGE);
  expect(answer).toEqual({ kind: "busy", isUnreachable: true });
});

test("a connection that is lost before the answer leaves it open what the carrier has done", async () => {
  const url = await apiOf((request) => request.socket.destroy());
  const { client, counted } = clientOf(url);
  expect(await client.send("carrier_a", EXCHANGE)).toEqual({ kind: "uncertain", status: 0 });
  expect(counted).toEqual(["carrier_a dial uncertain"]);
});

test("an answer that breaks off or is too long is uncertain, with its status", async () => {
  const broken = await apiOf((_, response) => {
    response.writeHead(201, { "content-length": "100" });
    response.write("{");
    response.flushHeaders();
    setImmediate(() => response.destroy());
  });
  const long = await apiOf((_, response) => response.writeHead(200).end(Buffer.alloc(CARRIER_ANSWER_BYTES_MAX + 1)));
  for (const [url, status] of [
    [broken, 201],
    [long, 200],
  ] as const) {
    expect(await clientOf(url).client.send("carrier_a", EXCHANGE)).toEqual({ kind: "uncertain", status });
  }
});

test("a carrier that does not answer in time is uncertain, and its connection is closed", async () => {
  const clock = new ManualClock();
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const url = await apiOf((request) => {
    request.socket.once("close", closed);
    clock.advance(2_000);
  });
  const answer = clientOf(url, clock).client.send("carrier_a", EXCHANGE, { timeoutMs: 2_000 });
  expect(await answer).toEqual({ kind: "uncertain", status: 0 });
  await isClosed;
});

test("a log line names the carrier and the operation, and neither credentials nor numbers", async () => {
  const url = await apiOf((request) => request.socket.destroy());
  const { client, lines } = clientOf(url);
  await client.send("carrier_a", EXCHANGE);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ carrier: "carrier_a", operation: "dial", status: 0 }]);
  expect(lines.join()).not.toMatch(/5550199|c2VjcmV0|2010-04-01/);
});

test("a path that would continue the host's name is a defect, and nothing is sent", async () => {
  const exchange = { ...EXCHANGE, request: { ...EXCHANGE.request, path: "@elsewhere.example/" } };
  const { client, counted } = clientOf("https://api.example.com");
  await expect(client.send("carrier_a", exchange)).rejects.toThrow("begins with a slash");
  expect(counted).toEqual([]);
});
