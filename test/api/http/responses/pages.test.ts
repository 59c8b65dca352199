import { afterEach, describe, expect, test } from "vitest";
import { readWebFiles } from "../../../../src/api/web-files/files.ts";
import { SOFTWARE } from "../../../../src/core/runtime/version.ts";
import { type ApiUnderTest, apiUnderTest, errorOf } from "../../../support/api/harness.ts";
import { builtWebFiles } from "../../../support/api/web-files.ts";

const HTML = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const VERSION = SOFTWARE.split("/")[1];

let api: ApiUnderTest;
afterEach(() => api.close());

/** The addresses of a page's links. */
const linksOf = (page: string): string[] => [...page.matchAll(/<a href="([^"]*)"/g)].map(([, address = ""]) => address);

describe("GET /", () => {
  test("is a page with the name and the version of the service, and all its links work", async () => {
    api = await apiUnderTest(undefined, { webFiles: readWebFiles(builtWebFiles()) });
    for (const accept of [HTML.accept, "*/*", ""]) {
      const { status, headers, text } = await api.get("/", { accept });
      expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(text).toContain("A self-hosted service for voice AI agents");
      expect(text).toContain(`Version ${VERSION}`);
      const links = new Set(linksOf(text));
      expect([...links]).toEqual(["/talk", "/docs", "/api/v1/openapi.json", "/healthz", "/readyz"]);
      for (const link of links) expect([link, (await api.get(link)).status]).toEqual([link, 200]);
    }
  });

  test("needs no API key, answers HEAD, and loads nothing: the policy allows only the page's own style", async () => {
    api = await apiUnderTest();
    const { headers, body, statusCode } = await api.app.inject({ url: "/", headers: HTML });
    expect(statusCode).toBe(200);
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:;/,
    );
    expect(headers["content-security-policy"]).not.toMatch(/unsafe|https?:/);
    expect(body).not.toMatch(/<script|\ssrc=|@import|url\(/);
    const headed = await api.app.inject({ method: "HEAD", url: "/" });
    expect([headed.statusCode, headed.body]).toEqual([200, ""]);
  });

  test("is JSON for a client that accepts only JSON", async () => {
    api = await apiUnderTest(undefined, { metricsAddress: () => ({ host: "127.0.0.1", port: 9464 }) });
    const answer = await api.get("/", { accept: "application/json" });
    expect(answer.headers).toMatchObject({ "content-type": "application/json; charset=utf-8", vary: "Accept" });
    expect(answer.body).toEqual({
      name: "Trunkline",
      version: VERSION,
      talk: "/talk",
      reference: "/docs",
      openapi: "/api/v1/openapi.json",
      health: "/healthz",
      readiness: "/readyz",
      metrics: "http://127.0.0.1:9464/metrics",
    });
  });

  test.each([
    ["on this machine alone", { host: "127.0.0.1", port: 9464 }, 'href="http://127.0.0.1:9464/metrics"'],
    ["on this machine by IPv6", { host: "::1", port: 7 }, 'href="http://[::1]:7/metrics"'],
    [
      "where others reach them",
      { host: "10.20.30.40", port: 4321 },
      "<code>METRICS_HOST</code>:<code>METRICS_PORT</code>",
    ],
    ["everywhere", { host: "0.0.0.0", port: 4321 }, "<code>METRICS_HOST</code>:<code>METRICS_PORT</code>"],
    ["nowhere", undefined, "<code>METRICS_PORT</code> is <code>off</code>"],
  ])("links the metrics that are served %s, and shows no address of the operator's network", async (_where, address, shown) => {
    api = await apiUnderTest(undefined, { metricsAddress: () => address });
    const { text } = await api.get("/", HTML);
    expect(text).toContain(shown);
    expect(text).not.toMatch(/10\.20\.30\.40|0\.0\.0\.0|4321/);
    expect((await api.get("/", { accept: "application/json" })).text).not.toMatch(/10\.20\.30\.40|0\.0\.0\.0|4321/);
  });

  test.each([
    ["this machine", "127.0.0.1", {}, true],
    ["this machine by IPv6", "::1", {}, true],
    ["this machine, on a socket of both families", "::ffff:127.0.0.1", {}, true],
    ["another machine", "192.0.2.7", {}, false],
    ["another machine that claims to be this one", "192.0.2.7", { "x-forwarded-for": "127.0.0.1" }, false],
    ["another machine, by a proxy on this one", "127.0.0.1", { "x-forwarded-for": "192.0.2.7" }, false],
    ["another machine, by a proxy with RFC 7239", "127.0.0.1", { forwarded: "for=192.0.2.7" }, false],
  ])("shows the metrics port only on this machine: %s", async (_where, remoteAddress, headers, isLinked) => {
    api = await apiUnderTest(undefined, { metricsAddress: () => ({ host: "127.0.0.1", port: 9464 }) });
    const read = async (accept: string) =>
      (await api.app.inject({ url: "/", remoteAddress, headers: { ...headers, accept } })).body;
    expect((await read(HTML.accept)).includes("127.0.0.1:9464")).toBe(isLinked);
    if (!isLinked) expect(await read(HTML.accept)).toContain("<code>METRICS_HOST</code>:<code>METRICS_PORT</code>");
    const { metrics } = JSON.parse(await read("application/json"));
    expect(metrics).toBe(isLinked ? "http://127.0.0.1:9464/metrics" : null);
  });
});

describe("GET /docs", () => {
  test("is a page whose files all come from this service, under a policy without inline scripts", async () => {
    api = await apiUnderTest();
    for (const url of ["/docs", "/docs/", "//docs"]) {
      const { status, headers, text } = await api.get(url);
      expect([url, status, headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
      expect(headers["content-security-policy"]).toMatch(/default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(headers["content-security-policy"]).not.toMatch(/unsafe|https?:/);
      const files = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path = ""]) => path);
      expect(files.length).toBeGreaterThan(4);
      for (const file of files) {
        const { pathname } = new URL(file, `http://x${url.replace("//", "/")}`);
        expect([file, (await api.get(pathname)).status]).toEqual([file, 200]);
      }
    }
  });

  test("shows this service's document and sends requests to its own address, regardless of PUBLIC_API_URL", async () => {
    api = await apiUnderTest(undefined, { publicApiUrls: ["https://voice.example.com/api/v1"] });
    const shown = (await api.get("/docs/json")).body as Record<string, unknown>;
    const served = (await api.get("/api/v1/openapi.json")).body as Record<string, unknown>;
    expect(shown.servers).toEqual([{ url: "/api/v1" }]);
    expect(JSON.stringify(shown)).not.toContain("voice.example.com");
    expect(served.servers).toEqual([{ url: "https://voice.example.com/api/v1" }]);
    expect(shown.components).toEqual(served.components);
    expect(Object.keys(shown.paths as object)).toEqual(Object.keys(served.paths as object));
  });

  test("has no other routes: no second form of the document, no redirect, no way out of its folder", async () => {
    api = await apiUnderTest();
    for (const path of [
      "/yaml",
      "/static/index.html",
      "/static/../package.json",
      "/static/..%2fpackage.json",
      "/static/no",
    ]) {
      const answer = await api.get(`/docs${path}`);
      expect([path, answer.status, answer.headers.location]).toEqual([path, 404, undefined]);
      expect(errorOf(answer).code).toBe("not_found");
    }
    expect((await api.delete("/docs")).headers.allow).toBe("GET, HEAD, OPTIONS");
  });
});
