import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backup } from "../../src/cli/admin/backup.ts";
import { hashSecret } from "../../src/store/secrets.ts";
import { recordedOutput } from "../support/admin-output.ts";
import { Browser, SESSION } from "../support/api/browser.ts";
import { type ApiUnderTest, apiUnderTest, MINIMAL_CALL } from "../support/api/harness.ts";
import { allBytes, temporaryDirectory } from "../support/temporary-directory.ts";
import { redeemedBy } from "../support/tokens.ts";

const ROUNDS = 5;

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

/** Secrets by what they are. */
class Planted {
  readonly secrets: { what: string; secret: string }[] = [];

  add(what: string, secret: unknown): string {
    if (typeof secret !== "string" || secret.length < 16) throw new Error(`${what} was not given`);
    this.secrets.push({ what, secret });
    return secret;
  }

  /** Those that a text has, as they are or in base64, by what they are. */
  foundIn(text: string): string[] {
    const encoded = (secret: string): string => Buffer.from(secret).toString("base64").replace(/=+$/, "");
    return this.secrets.flatMap(({ what, secret }) =>
      text.includes(secret) || text.includes(encoded(secret)) ? [what] : [],
    );
  }
}

const made = async (path: string, body: unknown): Promise<Record<string, string>> => {
  const answer = await api.post(body, {}, `/api/v1${path}`);
  expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2]);
  return answer.body as Record<string, string>;
};

/** API keys, webhooks and stream tokens, of which some are rotated, revoked and used. */
async function plantForPrograms(planted: Planted, round: number): Promise<void> {
  const { id = "", key } = await made("/api-keys", { name: `program ${round}` });
  planted.add("API key", key);
  planted.add("rotated API key", (await made(`/api-keys/${id}/rotate`, {})).key);
  if (round % 2 === 0) await made(`/api-keys/${id}/revoke`, undefined);
  const hook = { url: `https://example.com/${round}`, eventTypes: ["call.created", "call.ended"] };
  const { id: webhookId, secret } = await made("/webhooks", hook);
  planted.add("secret of a webhook", secret);
  planted.add("rotated secret of a webhook", (await made(`/webhooks/${webhookId}/rotate-secret`, {})).secret);
  const headers = { "idempotency-key": `call ${round}` };
  const call = await api.post(MINIMAL_CALL, headers);
  expect((await api.post(MINIMAL_CALL, headers)).status).toBe(201);
  const token = planted.add("stream token", (call.body as { websocketUrl: string }).websocketUrl.split("/").at(-1));
  if (round % 2 === 0) await api.stores.redemptions.redeem(hashSecret(token), redeemedBy("worker-1"));
}

/** People with links, passwords and sessions, also wrong and earlier ones. */
async function plantForPeople(planted: Planted, round: number): Promise<void> {
  const email = `person${round}@example.com`;
  const tokenOf = (answer: Record<string, unknown>): string => (answer.link as { url: string }).url.split("#")[1] ?? "";
  const invited = await made("/users", { email, name: `Person ${round}`, role: "owner" });
  const invitation = planted.add("link of an invitation", tokenOf(invited));
  const browser = new Browser(api.app, `192.0.2.${round}`);
  const first = planted.add("first password", `first password of person ${round}`);
  await browser.accept(`#${invitation}`, first);
  for (const [name, value] of browser.cookies) planted.add(`cookie ${name}`, value);
  planted.add("CSRF token", browser.csrfToken);
  const second = planted.add("second password", `second password of person ${round}`);
  const change = { currentPassword: first, newPassword: second };
  expect((await browser.request("POST", "password", change)).status).toBe(204);
  const wrong = planted.add("wrong password", `wrong password of person ${round}`);
  expect((await browser.signIn(email, wrong)).status).toBe(401);
  expect((await browser.signIn(email, second)).status).toBe(200);
  const api1 = `${SESSION}/api/v1`;
  expect((await browser.request("GET", `${api1}/users`)).status).toBe(200);
  expect((await browser.request("POST", `${api1}/agents`, { name: second })).status).toBe(400);
  planted.add("link of a reset", tokenOf(await made(`/users/${invited.id}/link`, undefined)));
}

/** What every GET of the API answers, and some requests that are wrong. */
async function answers(): Promise<string> {
  const texts: string[] = [];
  const idsOf = async (path: string): Promise<string[]> => {
    const { body } = await api.get(`/api/v1/${path}`);
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const paths = ["voices", "languages", "openapi.json", "audit-events?limit=100"];
  for (const list of ["api-keys", "webhooks", "users", "calls", "agents"]) {
    const ids = await idsOf(list);
    paths.push(list, ...ids.map((id) => `${list}/${id}`), `${list}/unknown`, `${list}?nonsense=1`);
    if (list === "webhooks") paths.push(...ids.map((id) => `webhooks/${id}/deliveries`));
  }
  for (const path of paths) texts.push((await api.get(`/api/v1/${path}`)).text);
  expect(texts.length).toBeGreaterThan(40);
  return texts.join("\n");
}

test("L1: of more than 50 planted secrets none is in the database, a backup, the log, the metrics or an answer of the API", async () => {
  const planted = new Planted();
  for (let round = 0; round < ROUNDS; round++) {
    await plantForPrograms(planted, round);
    await plantForPeople(planted, round);
  }
  expect(planted.secrets.length).toBeGreaterThan(50);
  const place = { dataDir: api.directory, databaseUrl: undefined };
  const folder = join(temporaryDirectory(), "backup");
  const output = recordedOutput();
  await backup(place, folder, output);
  const exported = gunzipSync(readFileSync(join(folder, "database.jsonl.gz"))).toString("latin1");
  const searched: Record<string, string> = {
    database: allBytes(api.directory),
    backup: allBytes(folder),
    exported,
    said: output.said.join("\n"),
    logged: api.logged.join("\n"),
    metrics: await api.metrics.registry.metrics(),
    answers: await answers(),
  };
  // Each place has what was made: the search would find it.
  for (const place of ["database", "exported", "answers"]) expect(searched[place]).toContain("person4@example.com");
  for (const [place, text] of Object.entries(searched)) expect([place, planted.foundIn(text)]).toEqual([place, []]);
  const kinds = new Set(planted.secrets.map(({ what }) => what));
  process.stdout.write(
    `planted secrets: ${planted.secrets.length} of ${kinds.size} kinds, searched in ` +
      `${Object.values(searched).reduce((sum, text) => sum + text.length, 0)} characters of ${Object.keys(searched).join(", ")}\n`,
  );
});

test("the search finds a secret that a file has, plain and in base64", async () => {
  const planted = new Planted();
  planted.add("one", "a secret of sixteen characters");
  expect(planted.foundIn("x a secret of sixteen characters x")).toEqual(["one"]);
  expect(planted.foundIn(`x ${Buffer.from("a secret of sixteen characters").toString("base64")}`)).toEqual(["one"]);
  expect(planted.foundIn("a secret of sixteen character")).toEqual([]);
});
