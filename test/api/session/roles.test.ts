import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { ROLES, type Role, SCOPES_OF_ROLE } from "../../../src/core/accounts/roles.ts";
import type { UserId } from "../../../src/core/ids.ts";
import { Browser, SESSION } from "../../support/api/browser.ts";
import { existingId, pathOf, unknownId } from "../../support/api/requests.ts";
import { everyRoute, expectedOf, nameOf } from "../../support/api/routes.ts";
import { Scene } from "../../support/api/scene.ts";
import type { Operation } from "../../support/openapi/document.ts";

// The matrix of routes and callers: its rows are the routes that Fastify has, its columns the roles and those who have none.

const routes = (await everyRoute()).flatMap((route) => {
  const expected = expectedOf(route);
  return expected !== undefined && "scope" in expected ? [{ route, expected }] : [];
});

/** The routes for people, as Fastify prints them. */
async function sessionRoutes(): Promise<string[]> {
  const { api } = await Scene.make();
  const found: string[] = [];
  api.app.addHook("onRoute", ({ method, url }) => {
    if (url.startsWith(`${SESSION}/api/v1/`))
      found.push(`${method} ${url.replace(SESSION, "").replace(/:(\w+)/g, "{$1}")}`);
  });
  await api.app.ready();
  await api.close();
  return found.sort();
}

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.make();
});
afterEach(() => scene.api.close());

const counts = { routes: routes.length, allowed: 0, forbidden: 0, signedOut: 0, otherAccount: 0 };
afterAll(() => {
  process.stdout.write(
    `routes x roles: ${counts.routes} routes, ${counts.allowed} allowed, ${counts.forbidden} forbidden, ` +
      `${counts.signedOut} without a session, ${counts.otherAccount} of another account\n`,
  );
});

async function signedIn(role: Role, accountName = "first"): Promise<{ browser: Browser; id: UserId }> {
  const { stores, app } = scene.api;
  const accountId = await stores.accounts.ensure(accountName);
  const user = { accountId, email: `${role}@${accountName}.example`, name: role, role };
  const invited = await stores.users.invite(user, { actor: { kind: "service", id: "service" } });
  if (invited === "exists") throw new Error("the person exists");
  const browser = new Browser(app);
  await browser.accept(`#${invited.link.token}`);
  return { browser, id: invited.record.id };
}

async function statusOf(browser: Browser, route: Operation, given: Awaited<ReturnType<typeof existingId>>) {
  const body = given.body ?? (route.requestBody?.required ? route.bodyExamples[0] : undefined);
  const query = given.query === undefined ? "" : `?${given.query}`;
  return (await browser.request(route.method, SESSION + pathOf(route, given) + query, body)).status;
}

test("A1: every route of the API is one for people, too, and in the table, and no other is", async () => {
  const table = routes.map(({ route }) => nameOf(route)).sort();
  expect(table.length).toBeGreaterThan(40);
  expect(await sessionRoutes()).toEqual(table);
});

test.each(
  routes.map(({ route, expected }) => [nameOf(route), route, expected] as const),
)("A1: %s is for the roles that have its scope, for no other account, and not without a session", async (_name, route, expected) => {
  for (const role of ROLES) {
    const { browser } = await signedIn(role);
    const needed = [expected.scope, ...(expected.grants ?? [])];
    const isAllowed = needed.every((scope) => SCOPES_OF_ROLE[role].includes(scope));
    const status = await statusOf(browser, route, await existingId(scene, route));
    expect([role, status]).toEqual([role, isAllowed ? expected.owner : 403]);
    counts[isAllowed ? "allowed" : "forbidden"] += 1;
  }
  const given = await existingId(scene, route);
  const { browser: signedOut } = await signedIn("owner", "signed-out");
  const cookies = new Map(signedOut.cookies);
  await signedOut.request("POST", "sign-out");
  for (const [name, value] of cookies) signedOut.cookies.set(name, value);
  for (const browser of [new Browser(scene.api.app), signedOut]) {
    expect(await statusOf(browser, route, given)).toBe(401);
    counts.signedOut += 1;
  }
  const { browser: other } = await signedIn("owner", "second");
  expect(await statusOf(other, route, given)).toBe(expected.otherAccount);
  if (expected.otherAccount === 404) expect(await statusOf(other, route, unknownId(route))).toBe(404);
  counts.otherAccount += 1;
});
