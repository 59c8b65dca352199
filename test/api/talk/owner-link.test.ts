import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountId } from "../../../src/core/ids.ts";
import {
  OWNER_LINK_MS,
  OWNER_PAGE_MS,
  SCRATCH_CALL_S_MAX,
  SCRATCH_CALLS_MAX,
} from "../../../src/core/limits/accounts/owner-links.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { Browser } from "../../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";

const CALL = { systemPrompt: "You sell bread.", voice: "fake/en-us", language: "en-US" };

let api: ApiUnderTest;
let accountId: AccountId;
beforeEach(async () => {
  api = await apiUnderTest();
  accountId = await api.stores.accounts.ensure("default");
});
afterEach(() => api.close());

const link = async (): Promise<string> => (await api.stores.ownerLinks.create(accountId, BY_SERVICE)).secret;
const open = (browser: Browser, token: unknown, headers: Record<string, string> = {}) =>
  browser.request("POST", "/talk/session", { token }, headers);
const start = (browser: Browser, body: object = CALL, headers: Record<string, string> = {}) =>
  browser.request("POST", "/talk/calls", body, headers);

/** A browser in which a link has opened the page. */
async function opened(): Promise<Browser> {
  const browser = new Browser(api.app);
  expect((await open(browser, await link())).status).toBe(200);
  return browser;
}

test("a link opens the page, which starts a call of the first account from a prompt", async () => {
  const browser = new Browser(api.app);
  expect((await browser.request("GET", "/talk/session")).status).toBe(204);
  expect((await start(browser)).status).toBe(401);
  const token = await link();
  const answer = await open(browser, token);
  expect(answer).toMatchObject({
    status: 200,
    body: { csrfToken: expect.stringMatching(/^[\w-]{43}$/), expiresAt: "2026-01-01T02:00:00.000Z" },
  });
  expect(answer.headers["set-cookie"]).toMatch(
    /^trunkline_talk=tlp_[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict$/,
  );
  expect((await browser.request("GET", "/talk/session")).body).toEqual(answer.body);
  const started = await start(browser, { ...CALL, greeting: "Hello." });
  expect(started).toMatchObject({
    status: 201,
    body: { websocketUrl: expect.stringMatching(/^wss:\/\/media\.test\/stream\//), connectionType: "websocket" },
  });
  expect(started.headers.location).toBeUndefined();
  const call = await api.stores.calls.get(accountId, started.body.id as never);
  expect(call).toMatchObject({
    accountId,
    settings: { maxDurationMs: SCRATCH_CALL_S_MAX * 1_000, voiceId: "fake/en-us" },
  });
  expect(await api.stores.calls.get(api.accountId, started.body.id as never)).toBeUndefined();
});

test("a request with an idempotency key starts a call like any other, because the page has nothing to seal its answer with", async () => {
  const browser = await opened();
  const named = { "idempotency-key": "one" };
  const ids = [await start(browser, CALL, named), await start(browser, CALL, named)].map(({ status, body }) => {
    expect(status).toBe(201);
    return body.id;
  });
  expect(ids[0]).not.toBe(ids[1]);
});

test("a link is refused when it was used, is late, was replaced, is forged, or comes in another form", async () => {
  const used = await link();
  const [first, second] = await Promise.all([open(new Browser(api.app), used), open(new Browser(api.app), used)]);
  expect([first.status, second.status].sort()).toEqual([200, 404]);
  const replaced = await link();
  const late = await link();
  const refusals = [used, replaced, `${late.slice(0, -1)}_`, "tlo_", "x".repeat(256)];
  for (const token of refusals) {
    const answer = await open(new Browser(api.app), token);
    expect([token.length, answer.status, answer.headers["set-cookie"]]).toEqual([token.length, 404, undefined]);
    expect(answer.text).not.toContain(token);
  }
  for (const token of [undefined, null, 1, "", ["x"], { token: late }, "x".repeat(257)]) {
    expect((await open(new Browser(api.app), token)).status).toBe(400);
  }
  api.clock.advance(OWNER_LINK_MS);
  expect((await open(new Browser(api.app), late)).status).toBe(404);
});

test("a link is not used up by a GET, a form, another method or a page of another site", async () => {
  const token = await link();
  const browser = new Browser(api.app);
  expect((await browser.request("GET", `/talk/session?token=${token}`)).status).toBe(400);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  expect((await browser.request("POST", "/talk/session", `token=${token}`, form)).status).toBe(415);
  expect(
    (await browser.request("POST", "/talk/session", JSON.stringify({ token }), { "content-type": "text/plain" }))
      .status,
  ).toBe(415);
  for (const method of ["PUT", "PATCH", "DELETE"]) {
    const answer = await browser.request(method, "/talk/session", { token });
    expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, "GET, HEAD, OPTIONS, POST"]);
  }
  for (const site of ["cross-site", "same-site"]) {
    expect((await open(browser, token, { "sec-fetch-site": site })).status).toBe(403);
  }
  expect((await open(browser, token, { "sec-fetch-site": "same-origin" })).status).toBe(200);
});

test("the cookie alone starts no call, and neither does it for another site; other cookies and keys open nothing", async () => {
  const browser = await opened();
  const forged = [{ "x-csrf-token": "" }, { "x-csrf-token": "x".repeat(43) }, { "sec-fetch-site": "cross-site" }];
  for (const headers of forged) expect((await start(browser, CALL, headers as never)).status).toBe(403);
  expect((await start(browser)).status).toBe(201);
  const secret = browser.cookies.get("trunkline_talk") ?? "";
  const elsewhere = new Browser(api.app);
  expect(
    (await elsewhere.request("GET", "/dashboard/session/me", undefined, { cookie: `trunkline_session=${secret}` }))
      .status,
  ).toBe(401);
  expect((await api.get("/api/v1/calls", { "x-api-key": secret })).status).toBe(401);
  expect((await start(elsewhere, CALL, { "x-api-key": api.key })).status).toBe(401);
});

test("a page ends after two hours", async () => {
  const browser = await opened();
  api.clock.advance(OWNER_PAGE_MS - 1);
  expect((await start(browser)).status).toBe(201);
  api.clock.advance(1);
  expect((await start(browser)).status).toBe(401);
});

test("a page starts ten calls a minute, and not while the service takes none", async () => {
  const browser = await opened();
  for (let started = 0; started < SCRATCH_CALLS_MAX; started += 1) expect((await start(browser)).status).toBe(201);
  const refused = await start(browser);
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "6"]);
  api.clock.advance(6_000);
  api.state.newCalls = { accepted: false, reason: "draining" };
  expect((await start(browser)).status).toBe(503);
});

test("all problems of a call are reported together, and only the fields of the form are accepted", async () => {
  const browser = await opened();
  const answer = await start(browser, {
    systemPrompt: " ",
    voice: "fake/de-1",
    language: "xx",
    connectionType: "carrier_a",
    maxDuration: 9,
    metadata: {},
  });
  const { error } = answer.body as { error: { details: { path: string }[] } };
  expect([answer.status, error.details.map(({ path }) => path).sort()]).toEqual([
    400,
    ["/connectionType", "/language", "/maxDuration", "/metadata", "/systemPrompt"],
  ]);
});

test("the page lists languages, and the voices that speak one", async () => {
  const browser = await opened();
  const languages = await browser.request("GET", "/talk/languages");
  expect(languages.body.data).toContainEqual({ code: "en-US", name: expect.any(String) });
  const voices = await browser.request("GET", "/talk/voices?language=de");
  expect((voices.body.data as { id: string }[]).map(({ id }) => id)).toEqual(["fake/de-1", "fake/de-2"]);
  expect((await browser.request("GET", "/talk/voices")).status).toBe(400);
  for (const path of ["languages", "voices?language=de"]) {
    expect((await new Browser(api.app).request("GET", `/talk/${path}`)).status).toBe(401);
  }
});

test("no log line and no audit event has a secret of the page", async () => {
  const token = await link();
  const browser = new Browser(api.app);
  await open(browser, token);
  await open(browser, token);
  await start(browser);
  const { events } = await api.stores.audit.list(accountId, { limit: 100 });
  const said = `${api.logged.join("\n")}${JSON.stringify(events)}`;
  for (const secret of [token, browser.csrfToken, browser.cookies.get("trunkline_talk")])
    expect(said).not.toContain(secret);
  expect(said).toContain("owner link used");
});
