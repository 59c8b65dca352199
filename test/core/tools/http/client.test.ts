import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HttpTool } from "../../../../src/core/calls/spec.ts";
import { asAccountId } from "../../../../src/core/ids.ts";
import { type Resolve, resolveByDns } from "../../../../src/core/network/guarded-http.ts";
import { HttpTools } from "../../../../src/core/tools/http/client.ts";
import type { ShownRequest } from "../../../../src/core/tools/outcome.ts";
import type { ToolSecret, ToolSecrets } from "../../../../src/core/tools/secrets.ts";
import { scriptedDns } from "../../../support/network/scripted-dns.ts";

interface Got {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

/** A server that records what it was sent, and answers as `answer` says. */
let server: Server;
let port = 0;
let got: Got[] = [];
let connections = 0;
let answer: (response: ServerResponse) => void;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method, url, headers } = request;
    got.push({ method, url, headers, body });
    answer(response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  got = [];
  connections = 0;
  answer = (response) => response.setHeader("content-type", "application/json").end('{"state":"on its way"}');
});

const tool = (changes: Partial<HttpTool> = {}): HttpTool => ({
  kind: "http",
  name: "order",
  description: "Tells of an order.",
  parameters: { type: "object" },
  fixedArguments: {},
  timeoutMs: 10_000,
  method: "GET",
  url: `http://127.0.0.1:${port}/orders/{order}`,
  headers: {},
  ...changes,
});

const ACCOUNT = asAccountId("account_1");
/** Their account may send each of them to the server of these tests. */
const secrets = (): ToolSecrets =>
  new Map(
    Object.entries({
      ...{ SHOP_TOKEN: 'canary"of-a-secret', LONGER: 'canary"of-a-secret-and-more', OTHER: "never asked for" },
    }).map(([name, value]) => [name, { value, hosts: [`127.0.0.1:${port}`], accountIds: [ACCOUNT] }]),
  );

const call = async (
  changes: Partial<HttpTool> = {},
  given: Record<string, unknown> = { order: "A-17" },
  { resolve, allowLoopback = true }: { resolve?: Resolve; allowLoopback?: boolean } = {},
) => {
  const tools = new HttpTools({ secrets: secrets(), allowLoopback, ...(resolve !== undefined && { resolve }) });
  return await tools.carryOut(tool(changes), given, new AbortController().signal, ACCOUNT);
};

describe("an HTTP tool", () => {
  test("sends its arguments in their places, and returns the answer", async () => {
    expect(await call({}, { order: "A 17/b?c", soon: true, tags: ["x", 1], none: null })).toEqual({
      text: '{"state":"on its way"}',
      status: 200,
    });
    expect(got).toMatchObject([
      { method: "GET", url: "/orders/A%2017%2Fb%3Fc?soon=true&tags=%5B%22x%22%2C1%5D", body: "" },
    ]);
    expect(got[0]?.headers).toMatchObject({
      host: `127.0.0.1:${port}`,
      "accept-encoding": "identity",
      connection: "close",
    });
  });

  test("sends arguments without a place as JSON, where there is a body", async () => {
    const url = `http://127.0.0.1:${port}/orders/{order}?from={from}`;
    for (const method of ["POST", "PUT", "PATCH"] as const) {
      await call({ method, url }, { order: 7, from: "a&b=c", count: 2, note: { deep: ["né"] } });
    }
    expect(got.map(({ method, url: path, body, headers }) => [method, path, body, headers["content-type"]])).toEqual(
      ["POST", "PUT", "PATCH"].map((method) => [
        method,
        "/orders/7?from=a%26b%3Dc",
        '{"count":2,"note":{"deep":["né"]}}',
        "application/json",
      ]),
    );
  });

  test.each([
    "..",
    ".",
    "",
    { a: 1 },
    ["x"],
    null,
    undefined,
  ])("does not accept %j as a part of its path", async (order) => {
    expect(await call({}, { order })).toMatchObject({ fault: "arguments" });
    expect(connections).toBe(0);
  });

  test("reads the answer after interim ones that were not requested", async () => {
    answer = (response) => {
      response.writeContinue();
      response.writeProcessing();
      response.setHeader("content-type", "text/plain").end("on its way");
    };
    expect(await call()).toEqual({ text: "on its way", status: 200 });
  });

  test("does not let two arguments form dots together, and does not send a lone surrogate", async () => {
    const url = `http://127.0.0.1:${port}/a/{x}{y}/b`;
    expect(await call({ url }, { x: ".", y: "." })).toMatchObject({ fault: "arguments" });
    await call({ url }, { x: "\ud800", y: "." });
    expect(got[0]?.url).toBe("/a/%EF%BF%BD./b");
  });

  test("L1: sends secrets in headers, and removes those that the server echoes", async () => {
    answer = (response) =>
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ echoed: got[0]?.headers.authorization }));
    const outcome = await call({ headers: { Authorization: "Bearer {{SHOP_TOKEN}}" } });
    expect(got[0]?.headers.authorization).toBe('Bearer canary"of-a-secret');
    expect(outcome.text).toBe('{"echoed":"Bearer ***"}');
    answer = (response) => response.setHeader("content-type", "text/plain").end(got.at(-1)?.headers.authorization);
    expect((await call({ headers: { Authorization: "Bearer {{SHOP_TOKEN}}" } })).text).toBe("Bearer ***");
  });

  test("L1: removes a secret that the server echoes in base64", async () => {
    answer = (response) => {
      const sent = Buffer.from(got.at(-1)?.headers.authorization ?? "");
      const value = sent.subarray("Bearer ".length);
      const encoded = [sent, value].flatMap((bytes) => [bytes.toString("base64"), bytes.toString("base64url")]);
      response.setHeader("content-type", "text/plain").end(encoded.join(" ").replaceAll("=", ""));
    };
    const { text } = await call({ headers: { Authorization: "Bearer {{SHOP_TOKEN}}" } });
    expect(text).toBe("*** *** *** ***");
  });

  test("L1: removes a secret that begins like another one", async () => {
    answer = (response) => response.setHeader("content-type", "text/plain").end(String(got[0]?.headers["x-key"]));
    const { text } = await call({ headers: { Authorization: "{{SHOP_TOKEN}}", "X-Key": "{{LONGER}}" } });
    expect(got[0]?.headers["x-key"]).toBe(secrets().get("LONGER")?.value);
    expect(text).toBe("***");
  });

  test.each([
    [404, { text: "Error: its server answered with status 404. no such order", fault: "status", status: 404 }],
    [500, { text: "Error: its server answered with status 500. no such order", fault: "status", status: 500 }],
  ])("returns a status of %d with its text", async (status, outcome) => {
    answer = (response) => response.writeHead(status, { "content-type": "text/plain" }).end("no such order");
    expect(await call()).toEqual(outcome);
  });

  test("ADV-M8: sends no secret that its account may not send to its server, and the LLM gets the same text as for one that does not exist", async () => {
    const refused = { text: "Error: the service cannot send its headers.", fault: "secret_refused" };
    const headers = { Authorization: "Bearer {{SHOP_TOKEN}}" };
    const bound = secrets().get("SHOP_TOKEN");
    const send = (change: Partial<ToolSecret>, { allowLoopback = true, url = tool().url } = {}) =>
      new HttpTools({
        secrets: new Map(bound && [["SHOP_TOKEN", { ...bound, ...change }]]),
        allowLoopback,
        resolve: async () => ["127.0.0.1"],
      }).carryOut(tool({ headers, url }), { order: "1" }, new AbortController().signal, ACCOUNT);
    expect(await call({ headers: { Authorization: "{{NO_SUCH}}" } })).toEqual(refused);
    expect(await send({ accountIds: ["account_2"] })).toEqual(refused);
    expect(await send({ hosts: [] })).toEqual(refused);
    expect(await send({ hosts: ["127.0.0.1"] })).toEqual(refused);
    expect(await send({ hosts: ["api.example.com"] }, { url: "http://api.example.com/" })).toEqual(refused);
    expect(got).toEqual([]);
    expect(await send({})).toMatchObject({ status: 200 });
    expect(got).toHaveLength(1);
  });

  test("ADV-M8: does not follow a redirect, so its target gets no secret", async () => {
    const elsewhere: IncomingMessage["headers"][] = [];
    const other = createServer((request, response) => {
      elsewhere.push(request.headers);
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    for (const status of [301, 302, 303, 307, 308]) {
      answer = (response) => response.writeHead(status, { location }).end();
      expect(await call({ headers: { Authorization: "Bearer {{SHOP_TOKEN}}" } })).toMatchObject({ status });
    }
    await new Promise((resolve) => other.close(resolve));
    expect([got.length, elsewhere]).toEqual([5, []]);
  });

  test("ADV-L4: does not take an inherited property of every object for a missing argument", async () => {
    const url = `http://127.0.0.1:${port}/orders?a={toString}&b={constructor}`;
    expect(await call({ url }, {})).toMatchObject({ status: 200 });
    expect(got[0]?.url).toBe("/orders?a=&b=");
    const path = `http://127.0.0.1:${port}/{valueOf}`;
    expect(await call({ url: path }, {})).toMatchObject({ fault: "arguments" });
    expect(await call({ url: path }, { valueOf: "x" })).toMatchObject({ status: 200 });
    expect(got[1]?.url).toBe("/x");
  });

  test("S3: follows no redirect", async () => {
    answer = (response) => response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    expect(await call()).toEqual({ text: "Error: its server answered with status 302.", fault: "status", status: 302 });
    expect(got).toHaveLength(1);
  });

  test("reports success for an answer without text", async () => {
    answer = (response) => response.writeHead(204).end();
    expect(await call()).toEqual({ text: "Done, with status 204.", status: 204 });
  });

  test("H7: reads 64 KiB and no more", async () => {
    const answerWith = (bytes: number) => (response: ServerResponse) =>
      response.setHeader("content-type", "text/plain").end("x".repeat(bytes));
    answer = answerWith(65_536);
    expect((await call()).text).toHaveLength(65_536);
    answer = answerWith(65_537);
    expect(await call()).toEqual({
      text: "Error: its server's answer is over 64 KiB.",
      fault: "too_large",
      status: 200,
    });
  });

  test("P9: reads neither images nor compressed answers", async () => {
    for (const headers of [
      { "content-type": "image/png" },
      { "content-type": "application/octet-stream" },
      { "content-type": "application/json", "content-encoding": "gzip" },
      { "content-type": "application/jsonp" },
    ]) {
      answer = (response) => response.writeHead(200, headers).end("{}");
      expect(await call()).toMatchObject({ fault: "unreadable", status: 200 });
    }
    for (const type of ["application/problem+json; charset=utf-8", "text/csv", "application/json"]) {
      answer = (response) => response.writeHead(200, { "content-type": type }).end("{}");
      expect(await call()).toMatchObject({ text: "{}" });
    }
  });

  test("reports that its server cannot be reached when it hangs up, sends no HTTP or does not exist", async () => {
    answer = (response) => response.destroy();
    expect(await call()).toMatchObject({ text: "Error: its server could not be reached.", fault: "unreachable" });
    answer = (response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": "100" });
      response.write("half", () => response.destroy());
    };
    expect(await call()).toMatchObject({ fault: "unreachable" });
    const noise = createTcpServer((socket) => socket.resume().end("SSH-2.0-OpenSSH_9.9\r\n"));
    await new Promise<void>((resolve) => noise.listen(0, "127.0.0.1", resolve));
    const { port: noisy } = noise.address() as AddressInfo;
    expect(await call({ url: `http://127.0.0.1:${noisy}/{order}` })).toMatchObject({
      fault: "unreachable",
      cause: "HPE_INVALID_CONSTANT",
    });
    await new Promise((resolve) => noise.close(resolve));
    expect(await call({ url: `http://127.0.0.1:${noisy}/{order}` })).toMatchObject({
      fault: "unreachable",
      cause: "ECONNREFUSED",
    });
  });

  test.each([
    ["goes over to another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"],
    ["sends heads without end", `HTTP/1.1 200 OK\r\n${"X-More: y\r\n".repeat(4_000)}`],
    ["sends two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
  ])(
    "does not wait for a server that %s",
    async (_what, said) => {
      const odd = createTcpServer((socket) =>
        socket
          .on("error", () => {})
          .resume()
          .write(said),
      );
      await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
      const { port: oddPort } = odd.address() as AddressInfo;
      expect(await call({ url: `http://127.0.0.1:${oddPort}/{order}` })).toMatchObject({ fault: "unreachable" });
      await new Promise((resolve) => odd.close(resolve));
    },
    2_000,
  );

  test("is gone at once when it is aborted, and so is its connection", async () => {
    const life = new AbortController();
    let closed = false;
    answer = (response) => {
      response.on("close", () => {
        closed = true;
      });
      response.writeHead(200, { "content-type": "text/plain" }).write("and so on");
      setImmediate(() => life.abort());
    };
    const tools = new HttpTools({ secrets: new Map(), allowLoopback: true });
    expect(await tools.carryOut(tool(), { order: "1" }, life.signal, ACCOUNT)).toMatchObject({ fault: "unreachable" });
    await expect.poll(() => closed).toBe(true);
  });

  test("is gone at once when it is aborted during a handshake that never ends, and so is its connection", async () => {
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket.resume().on("error", () => {})));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const life = new AbortController();
    const tools = new HttpTools({ secrets: new Map(), allowLoopback: true });
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/{order}`;
    const outcome = tools.carryOut(tool({ url }), { order: "1" }, life.signal, ACCOUNT);
    await expect.poll(() => sockets.length).toBe(1);
    life.abort();
    expect(await outcome).toMatchObject({ fault: "unreachable", cause: "ABORT_ERR" });
    await expect.poll(() => sockets[0]?.destroyed).toBe(true);
    silent.close();
  });
});

describe("where an HTTP tool connects to", () => {
  const REFUSED = { text: "Error: its server could not be reached.", fault: "address_refused" };

  test("S1: an address that is not public is not connected to, and is reported like an unreachable one", async () => {
    expect(await call({}, { order: "1" }, { allowLoopback: false })).toEqual(REFUSED);
    expect(connections).toBe(0);
    const { text } = await call({ url: "http://127.0.0.1:1/{order}" });
    expect(text).toBe(REFUSED.text);
  });

  test.each([
    [["127.0.0.1"]],
    [["93.184.215.14", "127.0.0.1"]],
    [["127.0.0.1", "93.184.215.14"]],
    [["2606:4700::1111", "::1"]],
    [["::ffff:127.0.0.1"]],
    [["169.254.169.254"]],
    [["64:ff9b::7f00:1"]],
    [["fe80::1%lo"]],
    [["not an address"]],
  ])("S2: a name with the addresses %j is refused completely", async (addresses) => {
    const url = `http://shop.example:${port}/{order}`;
    const outcome = await call({ url }, { order: "1" }, { allowLoopback: false, resolve: async () => addresses });
    expect(outcome).toEqual(REFUSED);
    expect(connections).toBe(0);
  });

  test("S2: a name is looked up once per request, when it connects, and only that answer is connected to", async () => {
    // A resolver that rebinds: it returns the good address first, and an internal one from then on.
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]];
    const requested: string[] = [];
    const resolve: Resolve = async (hostname) => {
      requested.push(hostname);
      return answers[requested.length - 1] ?? [];
    };
    const url = `http://shop.example:${port}/{order}`;
    expect(await call({ url }, { order: "1" }, { resolve })).toMatchObject({ status: 200 });
    expect(got[0]?.headers.host).toBe(`shop.example:${port}`);
    expect(requested).toEqual(["shop.example"]);
    expect(await call({ url }, { order: "1" }, { resolve })).toEqual(REFUSED);
    expect([requested.length, connections]).toEqual([2, 1]);
  });

  test("S2: 1,000 names that rebind reach no internal address", async () => {
    const url = `http://shop.example:${port}/{order}`;
    const insides = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0"];
    for (let time = 0; time < 1_000; time += 1) {
      const resolve: Resolve = async () => [insides[time % insides.length] ?? ""];
      expect((await call({ url }, { order: "1" }, { allowLoopback: false, resolve })).fault).toBe("address_refused");
    }
    expect(connections).toBe(0);
  });

  test("S2: a lying name server, with addresses of zero lifetime, is queried once and cannot point to an internal address", async () => {
    const lies: readonly (readonly string[])[] = [
      ["127.0.0.1"],
      ["93.184.215.14", "127.0.0.1"],
      ["93.184.215.14", "::1"],
      ["2606:4700::1111", "10.0.0.1"],
      ["fd00::1", "93.184.215.14"],
    ];
    const rebinding = [["127.0.0.1"], ["10.0.0.1"]];
    const dns = await scriptedDns((question) => [...lies, ...rebinding][question - 1] ?? []);
    const url = `http://shop.example:${port}/{order}`;
    try {
      const resolve = resolveByDns([dns.server]);
      for (const _ of lies) {
        expect(await call({ url }, { order: "1" }, { allowLoopback: false, resolve })).toEqual(REFUSED);
      }
      expect([connections, dns.requested.length]).toEqual([0, 2 * lies.length]);
      // The first answer is valid where loopback is allowed; the connection uses it, without a second lookup.
      expect(await call({ url }, { order: "1" }, { resolve })).toMatchObject({ status: 200 });
      expect(await call({ url }, { order: "1" }, { resolve })).toEqual(REFUSED);
      expect([connections, dns.requested.length]).toEqual([1, 2 * lies.length + 4]);
    } finally {
      dns.close();
    }
  });

  test("S2: a name server that does not know the name, or does not answer, leads nowhere", async () => {
    const dns = await scriptedDns(() => []);
    const resolve = resolveByDns([dns.server]);
    const url = "http://shop.example/{order}";
    expect(await call({ url }, { order: "1" }, { resolve })).toMatchObject({
      fault: "unreachable",
      cause: "ENOTFOUND",
    });
    dns.close();
    expect(await resolve("shop.example", AbortSignal.timeout(50))).toEqual([]);
  });

  test("a name that does not exist, or that cannot be looked up, is unreachable", async () => {
    const url = "http://shop.example/{order}";
    expect(await call({ url }, { order: "1" }, { resolve: async () => [] })).toMatchObject({ fault: "unreachable" });
    const resolve: Resolve = () => Promise.reject(new Error("the resolver is away"));
    expect(await call({ url }, { order: "1" }, { resolve })).toMatchObject({ fault: "unreachable" });
  });

  test("S6: where loopback is allowed, localhost resolves to it without a lookup", async () => {
    const resolve: Resolve = () => Promise.reject(new Error("asked"));
    const url = `http://localhost:${port}/{order}`;
    expect(await call({ url }, { order: "1" }, { resolve })).toMatchObject({ status: 200 });
    expect(await call({ url }, { order: "1" }, { resolve, allowLoopback: false })).toEqual(REFUSED);
  });
});

describe("an HTTP tool whose server gives no answer of its own", () => {
  const failures = (answers: readonly (number | "closed")[]) => {
    const left = [...answers];
    answer = (response) => {
      const next = left.shift();
      if (next === "closed") response.destroy();
      else response.writeHead(next ?? 200, { "content-type": "text/plain" }).end("there");
    };
  };

  test.each(["readOnly", "idempotent"])("is sent once more when it is %s", async (flag) => {
    for (const first of ["closed", 502, 503, 504] as const) {
      got = [];
      failures([first]);
      expect(await call({ method: "POST", [flag]: true })).toEqual({ text: "there", status: 200 });
      expect(got.map(({ body }) => body)).toEqual(["{}", "{}"]);
    }
    failures([503, 503, 503]);
    got = [];
    expect(await call({ [flag]: true })).toMatchObject({ fault: "status", status: 503 });
    expect(got).toHaveLength(2);
  });

  test("is never sent twice otherwise", async () => {
    for (const first of ["closed", 503] as const) {
      failures([first]);
      expect(await call({ method: "GET" })).toHaveProperty("fault");
    }
    failures([500]);
    expect(await call({ readOnly: true })).toMatchObject({ status: 500 });
    expect(got).toHaveLength(3);
  });

  test("is not sent again once its time is over", async () => {
    failures([503]);
    const life = new AbortController();
    const tools = new HttpTools({ secrets: secrets(), allowLoopback: true });
    const outcome = tools.carryOut(tool({ readOnly: true }), { order: "1" }, life.signal, ACCOUNT);
    await expect.poll(() => got.length).toBe(1);
    life.abort();
    await outcome;
    expect(got).toHaveLength(1);
  });
});

test("shows its account what it sent, without secrets and with masked headers", async () => {
  const tools = new HttpTools({ secrets: secrets(), allowLoopback: true });
  const headers = { Authorization: "Bearer {{OTHER}}", "X-Api-Key": "canary", Accept: "text/plain" };
  const changed = tool({ method: "POST", headers });
  const sent: ShownRequest[] = [];
  const given = { order: "A 1", size: 2 };
  await tools.carryOut(changed, given, new AbortController().signal, ACCOUNT, (request) => sent.push(request));
  expect(sent).toEqual([
    {
      ...{ method: "POST", url: `http://127.0.0.1:${port}/orders/A%201`, body: '{"size":2}' },
      headers: { Authorization: "Bearer ***", "X-Api-Key": "***", Accept: "text/plain" },
    },
  ]);
});

test("a call has its account's own secrets, before those of the service, for their servers alone", async () => {
  const own = { SHOP_TOKEN: { value: "the account's own", hosts: [`127.0.0.1:${port}`] } };
  const tools = new HttpTools({ secrets: secrets(), allowLoopback: true });
  const withHeader = tool({ headers: { "x-token": "{{SHOP_TOKEN}}", "x-other": "{{OTHER}}" } });
  const ask = (ofCall: HttpTools) => ofCall.carryOut(withHeader, { order: "1" }, new AbortController().signal, ACCOUNT);
  await ask(tools.forCall({ accountId: ACCOUNT, toolSecrets: own }));
  await ask(tools);
  expect(got.map(({ headers }) => [headers["x-token"], headers["x-other"]])).toEqual([
    ["the account's own", "never asked for"],
    ['canary"of-a-secret', "never asked for"],
  ]);
  const elsewhere = { SHOP_TOKEN: { value: "the account's own", hosts: ["x.example"] } };
  expect(await ask(tools.forCall({ accountId: ACCOUNT, toolSecrets: elsewhere }))).toMatchObject({
    fault: "secret_refused",
  });
  expect(got).toHaveLength(2);
});
