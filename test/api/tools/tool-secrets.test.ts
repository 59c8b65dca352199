import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../support/api/harness.ts";
import { present } from "../../support/present.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const SECRETS = "/api/v1/tool-secrets";
const SECRET = "canary-0123456789abcdef";
const BAKERY = { name: "BAKERY", hosts: ["bakery.example", "bakery.example:8443"], value: SECRET };

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const post = (body: object): Promise<Answer> => api.post(body, {}, SECRETS);

/** Creates a call with a tool at this server, whose header has the secret. */
function callWith(secret: string, server: string): Promise<Answer> {
  const http = { method: "GET", url: `https://${server}/orders`, headers: { authorization: `Bearer {{${secret}}}` } };
  const definition = { name: "orders", description: "Orders.", type: "http", parameters: { type: "object" }, http };
  return api.post({ ...MINIMAL_CALL, selectedTools: [{ definition }] });
}

test("L1: a secret is written once and shown nowhere: no answer, log line or file has it", async () => {
  const made = await post(BAKERY);
  const { id } = made.body as { id: string };
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^tool_secret_/),
      ...{ name: "BAKERY", hosts: BAKERY.hosts, lastCharacters: "cdef" },
      createdAt: expect.any(String),
    },
  ]);
  const refused = [await post({ ...BAKERY, value: `${SECRET}\u0000` }), await post({ ...BAKERY, value: ` ${SECRET}` })];
  expect(refused.map(({ status }) => status)).toEqual([400, 400]);
  const read = [await api.get(SECRETS), await api.get(`${SECRETS}/${id}`), await api.get("/api/v1/audit-events")];
  const answers = [made, ...refused, ...read].map(({ text }) => text).join();
  expect(answers).toContain("tool_secret.created");
  for (const text of [answers, api.logged.join(), allBytes(api.directory)]) expect(text.includes(SECRET)).toBe(false);
});

test("a tool may name a secret of its account for the servers of the secret, and no other server", async () => {
  expect((await callWith("BAKERY", "bakery.example")).status).toBe(400);
  await post(BAKERY);
  expect((await callWith("BAKERY", "bakery.example")).status).toBe(201);
  expect((await callWith("BAKERY", "bakery.example:8443")).status).toBe(201);
  for (const server of ["bakery.example:9443", "www.bakery.example", "bakery.example.evil"]) {
    const answer = await callWith("BAKERY", server);
    expect([answer.status, pathsOf(answer)]).toEqual([400, ["/selectedTools/0/definition/http/headers/authorization"]]);
  }
});

test("A2: a secret of another account is like one that does not exist", async () => {
  const { accountSecrets, stores } = api;
  const other = await stores.accounts.ensure("second");
  const secret = { kind: "tool_secret", name: "BAKERY", text: SECRET, hosts: ["bakery.example"] } as const;
  const { id } = present(await accountSecrets.put(other, secret));
  expect((await callWith("BAKERY", "bakery.example")).status).toBe(400);
  expect((await api.get(`${SECRETS}/${id}`)).status).toBe(404);
  expect((await api.delete(`${SECRETS}/${id}`)).status).toBe(404);
  expect((await api.get(SECRETS)).body).toEqual({ data: [], nextCursor: null });
});

test("one of the same name replaces the earlier one, and after its deletion tools cannot name it", async () => {
  await post(BAKERY);
  const { id } = (await post({ ...BAKERY, hosts: ["other.example"] })).body as { id: string };
  expect((await api.get(SECRETS)).body).toMatchObject({ data: [{ id, hosts: ["other.example"] }] });
  expect((await callWith("BAKERY", "bakery.example")).status).toBe(400);
  expect((await callWith("BAKERY", "other.example")).status).toBe(201);
  expect((await api.delete(`${SECRETS}/${id}`)).status).toBe(204);
  expect((await callWith("BAKERY", "other.example")).status).toBe(400);
});

test("names, servers and unknown fields are refused together, with the spelling of a server that is nearly right", async () => {
  const answer = await post({ name: "bakery", hosts: ["https://x.example", "Bakery.example", "*.example"], more: 1 });
  expect([answer.status, pathsOf(answer)]).toEqual([
    400,
    ["/hosts/0", "/hosts/1", "/hosts/2", "/more", "/name", "/value"],
  ]);
  expect(errorOf(answer).details.find(({ path }) => path === "/hosts/1")?.message).toContain("(here bakery.example)");
  expect(pathsOf(await post({ ...BAKERY, hosts: [] }))).toEqual(["/hosts"]);
});
