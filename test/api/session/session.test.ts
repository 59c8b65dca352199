import { afterEach, beforeEach, expect, test } from "vitest";
import type { Role } from "../../../src/core/accounts/roles.ts";
import type { UserId } from "../../../src/core/ids.ts";
import { INVITATION_MS, SESSION_MS } from "../../../src/core/limits/accounts/people.ts";
import { Browser, PASSWORD } from "../../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";

const EMAIL = "kim@example.com";
const API = "/dashboard/session/api/v1";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const invite = async (email = EMAIL, role: Role = "owner") => {
  const answer = await api.post({ email, name: "Kim", role }, {}, "/api/v1/users");
  expect(answer.status).toBe(201);
  const { id, link } = answer.body as { id: UserId; link: { url: string } };
  return { id, link: link.url };
};

/** A person who is signed in, in a browser of their own. */
async function member(email = EMAIL, role: Role = "owner", browser = new Browser(api.app)) {
  const { id, link } = await invite(email, role);
  expect((await browser.accept(link)).status).toBe(200);
  return { id, browser };
}

test("an invited person sets a password by the link, is signed in, and signs in again with it", async () => {
  const { id, link } = await invite("Kim@Example.com");
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/dashboard\/accept#tll_[\w-]{43}$/);
  const browser = new Browser(api.app);
  expect((await browser.request("GET", "me")).status).toBe(401);
  const accepted = await browser.accept(link);
  expect(accepted).toMatchObject({
    status: 200,
    body: {
      user: { id, email: EMAIL, role: "owner", status: "active" },
      accountId: api.accountId,
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: "2026-01-01T12:00:00.000Z",
    },
  });
  expect((await browser.request("GET", "me")).body).toEqual(accepted.body);
  const other = new Browser(api.app);
  expect((await other.signIn("KIM@example.com")).body.user).toMatchObject({ id });
  expect((await other.request("GET", "me")).status).toBe(200);
});

test("the cookies are HttpOnly, SameSite=Strict and for the whole host, and Secure where browsers come by TLS", async () => {
  const { link } = await invite();
  const cookiesOf = async (browser: Browser) => (await browser.accept(link)).headers["set-cookie"] as string[];
  const [session = "", device = ""] = await cookiesOf(new Browser(api.app));
  expect(session).toMatch(/^trunkline_session=tls_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  expect(device).toMatch(/^trunkline_device=tld_[\w-]{43}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/);
  const secure = await apiUnderTest(undefined, { publicApiUrls: ["https://voice.example.com/api/v1"] });
  const browser = new Browser(secure.app);
  const invited = await secure.post({ email: EMAIL, name: "Kim", role: "owner" }, {}, "/api/v1/users");
  await browser.accept((invited.body as { link: { url: string } }).link.url);
  expect([...browser.cookies.keys()]).toEqual(["__Host-trunkline_session", "__Host-trunkline_device"]);
  const again = await browser.signIn(EMAIL);
  for (const cookie of again.headers["set-cookie"] as string[]) expect(cookie).toMatch(/; SameSite=Strict; Secure$/);
  expect((await browser.request("GET", "me")).status).toBe(200);
  // Another page of the host, without TLS, could have planted one of this name.
  const planted = { cookie: `trunkline_session=${browser.cookies.get("__Host-trunkline_session")}` };
  expect((await new Browser(secure.app).request("GET", "me", undefined, planted)).status).toBe(401);
  await secure.close();
});

test("only a trusted proxy says that browsers come by TLS", async () => {
  const nameWith = async (trustedProxies: string[]): Promise<string> => {
    const proxied = await apiUnderTest(undefined, { trustedProxies });
    const invited = await proxied.post({ email: EMAIL, name: "Kim", role: "owner" }, {}, "/api/v1/users");
    const browser = new Browser(proxied.app, "10.0.0.7");
    const token = (invited.body as { link: { url: string } }).link.url.split("#")[1];
    await browser.request("POST", "accept", { token, password: PASSWORD }, { "x-forwarded-proto": "https" });
    await proxied.close();
    return [...browser.cookies.keys()][0] ?? "";
  };
  expect(await nameWith(["10.0.0.0/8"])).toBe("__Host-trunkline_session");
  expect(await nameWith(["10.0.0.8"])).toBe("trunkline_session");
  expect(await nameWith([])).toBe("trunkline_session");
});

test("a link used twice, late, by two at once, or one that was replaced is refused, always alike", async () => {
  const { id, link } = await invite();
  const both = await Promise.all([new Browser(api.app).accept(link), new Browser(api.app).accept(link)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
  const late = await invite("late@example.com");
  const replaced = await invite("replaced@example.com");
  expect((await api.post(undefined, {}, `/api/v1/users/${replaced.id}/link`)).status).toBe(200);
  api.clock.advance(INVITATION_MS);
  const bodies = new Set<string>();
  for (const text of [link, late.link, replaced.link, "#tll_unknown", `#${"x".repeat(256)}`]) {
    const { status, text: body, headers } = await new Browser(api.app).accept(text);
    expect(status).toBe(404);
    bodies.add(body.replace(String(headers["x-request-id"]), ""));
  }
  expect(bodies.size).toBe(1);
  expect((await api.get(`/api/v1/users/${id}`)).body).toMatchObject({ status: "active" });
});

test("a reset sets another password and ends every session of the person", async () => {
  const { id, browser } = await member();
  const made = await api.post(undefined, {}, `/api/v1/users/${id}/link`);
  expect(made.body).toMatchObject({ id, link: { kind: "reset", expiresAt: "2026-01-01T01:00:00.000Z" } });
  const { url } = (made.body as { link: { url: string } }).link;
  const another = new Browser(api.app);
  expect((await another.accept(url, "another long sentence")).status).toBe(200);
  expect((await browser.request("GET", "me")).status).toBe(401);
  expect((await browser.signIn(EMAIL)).status).toBe(401);
  expect((await browser.signIn(EMAIL, "another long sentence")).status).toBe(200);
});

test("a person changes the password with the current one, which ends the other sessions", async () => {
  const { browser } = await member();
  const other = new Browser(api.app);
  await other.signIn(EMAIL);
  const change = (currentPassword: string, newPassword: string) =>
    browser.request("POST", "password", { currentPassword, newPassword });
  expect((await change("a wrong long sentence", "another long sentence")).status).toBe(401);
  expect((await change(PASSWORD, "another long sentence")).status).toBe(204);
  expect((await browser.request("GET", "me")).status).toBe(200);
  expect((await other.request("GET", "me")).status).toBe(401);
  expect((await other.signIn(EMAIL)).status).toBe(401);
  expect((await other.signIn(EMAIL, "another long sentence")).status).toBe(200);
});

test("a person sees where they are signed in, and signs out everywhere else", async () => {
  const { browser } = await member();
  const [other, { browser: otherPerson }] = [new Browser(api.app), await member("other@example.com")];
  api.clock.advance(1_000);
  await other.signIn(EMAIL);
  expect((await browser.request("GET", "sessions")).body).toEqual({
    data: [
      { createdAt: "2026-01-01T00:00:01.000Z", expiresAt: "2026-01-01T12:00:01.000Z", isCurrent: false },
      { createdAt: "2026-01-01T00:00:00.000Z", expiresAt: "2026-01-01T12:00:00.000Z", isCurrent: true },
    ],
  });
  expect((await browser.request("POST", "sign-out-others")).status).toBe(204);
  const statuses = [browser, other, otherPerson].map(async (one) => (await one.request("GET", "me")).status);
  expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
  expect((await new Browser(api.app).request("GET", "sessions")).status).toBe(401);
});

test("a session ends by signing out, and by itself after 12 hours", async () => {
  const { browser } = await member();
  const cookies = new Map(browser.cookies);
  const answer = await browser.request("POST", "sign-out");
  expect([answer.status, answer.headers["set-cookie"]]).toEqual([
    204,
    "trunkline_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
  ]);
  expect([...browser.cookies.keys()]).toEqual(["trunkline_device"]);
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  expect((await browser.request("GET", "me")).status).toBe(401);
  await browser.signIn(EMAIL);
  api.clock.advance(SESSION_MS - 1);
  expect((await browser.request("GET", `${API}/calls`)).status).toBe(200);
  api.clock.advance(1);
  expect((await browser.request("GET", `${API}/calls`)).status).toBe(401);
});

test("a person who is removed or gets another role is refused by the next request", async () => {
  const owner = await member();
  const editor = await member("editor@example.com", "editor");
  const create = () =>
    editor.browser.request("POST", `${API}/webhooks`, { url: "https://example.com/x", eventTypes: ["call.ended"] });
  expect((await create()).status).toBe(201);
  const patch = (role: Role) => owner.browser.request("PATCH", `${API}/users/${editor.id}`, { role });
  expect((await patch("viewer")).body).toMatchObject({ role: "viewer" });
  const refused = await create();
  expect([refused.status, refused.body]).toMatchObject([
    403,
    { error: { message: "this role lacks the scope write" } },
  ]);
  expect((await editor.browser.request("GET", `${API}/webhooks`)).status).toBe(200);
  await patch("editor");
  expect((await create()).status).toBe(201);
  expect((await owner.browser.request("DELETE", `${API}/users/${editor.id}`)).status).toBe(204);
  expect((await editor.browser.request("GET", `${API}/webhooks`)).status).toBe(401);
  expect((await editor.browser.request("GET", "me")).status).toBe(401);
  expect((await editor.browser.signIn("editor@example.com")).status).toBe(401);
});

test("the API knows API keys and nothing else: a session is ignored there, and an API key here", async () => {
  const { browser } = await member();
  for (const path of ["/api/v1/calls", "/api/v1/users", "/api/v1/audit-events"]) {
    expect((await browser.request("GET", path)).status).toBe(401);
    expect((await browser.request("GET", path, undefined, { "x-api-key": api.key })).status).toBe(200);
  }
  expect((await api.get(`${API}/calls`)).status).toBe(401);
  expect((await api.get("/dashboard/session/me")).status).toBe(401);
  // The session decides, whatever API key comes with it.
  const answer = await browser.request("POST", `${API}/agents`, AGENT, { "x-api-key": "tlk_wrong" });
  expect(answer.status).toBe(201);
  expect(answer.headers.location).toBe(`${API}/agents/${answer.body.id}`);
});

const AGENT = { name: "Desk", basePrompt: "You answer.", languageId: "en-US", voiceId: "fake/en-us" };

test("a person creates calls, also idempotent ones, without an API key", async () => {
  const { browser } = await member();
  const call = { systemPrompt: "You book tables.", voice: "Alice", language: "en-US" };
  const create = () => browser.request("POST", `${API}/calls`, call, { "idempotency-key": "one" });
  const [first, second] = [await create(), await create()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect(first.headers.ratelimit).toMatch(/^"user";r=\d+;t=\d+, "account";r=\d+;t=\d+$/);
  expect((await browser.request("GET", `${API}/calls/${first.body.id}`)).status).toBe(200);
});

test("a request that changes something needs the CSRF token of its session", async () => {
  const { browser } = await member();
  const { browser: other } = await member("other@example.com");
  const before = browser.csrfToken;
  for (const wrong of ["", "x", other.csrfToken, before.slice(1)]) {
    browser.csrfToken = wrong;
    for (const [method, path, body] of [
      ["POST", `${API}/agents`, AGENT],
      ["DELETE", `${API}/agents/agent_1`],
      ["PATCH", `${API}/agents/agent_1`, { name: "x" }],
      ["POST", "sign-out"],
      ["POST", "sign-out-others"],
      ["POST", "password", { currentPassword: PASSWORD, newPassword: "another long sentence" }],
    ] as const) {
      const answer = await browser.request(method, path, body);
      expect([path, answer.status, (answer.body.error as { code: string }).code]).toEqual([path, 403, "forbidden"]);
    }
    expect((await browser.request("GET", `${API}/agents`)).body).toEqual({ data: [], nextCursor: null });
  }
  browser.csrfToken = before;
  expect((await browser.request("POST", `${API}/agents`, AGENT)).status).toBe(201);
});

test("a request with the CSRF token of another session is refused, even to read: the page is another person's", async () => {
  const { browser } = await member();
  const { browser: other } = await member("other@example.com");
  const statusWith = async (token: string): Promise<number> =>
    (await browser.request("GET", `${API}/agents`, undefined, { "x-csrf-token": token })).status;
  expect([await statusWith(other.csrfToken), await statusWith(""), await statusWith(browser.csrfToken)]).toEqual([
    403, 403, 200,
  ]);
});

test("requests that the browser says come from another site are refused, even to read and to sign in", async () => {
  const { browser } = await member();
  const { link } = await invite("new@example.com");
  for (const site of ["cross-site", "same-site", "evil"]) {
    const headers = { "sec-fetch-site": site };
    const token = link.split("#")[1];
    for (const answer of [
      await browser.request("GET", `${API}/calls`, undefined, headers),
      await browser.request("GET", "me", undefined, headers),
      await browser.request("POST", "sign-in", { email: EMAIL, password: PASSWORD }, headers),
      await browser.request("POST", "accept", { token, password: PASSWORD }, headers),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  }
  const form = await browser.request("POST", "sign-in", "email=a", {
    "content-type": "application/x-www-form-urlencoded",
  });
  expect(form.status).toBe(415);
  for (const site of ["same-origin", "none"]) {
    expect((await browser.request("GET", "me", undefined, { "sec-fetch-site": site })).status).toBe(200);
  }
});

test("all problems of a request are reported together, and no answer shows a password or a token", async () => {
  const { browser } = await member();
  const short = "tooShort7f3";
  const problems = async (path: string, body: unknown) => {
    const answer = await browser.request("POST", path, body);
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(short);
    const { details } = answer.body.error as { details: { path: string; message: string }[] };
    return details.map((detail) => detail.path).sort();
  };
  expect(await problems("sign-in", { email: "x", password: [short], more: 1 })).toEqual([
    "/email",
    "/more",
    "/password",
  ]);
  expect(await problems("sign-in", {})).toEqual(["/email", "/password"]);
  expect(await problems("accept", { token: [short], password: short })).toEqual(["/password", "/token"]);
  expect(await problems("password", { currentPassword: 1, newPassword: short })).toEqual([
    "/currentPassword",
    "/newPassword",
  ]);
  expect(await problems("password", { currentPassword: PASSWORD, newPassword: EMAIL.toUpperCase() })).toEqual([
    "/newPassword",
  ]);
  for (const body of ["[]", "null", '"text"', "1"]) expect(await problems("sign-in", body)).not.toEqual([]);
  const { link } = await invite("long-enough@example.com");
  expect((await new Browser(api.app).accept(link, "long-enough@example.com")).status).toBe(400);
  expect((await new Browser(api.app).accept(link)).status).toBe(200);
});

test("every act of a person is in the audit log with the person as the actor", async () => {
  const { id, browser } = await member();
  const answer = await browser.request("POST", `${API}/users`, { email: "v@example.com", name: "V", role: "viewer" });
  await browser.request("POST", `${API}/agents`, AGENT);
  await browser.signIn(EMAIL);
  await browser.request("POST", "sign-out");
  const { body } = await api.get("/api/v1/audit-events?actorKind=user");
  const { data } = body as { data: { actor: object; action: string; target: { id: string }; requestId: string }[] };
  expect(data.map(({ action }) => action)).toEqual([
    "user.signed_out",
    "user.signed_in",
    "agent.created",
    "user.invited",
    "user.invitation_accepted",
  ]);
  for (const { actor } of data) expect(actor).toEqual({ kind: "user", id });
  expect(data[3]).toMatchObject({ target: { id: answer.body.id }, requestId: answer.headers["x-request-id"] });
});

test("the page of a link runs its own script alone, and is shown in no frame", async () => {
  const { status, headers, text } = await new Browser(api.app).request("GET", "/dashboard/accept");
  expect(status).toBe(200);
  expect(headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self';.* frame-ancestors 'none'$/,
  );
  expect(headers["referrer-policy"]).toBe("no-referrer");
  expect(text).toContain('fetch("session/accept"');
});
