import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountId } from "../../../src/core/ids.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { Browser, PASSWORD } from "../../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest } from "../../support/api/harness.ts";

const EMAIL = "kim@example.com";

let api: ApiUnderTest;
let accountId: AccountId;
beforeEach(async () => {
  api = await apiUnderTest();
  accountId = await api.stores.accounts.ensure("default");
});
afterEach(() => api.close());

/** A browser in which an owner link has opened the page. */
async function opened(): Promise<Browser> {
  const browser = new Browser(api.app);
  const { secret: token } = await api.stores.ownerLinks.create(accountId, BY_SERVICE);
  expect((await browser.request("POST", "/talk/session", { token })).status).toBe(200);
  return browser;
}
const create = (browser: Browser, body: object = { email: EMAIL, password: PASSWORD }) =>
  browser.request("POST", "/talk/owner", body);
const problemsOf = ({ body }: { body: Record<string, unknown> }) =>
  (body.error as { details: { path: string; message: string }[] }).details;

test("the page of an owner link makes the first owner, who is signed in and can sign in again", async () => {
  const browser = await opened();
  expect((await browser.request("GET", "/talk/session")).body.hasOwner).toBe(false);
  const created = await create(browser, { email: "Kim@Example.com", password: PASSWORD });
  expect(created).toMatchObject({
    status: 201,
    body: { user: { email: EMAIL, role: "owner", status: "active" }, accountId },
  });
  expect((await browser.request("GET", "me")).body).toEqual(created.body);
  expect((await browser.request("GET", "/talk/session")).body.hasOwner).toBe(true);
  expect((await new Browser(api.app).signIn(EMAIL)).status).toBe(200);
  const { events } = await api.stores.audit.list(accountId, { limit: 10, targetKind: "user" });
  expect(events.map(({ action }) => action)).toEqual(["user.signed_in", "user.invitation_accepted", "user.invited"]);
});

test("a second owner is not made that way", async () => {
  const browser = await opened();
  expect((await create(browser)).status).toBe(201);
  const second = await opened();
  expect(await create(second, { email: "eve@example.com", password: PASSWORD })).toMatchObject({
    status: 409,
    body: { error: { code: "conflict" } },
  });
  expect(await api.stores.users.count(accountId)).toBe(1);
});

test("an owner who was invited before becomes one by it; another person with the email stays what they are", async () => {
  const invite = (email: string, role: "owner" | "viewer") =>
    api.stores.users.invite({ accountId, email, name: "Kim", role }, BY_SERVICE);
  await invite(EMAIL, "owner");
  await invite("lee@example.com", "viewer");
  const browser = await opened();
  expect((await create(browser, { email: "lee@example.com", password: PASSWORD })).status).toBe(409);
  expect((await create(browser)).status).toBe(201);
  expect(await api.stores.users.count(accountId)).toBe(2);
});

test("without the page, without its token, and from another site no owner is made", async () => {
  expect((await create(new Browser(api.app))).status).toBe(401);
  const browser = await opened();
  const token = browser.csrfToken;
  browser.csrfToken = "forged";
  expect((await create(browser)).status).toBe(403);
  browser.csrfToken = token;
  const other = { "sec-fetch-site": "cross-site" };
  expect((await browser.request("POST", "/talk/owner", { email: EMAIL, password: PASSWORD }, other)).status).toBe(403);
  expect(await api.stores.users.count(accountId)).toBe(0);
});

test("all problems are reported together, and no answer shows the password", async () => {
  const browser = await opened();
  const answer = await create(browser, { email: "kim", password: "short", name: "Kim" });
  expect(answer.status).toBe(400);
  expect(
    problemsOf(answer)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(["/email", "/name", "/password"]);
  expect(answer.text).not.toContain("short");
  const same = await create(browser, { email: "kim.miller@example.com", password: "Kim.Miller@example.com" });
  expect(problemsOf(same)).toEqual([{ path: "/password", message: expect.stringContaining("must not be the email") }]);
});
