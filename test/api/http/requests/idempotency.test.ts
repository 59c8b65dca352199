import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { IdempotencySealer } from "../../../../src/api/http/requests/idempotency.ts";
import { epochMs } from "../../../../src/core/clocks.ts";
import type { CallId } from "../../../../src/core/ids.ts";
import { hashSecret } from "../../../../src/store/secrets.ts";
import {
  type Answer,
  type ApiUnderTest,
  apiUnderTest,
  errorOf,
  MINIMAL_CALL,
  pathsOf,
} from "../../../support/api/harness.ts";
import { allBytes } from "../../../support/temporary-directory.ts";
import { redeemedBy } from "../../../support/tokens.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const named = (name: string, more: Record<string, string> = {}) => ({ "idempotency-key": name, ...more });
const REPLAYED = "idempotent-replayed";

/** The parts of a response that a client sees. */
const given = ({ status, headers, text }: Answer) => ({ status, location: headers.location, text });

const tokenOf = (answer: Answer): string =>
  (answer.body as { websocketUrl: string }).websocketUrl.split("/").at(-1) ?? "";

const idsOf = async (): Promise<string[]> =>
  ((await api.get("/api/v1/calls?limit=100")).body as { data: { id: string }[] }).data.map((call) => call.id);

async function anotherKey(account: string): Promise<string> {
  const accountId = await api.stores.accounts.ensure(account);
  return (await api.stores.apiKeys.create({ accountId, name: "another" })).key;
}

async function agent(): Promise<string> {
  const fields = { name: "A", basePrompt: "You book tables.", languageId: "en-US", voiceId: "fake/en-us" };
  return ((await api.post(fields, {}, "/api/v1/agents")).body as { id: string }).id;
}

describe("the same request with the same Idempotency-Key", () => {
  test("gets the first response again, and is marked as a replay", async () => {
    const first = await api.post(MINIMAL_CALL, named("order-17"));
    expect(first.status).toBe(201);
    expect(first.headers).not.toHaveProperty(REPLAYED);
    api.clock.advance(5_000);
    const second = await api.post(MINIMAL_CALL, named("order-17"));
    expect(given(second)).toEqual(given(first));
    expect(second.headers[REPLAYED]).toBe("true");
    expect(await idsOf()).toHaveLength(1);
    expect(await api.stores.redemptions.redeem(hashSecret(tokenOf(second)), redeemedBy("worker-1"))).toBeDefined();
  });

  test("does so in any later state of the call", async () => {
    const first = await api.post(MINIMAL_CALL, named("order-17"));
    const { id } = first.body as { id: CallId };
    await api.stores.redemptions.redeem(hashSecret(tokenOf(first)), redeemedBy("worker-1"));
    expect(given(await api.post(MINIMAL_CALL, named("order-17")))).toEqual(given(first));
    const end = {
      status: "ended",
      endReason: "caller_hangup",
      endedAtMs: epochMs(1),
      durationMs: 1,
      turns: [],
    } as const;
    await api.stores.calls.finish(id, end);
    expect(given(await api.post(MINIMAL_CALL, named("order-17")))).toEqual(given(first));
  });

  test("is the same for any order of members at any depth, and any white space", async () => {
    const metadata = { b: [{ y: 1, x: 2 }], a: { d: null, c: 1.5 } };
    const first = await api.post({ ...MINIMAL_CALL, metadata }, named("order-17"));
    const turned = `{ "metadata": {"a":{"c":15e-1,"d":null},"b":[ {"x":2,"y":1.0} ]}, "language":"en-US",
      "voice":"\\u0041lice", "systemPrompt":"You book tables." }`;
    expect(given(await api.post(turned, named("order-17")))).toEqual(given(first));
  });

  test("is a different one when anything in it differs, and creates no call", async () => {
    await api.post({ ...MINIMAL_CALL, metadata: { list: [1, 2] } }, named("order-17"));
    for (const body of [
      MINIMAL_CALL,
      { ...MINIMAL_CALL, metadata: { list: [2, 1] } },
      { ...MINIMAL_CALL, metadata: { list: [1, 2, null] } },
      { ...MINIMAL_CALL, metadata: { list: ["1", 2] } },
      // An omitted field is not the same as its default, which may change in the next version.
      { ...MINIMAL_CALL, metadata: { list: [1, 2] }, temperature: 0 },
      { ...MINIMAL_CALL, metadata: { list: [1, 2] }, systemPrompt: "You book tables. " },
    ]) {
      const answer = await api.post(body, named("order-17"));
      expect([answer.status, errorOf(answer).code]).toEqual([409, "idempotency_mismatch"]);
      expect(answer.text).not.toContain("websocketUrl");
    }
    expect(await idsOf()).toHaveLength(1);
  });

  test("is a different one on another path", async () => {
    const [one, other] = [await agent(), await agent()];
    const first = await api.post({}, named("order-17"), `/api/v1/agents/${one}/calls`);
    expect(first.status).toBe(201);
    expect(given(await api.post({}, named("order-17"), `/api/v1/agents/${one}/calls`))).toEqual(given(first));
    for (const path of [`/api/v1/agents/${other}/calls`, "/api/v1/calls"]) {
      const answer = await api.post(path === "/api/v1/calls" ? MINIMAL_CALL : {}, named("order-17"), path);
      expect([answer.status, errorOf(answer).code]).toEqual([409, "idempotency_mismatch"]);
    }
  });

  test("is a different one with another API key of the account, and the message says so", async () => {
    await api.post(MINIMAL_CALL, named("order-17"));
    const answer = await api.post(MINIMAL_CALL, named("order-17", { "x-api-key": await anotherKey("first") }));
    expect([answer.status, errorOf(answer).code]).toEqual([409, "idempotency_mismatch"]);
    expect(errorOf(answer).message).toContain("another API key");
  });

  test("does not affect another account", async () => {
    const first = await api.post(MINIMAL_CALL, named("order-17"));
    const theirs = await api.post(MINIMAL_CALL, named("order-17", { "x-api-key": await anotherKey("second") }));
    expect(theirs.status).toBe(201);
    expect(theirs.headers).not.toHaveProperty(REPLAYED);
    expect(tokenOf(theirs)).not.toBe(tokenOf(first));
  });

  test("is remembered for 24 hours", async () => {
    const first = await api.post(MINIMAL_CALL, named("order-17"));
    api.clock.advance(24 * 3_600_000 - 1);
    expect(given(await api.post(MINIMAL_CALL, named("order-17")))).toEqual(given(first));
    api.clock.advance(1);
    const next = await api.post(MINIMAL_CALL, named("order-17"));
    expect([next.status, tokenOf(next) === tokenOf(first)]).toEqual([201, false]);
  });

  test("is deleted with its call", async () => {
    const first = await api.post(MINIMAL_CALL, named("order-17"));
    await api.delete(String(first.headers.location));
    const next = await api.post({ ...MINIMAL_CALL, temperature: 1 }, named("order-17"));
    expect(next.status).toBe(201);
    expect(next.headers).not.toHaveProperty(REPLAYED);
  });

  test("is remembered only when it created a call", async () => {
    expect((await api.post({ ...MINIMAL_CALL, model: "x" }, named("order-17"))).status).toBe(400);
    api.state.newCalls = { accepted: false, reason: "draining" };
    expect((await api.post(MINIMAL_CALL, named("order-17"))).status).toBe(503);
    api.state.newCalls = { accepted: true };
    const answer = await api.post(MINIMAL_CALL, named("order-17"));
    expect(answer.status).toBe(201);
    expect(answer.headers).not.toHaveProperty(REPLAYED);
  });
});

test("requests without an Idempotency-Key are all different", async () => {
  expect(new Set([await api.post(MINIMAL_CALL), await api.post(MINIMAL_CALL)].map(tokenOf)).size).toBe(2);
  expect(await idsOf()).toHaveLength(2);
});

describe("an Idempotency-Key", () => {
  test.each(["x", "~ !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "x".repeat(255), "1"])("may be %s", async (name) => {
    const first = await api.post(MINIMAL_CALL, named(name));
    expect(first.status).toBe(201);
    expect(given(await api.post(MINIMAL_CALL, named(name)))).toEqual(given(first));
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(256)],
    ["no ASCII", "caf\u00e9"],
    ["a control", "a\tb"],
  ])("that is %s is 400", async (_what, name) => {
    const answer = await api.post(MINIMAL_CALL, named(name));
    expect([answer.status, errorOf(answer).code, pathsOf(answer)]).toEqual([
      400,
      "invalid_request",
      ["/idempotency-key"],
    ]);
    expect(await idsOf()).toEqual([]);
  });

  test("that is invalid is reported together with all other problems", async () => {
    const answer = await api.post({ ...MINIMAL_CALL, model: "x", voice: "Zelda" }, named(""));
    expect(pathsOf(answer)).toEqual(["/idempotency-key", "/model", "/voice"]);
  });
});

test("A11: a hundred concurrent requests with one Idempotency-Key create one call and get the same response, over HTTP", async () => {
  await api.app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = api.app.server.address() as AddressInfo;
  const headers = { "x-api-key": api.key, "content-type": "application/json", "idempotency-key": "order-17" };
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const init = { method: "POST", headers, body: JSON.stringify(MINIMAL_CALL) };
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/calls`, init);
      return { status: answer.status, text: await answer.text(), replayed: answer.headers.get(REPLAYED) };
    }),
  );
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]));
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
  expect(answers.filter((answer) => answer.replayed === null)).toHaveLength(1);
  expect(await idsOf()).toHaveLength(1);
});

test("T12: neither the token, nor the Idempotency-Key, nor an unrecorded prompt is on the disk", async () => {
  const body = { ...MINIMAL_CALL, systemPrompt: "canary-prompt", transcriptEnabled: false };
  const first = await api.post(body, named("canary-name"));
  expect(given(await api.post(body, named("canary-name")))).toEqual(given(first));
  const bytes = allBytes(api.directory);
  expect(bytes).toContain(hashSecret(tokenOf(first)));
  for (const secret of [tokenOf(first), Buffer.from(tokenOf(first)).toString("base64url"), "canary", api.key]) {
    expect(bytes).not.toContain(secret);
  }
  expect(api.logged.join("")).not.toContain(tokenOf(first));
});

describe("what the store saves of a request", () => {
  const asked = [undefined, { systemPrompt: "x" }];
  const request = (changes: Partial<ConstructorParameters<typeof IdempotencySealer>[0]> = {}) =>
    new IdempotencySealer({ name: "order-17", credential: "tlk_one", asked, ...changes });

  test("is opened only with the same Idempotency-Key and API key", () => {
    const { sealedToken } = request().seal("token");
    expect(request().open(sealedToken)).toBe("token");
    for (const other of [request({ name: "order-18" }), request({ credential: "tlk_two" })]) {
      expect(() => other.open(sealedToken)).toThrow();
    }
  });

  test("is opened only unmodified", () => {
    const { sealedToken } = request().seal("token");
    const sealed = Buffer.from(sealedToken, "base64url");
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => request().open(changed.toString("base64url"))).toThrow();
    }
    expect(() => request().open("")).toThrow();
  });

  test("differs with every sealing; its fingerprint only with Idempotency-Key, API key and body", () => {
    const first = request().seal("token");
    const second = request().seal("token");
    expect(second.sealedToken).not.toBe(first.sealedToken);
    expect(second).toMatchObject({ keyHash: hashSecret("order-17"), fingerprint: first.fingerprint });
    for (const changes of [
      { name: "order-18" },
      { credential: "tlk_two" },
      { asked: [undefined, { systemPrompt: "y" }] },
    ]) {
      expect(request(changes).seal("token").fingerprint).not.toBe(first.fingerprint);
    }
  });
});
