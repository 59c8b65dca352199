import { afterEach, beforeEach, expect, test } from "vitest";
import { USERS_MAX } from "../../src/core/limits/accounts/people.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../support/api/harness.ts";

const USERS = "/api/v1/users";
const KIM = { email: "Kim@Example.com", name: "Kim", role: "editor" };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const idOf = (answer: { body: unknown }): string => (answer.body as { id: string }).id;

test("a person is invited once in an account, by an email in any case, and the link is in that answer only", async () => {
  const made = await api.post(KIM, {}, USERS);
  expect(made.status).toBe(201);
  expect(made.headers.location).toBe(`${USERS}/${idOf(made)}`);
  expect(made.body).toMatchObject({ email: "kim@example.com", status: "invited", lastSignInAt: null });
  expect((await api.post({ ...KIM, email: "kim@example.com" }, {}, USERS)).status).toBe(409);
  const read = await api.get(`${USERS}/${idOf(made)}`);
  const { link: _, ...person } = made.body as { link: object };
  expect(read.body).toEqual(person);
  expect((await api.get(USERS)).body).toEqual({ data: [person], nextCursor: null });
  expect((await api.get(USERS)).text).not.toContain("tll_");
});

test("all problems of an invitation and of a change are reported together", async () => {
  const wrong = await api.post({ email: "kim", name: " ", role: "king", accountId: "x" }, {}, USERS);
  expect([wrong.status, pathsOf(wrong)]).toEqual([400, ["/accountId", "/email", "/name", "/role"]]);
  expect(pathsOf(await api.post({}, {}, USERS))).toEqual(["/email", "/name", "/role"]);
  for (const email of [
    "a b@example.com",
    "a@b@c",
    "<kim@example.com>",
    `${"x".repeat(254)}@example.com`,
    "a\u0000@b",
  ]) {
    expect(pathsOf(await api.post({ ...KIM, email }, {}, USERS))).toEqual(["/email"]);
  }
  const id = idOf(await api.post(KIM, {}, USERS));
  const changed = await api.patch({ email: "other@example.com", role: "king" }, {}, `${USERS}/${id}`);
  expect([changed.status, pathsOf(changed)]).toEqual([400, ["/email", "/role"]]);
});

test("A6: a request invites, promotes, demotes and gives links only as far as its own scopes go", async () => {
  const { accountId, stores } = api;
  const { key } = await stores.apiKeys.create({ accountId, name: "admin", scopes: ["admin", "read"] });
  const own = { "x-api-key": key };
  for (const [role, status] of [
    ["owner", 403],
    ["editor", 403],
    ["viewer", 201],
  ] as const) {
    expect((await api.post({ ...KIM, email: `${role}@example.com`, role }, own, USERS)).status).toBe(status);
  }
  await api.post({ ...KIM, email: "first@example.com", role: "owner" }, {}, USERS);
  const owner = idOf(await api.post({ ...KIM, email: "owner@example.com", role: "owner" }, {}, USERS));
  const refused = await api.post(undefined, own, `${USERS}/${owner}/link`);
  expect([refused.status, errorOf(refused).message]).toEqual([403, "this API key lacks the scopes calls, write"]);
  expect((await api.patch({ role: "viewer" }, own, `${USERS}/${owner}`)).status).toBe(403);
  expect((await api.get(`${USERS}/${owner}`)).body).toMatchObject({ role: "owner" });
});

test("the last owner cannot be demoted or removed, and others can", async () => {
  const owner = idOf(await api.post({ ...KIM, role: "owner" }, {}, USERS));
  const editor = idOf(await api.post({ ...KIM, email: "e@example.com" }, {}, USERS));
  const demoted = await api.patch({ role: "editor" }, {}, `${USERS}/${owner}`);
  expect([demoted.status, errorOf(demoted)]).toMatchObject([409, { message: "the account would be without an owner" }]);
  expect((await api.delete(`${USERS}/${owner}`)).status).toBe(409);
  expect((await api.patch({ role: "owner" }, {}, `${USERS}/${editor}`)).status).toBe(200);
  expect((await api.delete(`${USERS}/${owner}`)).status).toBe(204);
  expect((await api.get(`${USERS}/${owner}`)).status).toBe(404);
});

test("the list has pages and filters, and an account a limited number of people", async () => {
  for (const role of ["owner", "viewer", "viewer"]) {
    await api.post({ ...KIM, email: `${role}${Math.random()}@example.com`, role }, {}, USERS);
  }
  const page = (await api.get(`${USERS}?role=viewer&limit=1`)).body as { data: { role: string }[]; nextCursor: string };
  expect(page.data.map(({ role }) => role)).toEqual(["viewer"]);
  const next = (await api.get(`${USERS}?role=viewer&limit=1&cursor=${page.nextCursor}`)).body;
  expect(next).toMatchObject({ data: [{ role: "viewer" }], nextCursor: null });
  expect((await api.get(`${USERS}?cursor=${page.nextCursor}`)).status).toBe(400);
  expect((await api.get(`${USERS}?status=active`)).body).toEqual({ data: [], nextCursor: null });
  expect((await api.get(`${USERS}?status=gone`)).status).toBe(400);
  api.stores.users.count = async () => USERS_MAX;
  expect((await api.post(KIM, {}, USERS)).status).toBe(409);
});

test("A1: a request changes and removes only people whose role it could give", async () => {
  const { stores, accountId } = api;
  const { key } = await stores.apiKeys.create({ accountId, name: "people", scopes: ["read", "admin"] });
  const owner = idOf(await api.post({ ...KIM, role: "owner" }, {}, USERS));
  await api.post({ ...KIM, email: "robin@example.com", role: "owner" }, {}, USERS);
  const viewer = idOf(await api.post({ ...KIM, email: "lee@example.com", role: "viewer" }, {}, USERS));
  const ask = (method: "PATCH" | "DELETE", id: string, payload?: object) =>
    api.app.inject({ method, url: `${USERS}/${id}`, headers: { "x-api-key": key }, ...(payload && { payload }) });
  expect((await ask("DELETE", owner)).statusCode).toBe(403);
  expect((await ask("PATCH", owner, { name: "Mallory" })).statusCode).toBe(403);
  expect((await ask("PATCH", viewer, { name: "Lee" })).statusCode).toBe(200);
  expect((await ask("DELETE", viewer)).statusCode).toBe(204);
  expect((await api.get(`${USERS}/${owner}`)).body).toMatchObject({ name: "Kim" });
});

test("A1: a link that was made for a person's earlier role no longer works", async () => {
  const made = await api.post({ ...KIM, role: "viewer" }, {}, USERS);
  const token = (made.body as { link: { url: string } }).link.url.split("#")[1] ?? "";
  expect(await api.stores.sessions.findLink(token)).toBeDefined();
  await api.patch({ role: "owner" }, {}, `${USERS}/${idOf(made)}`);
  expect(await api.stores.sessions.findLink(token)).toBeUndefined();
});
