import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { METRICS_CONNECTIONS_MAX } from "../../../../src/core/limits/control-api/api.ts";
import { serveMetrics } from "../../../../src/process/control/http/metrics-server.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const OPTIONS = {
  host: "127.0.0.1",
  port: 0,
  exposition: async () => "",
  health: () => ({ status: 200, headers: {}, body: { status: "ok" } }),
  readiness: () => ({ status: 503, headers: { "retry-after": "5" }, body: { error: { code: "overloaded" } } }),
  drain: undefined,
  clock: systemClock,
  onClosed: () => {},
};

async function served(exposition: () => Promise<string>) {
  const { log, lines: logged } = memoryLog();
  const { server } = await serveMetrics({ ...OPTIONS, exposition, log });
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, logged };
}

test("the metrics are served in Prometheus's text format, without an API key, and read at each scrape", async () => {
  let scrapes = 0;
  const { url } = await served(async () => `scrapes ${++scrapes}\n`);
  for (const count of [1, 2]) {
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([200, `scrapes ${count}\n`]);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("no-store");
  }
  const head = await fetch(`${url}/metrics`, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test.each(["/metrics/", "//metrics", "//metrics//?x=1"])("%s answers as /metrics", async (path) => {
  const { url } = await served(async () => "up 1\n");
  const answer = await fetch(`${url}${path}`);
  expect([answer.status, await answer.text()]).toEqual([200, "up 1\n"]);
});

test("other paths are 404, other methods are refused", async () => {
  const { url } = await served(async () => "");
  for (const path of ["/", "//", "/metrics/x", "/api/v1/calls", "/health", "/..%2fmetrics"]) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404]);
  }
  const answer = await fetch(`${url}/metrics`, { method: "POST", body: "x".repeat(100_000) });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

test("L4: metrics that cannot be collected give 500, and only the log has the reason", async () => {
  const { url, logged } = await served(async () => {
    throw new Error("planted at /srv/secret");
  });
  const answer = await fetch(`${url}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([500, "internal error\n"]);
  expect(logged.join("")).toContain("planted at /srv/secret");
});

test("a port in use is reported with the name of its variable", async () => {
  const { port } = await served(async () => "");
  const { log } = memoryLog();
  await expect(serveMetrics({ ...OPTIONS, port, log })).rejects.toThrow(
    `METRICS_PORT ${port} on 127.0.0.1 cannot be used: listen EADDRINUSE`,
  );
});

test("ADV-M6: health and readiness are served on the metrics port, too", async () => {
  const { url } = await served(async () => "");
  const health = await fetch(`${url}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  expect(health.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const readiness = await fetch(`${url}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([503, { error: { code: "overloaded" } }]);
  expect(readiness.headers.get("retry-after")).toBe("5");
  expect((await fetch(`${url}/readyz`, { method: "POST" })).status).toBe(405);
});

test("ADV-M6: connections beyond the limit use no descriptors, and scrapes and probes are still answered", async () => {
  const { url, port } = await served(async () => "up 1\n");
  const idleClients = Array.from({ length: 4 * METRICS_CONNECTIONS_MAX }, () => connect(port, "127.0.0.1"));
  let closed = 0;
  for (const client of idleClients) client.on("error", () => {}).on("close", () => (closed += 1));
  for (const client of idleClients) closers.push(() => client.destroy());
  while (closed < 3 * METRICS_CONNECTIONS_MAX) await new Promise((resolve) => setImmediate(resolve));
  expect(await (await fetch(`${url}/metrics`)).text()).toBe("up 1\n");
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

describe("POST /drain", () => {
  const TOKEN = "a1".repeat(16);
  async function drained() {
    const { log, lines } = memoryLog();
    let requests = 0;
    const request = (): void => {
      requests += 1;
    };
    const drain = { token: TOKEN, request };
    const { server } = await serveMetrics({ ...OPTIONS, drain, log });
    closers.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/drain`;
    return { url, requests: () => requests, lines };
  }

  test("drains the service for who has the operator's token", async () => {
    const { url, requests } = await drained();
    const answer = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${TOKEN}` } });
    expect([answer.status, await answer.json(), requests()]).toEqual([202, { status: "draining" }, 1]);
  });

  test.each<[what: string, headers: Record<string, string>]>([
    ["no token", {}],
    ["another token", { authorization: `Bearer ${"b2".repeat(16)}` }],
    ["the beginning of the token", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["the token and more", { authorization: `Bearer ${TOKEN}x` }],
    ["the token without its scheme", { authorization: TOKEN }],
    ["an API key", { "x-api-key": TOKEN }],
  ])("with %s is 401 and drains nothing", async (_what, headers) => {
    const { url, requests, lines } = await drained();
    const answer = await fetch(url, { method: "POST", headers });
    expect([answer.status, answer.headers.get("www-authenticate"), requests()]).toEqual([401, "Bearer", 0]);
    expect(await answer.json()).toMatchObject({ error: { code: "unauthorized" } });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["drain refused: the token is wrong"]);
    for (const given of Object.values(headers)) expect(lines.join()).not.toContain(given);
  });

  test("with another method drains nothing", async () => {
    const { url, requests } = await drained();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect([answer.status, answer.headers.get("allow"), requests()]).toEqual([405, "POST", 0]);
  });

  test("is 404 where no token is configured, and names the variable", async () => {
    const { url } = await served(async () => "");
    const answer = await fetch(`${url}/drain`, { method: "POST", headers: { authorization: "Bearer " } });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("OPERATOR_TOKEN")]);
  });
});
