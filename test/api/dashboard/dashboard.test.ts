import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDashboardFiles } from "../../../src/api/dashboard/files.ts";
import { OwnerKnown } from "../../../src/api/dashboard/owner-known.ts";
import { unavailable } from "../../../src/core/errors.ts";
import { Browser } from "../../support/api/browser.ts";
import { builtDashboardFiles, DASHBOARD_SHELL } from "../../support/api/dashboard-files.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";

const HTML = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const PAGES = [
  "/dashboard",
  "/dashboard/live",
  "/dashboard/calls/call_1",
  "/dashboard/sign-in",
  "/dashboard/no-such-page",
];

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest(undefined, { dashboardFiles: readDashboardFiles(builtDashboardFiles()) });
});
afterEach(() => api.close());

/** Makes an owner as `npm run users` does; `accepts`: who has chosen a password. */
async function makeOwner({ accepts = true } = {}): Promise<Browser> {
  const browser = new Browser(api.app);
  const answer = await api.post({ email: "kim@example.com", name: "Kim", role: "owner" }, {}, "/api/v1/users");
  const { link } = answer.body as { link: { url: string } };
  if (accepts) expect((await browser.accept(link.url)).status).toBe(200);
  return browser;
}
const get = (url: string, headers: Record<string, string> = HTML) => api.app.inject({ url, headers });

test("before there is an owner every page leads to the first steps, and an invitation changes nothing of it", async () => {
  await makeOwner({ accepts: false });
  for (const page of PAGES) {
    const answer = await get(page);
    expect([page, answer.statusCode, answer.headers.location]).toEqual([page, 302, "/"]);
    expect(answer.body).not.toContain("<script");
  }
  expect((await get("/")).body).toContain("npm run admin -- owner-link");
  expect((await get("/healthz")).statusCode).toBe(200);
  expect((await api.get("/api/v1/calls")).status).toBe(200);
});

test("a page names what it will ask for, before its program does", async () => {
  await makeOwner();
  expect((await get("/dashboard/calls/call_1")).headers.link).toBe(
    [
      "</dashboard/session/me>; rel=preload; as=fetch; crossorigin",
      "</dashboard/files/0a1b.js>; rel=modulepreload",
      "</dashboard/files/2c3d.css>; rel=preload; as=style; crossorigin",
    ].join(", "),
  );
});

test("the list of calls names its first rows, too, unless it is to be filtered", async () => {
  await makeOwner();
  const rows = "</dashboard/session/api/v1/calls?limit=50>; rel=preload; as=fetch; crossorigin";
  expect((await get("/dashboard/calls")).headers.link).toContain(rows);
  for (const page of ["/dashboard/calls?status=active", "/dashboard/calls/call_1", "/dashboard/agents"])
    expect((await get(page)).headers.link).not.toContain("api/v1");
});

test("with an owner the address of the service and every page are the dashboard, and programs get the JSON as before", async () => {
  await makeOwner();
  for (const page of ["/", ...PAGES]) {
    const answer = await get(page);
    expect([page, answer.statusCode, answer.headers["content-type"], answer.body]).toEqual([
      page,
      200,
      "text/html; charset=utf-8",
      DASHBOARD_SHELL,
    ]);
  }
  expect(JSON.parse((await get("/", { accept: "application/json" })).body)).toMatchObject({ name: "Trunkline" });
});

test("the policy of the pages allows nothing inline and nothing from elsewhere but the media plane", async () => {
  await makeOwner();
  const { headers } = await get("/dashboard/live");
  const policy = String(headers["content-security-policy"]);
  expect(policy.split("; ")).toEqual([
    "default-src 'self'",
    "connect-src 'self' wss://media.test wss://webrtc.test",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types trunkline-worker",
  ]);
  expect(headers).toMatchObject({
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
  });
});

test("files are served for good by their hash, compressed as the browser accepts", async () => {
  const plain = await get("/dashboard/files/0a1b.js");
  expect([plain.statusCode, plain.body, plain.headers["content-encoding"]]).toEqual([200, "start()", undefined]);
  expect(plain.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "public, max-age=31536000, immutable",
    vary: "Accept-Encoding",
  });
  const brotli = await get("/dashboard/files/0a1b.js", { "accept-encoding": "gzip, deflate, br" });
  expect(brotli.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe("start()");
  const gzip = await get("/dashboard/files/0a1b.js", { "accept-encoding": "br;q=0, GZIP;q=0.5" });
  expect(gzip.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gzip.rawPayload).toString()).toBe("start()");
  expect(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
});

test("a browser that has the file or the page gets no second copy", async () => {
  await makeOwner();
  for (const url of ["/dashboard/files/2c3d.css", "/dashboard/live"]) {
    const { headers } = await get(url);
    const again = await get(url, { ...HTML, "if-none-match": String(headers.etag) });
    expect([url, again.statusCode, again.body]).toEqual([url, 304, ""]);
    expect((await get(url, { ...HTML, "if-none-match": '"other"' })).statusCode).toBe(200);
  }
});

test.each([
  "/dashboard/files/manifest.json",
  "/dashboard/files/index.html",
  "/dashboard/files/0a1b.js.gz",
  "/dashboard/files/..%2f..%2fpackage.json",
  "/dashboard/files/%2e%2e/%2e%2e/package.json",
  "/dashboard/files/../../package.json",
  "/dashboard/files/__proto__",
  "/dashboard/session/nothing",
  "/dashboard/files",
])("%s is no file and no page", async (url) => {
  await makeOwner();
  const answer = await get(url);
  expect(answer.statusCode).toBe(404);
  expect(JSON.parse(answer.body).error.code).toBe("not_found");
});

test("pages are served also while the store does not answer, once an owner was seen", async () => {
  let isAway = true;
  const owner = new OwnerKnown({
    ownerExists: async () => {
      if (isAway) throw unavailable("the database is busy");
      return true;
    },
  });
  await expect(owner.exists()).rejects.toThrow("the database is busy");
  isAway = false;
  expect(await owner.exists()).toBe(true);
  isAway = true;
  expect(await owner.exists()).toBe(true);
});

test("a service without a build says how to make one", async () => {
  await api.close();
  api = await apiUnderTest();
  await makeOwner();
  const answer = await get("/dashboard/live");
  expect([answer.statusCode, JSON.parse(answer.body).error.message]).toEqual([
    503,
    "the dashboard is not built: run npm run build, and start the service again",
  ]);
});
