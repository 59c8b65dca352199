import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StartRates } from "../../../src/api/web-calls/start-rates.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { type ApiUnderTest, apiUnderTest, pathsOf } from "../../support/api/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { AGENT, counted, type PageRequest, WebPage } from "./web-page.ts";

let api: ApiUnderTest;
beforeEach(async () => {
  api = await apiUnderTest();
});
afterEach(() => api.close());

const answerOf = (answer: Awaited<ReturnType<WebPage["start"]>>) => ({
  status: answer.statusCode,
  headers: answer.headers,
  text: answer.body,
  body: answer.json(),
});

describe("a start", () => {
  test("makes a call of the agent's live version with the variables of the page", async () => {
    const page = await WebPage.open(api);
    const { id } = (await page.start({ body: { variables: { customer: "Mrs Miller" } } })).json();
    const call = (await api.get(`/api/v1/calls/${id}`)).body as Record<string, unknown>;
    expect(call).toMatchObject({ agentId: page.agentId, agentVersion: 1, variables: { customer: "Mrs Miller" } });
  });

  test("takes nothing else from the page, and all problems are reported together", async () => {
    const page = await WebPage.open(api);
    const body = {
      connectionType: "carrier_a",
      overrides: { maxDuration: 7_000 },
      metadata: {},
      version: 1,
      variables: { customer: 5, shop: "x" },
    };
    const answer = answerOf(await page.start({ body }));
    expect(answer.status).toBe(400);
    expect(pathsOf(answer)).toEqual([
      "/connectionType",
      "/metadata",
      "/overrides",
      "/variables/customer",
      "/variables/shop",
      "/version",
    ]);
    const pinned = await page.start({ agentId: `${page.agentId}@1` });
    expect(pinned.statusCode).toBe(404);
  });

  test("webrtc is 501 where it is not set up", async () => {
    const page = await WebPage.open(api);
    expect((await page.start({ body: { connectionType: "webrtc" } })).statusCode).toBe(501);
  });

  test("A2: of another agent, of this account or of another one, is like that of one that does not exist", async () => {
    const page = await WebPage.open(api);
    const { id } = (await api.post(AGENT, {}, "/api/v1/agents")).body as { id: string };
    const outcomes = await Promise.all([id, "agent_unknown"].map((agentId) => page.outcome({ agentId })));
    expect(outcomes).toEqual(["404 not_found: no such agent", "404 not_found: no such agent"]);
    await api.delete(`/api/v1/agents/${page.agentId}`);
    expect(await page.outcome()).toBe("404 not_found: no such agent");
  });

  test("is not idempotent: the Idempotency-Key of another visitor gives no other visitor their call", async () => {
    const page = await WebPage.open(api);
    const headers = { "idempotency-key": "order-17" };
    const [first, second] = [await page.start({ headers }), await page.start({ headers, address: "203.0.113.9" })];
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.json().websocketUrl).not.toBe(first.json().websocketUrl);
    expect(second.headers).not.toHaveProperty("idempotent-replayed");
  });
});

describe("A8: starts a minute", () => {
  test("are limited for the publishable key, with headers that say when to try again", async () => {
    const page = await WebPage.open(api, { startsPerMinute: 3 });
    for (let count = 0; count < 3; count++) expect(await page.outcome({ address: `192.0.2.${count}` })).toBe("201");
    const answer = await page.start({ address: "192.0.2.77" });
    expect(answer.statusCode).toBe(429);
    expect(answer.json().error.message).toBe("this publishable key has reached its limit of 3 starts a minute");
    expect(answer.headers).toMatchObject({
      "retry-after": "20",
      ratelimit: expect.stringContaining('"publishable_key";r=0;t=60'),
      "ratelimit-policy": expect.stringContaining('"publishable_key";q=3;w=60'),
    });
    api.clock.advance(20_000);
    expect(await page.outcome()).toBe("201");
    expect([await counted(api, "created"), await counted(api, "starts")]).toEqual([4, 1]);
  });

  test("are limited for an address, which takes nothing from the others when it is at its limit", async () => {
    const page = await WebPage.open(api, { startsPerMinute: 4, startsPerMinutePerAddress: 2 });
    for (let count = 0; count < 2; count++) expect(await page.outcome()).toBe("201");
    for (let count = 0; count < 50; count++) {
      expect(await page.outcome()).toBe("429 rate_limited: this address has reached its limit of 2 starts a minute");
    }
    for (let count = 0; count < 2; count++) expect(await page.outcome({ address: "203.0.113.9" })).toBe("201");
    // Requests that are refused for what they say count, too.
    expect(await page.outcome({ address: "203.0.113.10", body: { nonsense: 1 } })).toMatch(/^429 rate_limited/);
  });

  test("count an IPv6 address by its /64, and an IPv4 address the same in both of its forms", async () => {
    const page = await WebPage.open(api, { startsPerMinutePerAddress: 1 });
    const status = async (request: PageRequest) => (await page.start(request)).statusCode;
    expect(await status({ address: "2001:db8:1:2::1" })).toBe(201);
    expect(await status({ address: "2001:db8:1:2:ffff:ffff:ffff:ffff" })).toBe(429);
    expect(await status({ address: "2001:db8:1:3::1" })).toBe(201);
    expect(await status({ address: "198.51.100.7" })).toBe(201);
    expect(await status({ address: "::ffff:198.51.100.7" })).toBe(429);
    expect(await status({ address: "::ffff:c633:6407" })).toBe(429);
  });

  test("count the connection where no proxy is trusted, whatever X-Forwarded-For says", async () => {
    const page = await WebPage.open(api, { startsPerMinutePerAddress: 1 });
    expect(await page.outcome()).toBe("201");
    for (const forwarded of ["203.0.113.1", "203.0.113.2, 203.0.113.3"]) {
      const answer = await page.start({ headers: { "x-forwarded-for": forwarded } });
      expect(answer.statusCode).toBe(429);
    }
  });

  test("count the client of a trusted proxy, and none that the client invents", async () => {
    await api.close();
    api = await apiUnderTest(undefined, { trustedProxies: ["10.0.0.0/8"] });
    const page = await WebPage.open(api, { startsPerMinutePerAddress: 1 });
    const from = async (forwarded: string, address = "10.0.0.1") =>
      (await page.start({ address, headers: { "x-forwarded-for": forwarded } })).statusCode;
    expect([await from("203.0.113.1"), await from("203.0.113.2"), await from("203.0.113.1")]).toEqual([201, 201, 429]);
    expect(await from("198.51.100.99, 203.0.113.1")).toBe(429);
    expect(await from("203.0.113.1, 10.2.3.4")).toBe(429);
    // A connection from outside is no proxy.
    expect([await from("203.0.113.3", "203.0.113.2"), await from("203.0.113.3")]).toEqual([429, 201]);
  });

  test("A8: with more addresses than are counted new ones are refused, and none gets another minute", () => {
    const clock = new ManualClock();
    const rates = new StartRates({ clock, bucketsMax: 3 });
    const key = { id: "publishable_key_1", limits: { startsPerMinute: 1_000, startsPerMinutePerAddress: 1 } } as never;
    const refusedBy = (address: string) => rates.take(key, address).refusedBy;
    expect(["a", "b", "c"].map(refusedBy)).toEqual([undefined, undefined, undefined]);
    expect(["d", "e", "a"].map(refusedBy)).toEqual(["addresses_full", "addresses_full", "starts_of_address"]);
    clock.advance(60_000);
    expect(["d", "e", "a", "b"].map(refusedBy)).toEqual([undefined, undefined, undefined, "addresses_full"]);
  });
});

/** The stream of a call connects, and it ends with this cost. */
async function carry(websocketUrl: string, callId: string, cost: number): Promise<void> {
  const { stores, clock } = api;
  await stores.redemptions.redeem(hashSecret(websocketUrl.split("/").at(-1) ?? ""), redeemedBy("worker-1"));
  await stores.calls.finish(asCallId(callId), {
    status: "ended",
    endReason: "caller_hangup",
    endedAtMs: clock.epochMs(),
    durationMs: 1_000,
    turns: [],
    cost: { currency: "USD", total: cost, complete: true },
  });
}

describe("A8: concurrent calls", () => {
  test("are limited for the publishable key and for an address, until calls end or expire", async () => {
    const page = await WebPage.open(api, { concurrentCalls: 3, concurrentCallsPerAddress: 2 });
    const first = (await page.start()).json();
    expect(await page.outcome()).toBe("201");
    expect(await page.outcome()).toBe("429 rate_limited: this address has reached its limit of concurrent calls");
    expect(await page.outcome({ address: "203.0.113.1" })).toBe("201");
    const full = "429 rate_limited: this publishable key has reached its limit of concurrent calls";
    expect(await page.outcome({ address: "203.0.113.2" })).toBe(full);
    await carry(first.websocketUrl, first.id, 0);
    expect([await page.outcome(), await page.outcome({ address: "203.0.113.2" })]).toEqual(["201", full]);
    api.clock.advance(60_001);
    expect(await page.outcome({ address: "203.0.113.2" })).toBe("201");
    expect(await counted(api, "concurrent_calls")).toBe(2);
    expect(await counted(api, "concurrent_calls_of_address")).toBe(1);
  });

  test("are counted once for all that start at once", async () => {
    const page = await WebPage.open(api, { concurrentCalls: 5 });
    const starts = Array.from({ length: 25 }, (_, index) => page.start({ address: `192.0.2.${index}` }));
    const statuses = (await Promise.all(starts)).map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});

describe("A8: the cost of a day", () => {
  const start = async (page: WebPage, address?: string) => {
    const answer = await page.start(address === undefined ? {} : { address });
    expect(answer.statusCode).toBe(201);
    return answer.json() as { id: string; websocketUrl: string };
  };
  const maxCostOf = async (id: string) => {
    const { configuration } = (await api.get(`/api/v1/calls/${id}`)).body as { configuration: { maxCost: number } };
    return configuration.maxCost;
  };
  const spent = "429 spend_limit: the calls of this publishable key have reached their limit of cost for today (UTC)";

  test("is counted when calls end, and a call may cost no more than what is left", async () => {
    const page = await WebPage.open(api, { maxCostPerDay: 2 });
    const first = await start(page);
    expect(await maxCostOf(first.id)).toBe(2);
    await carry(first.websocketUrl, first.id, 1.5);
    const second = await start(page);
    expect(await maxCostOf(second.id)).toBe(0.5);
    await carry(second.websocketUrl, second.id, 0.5);
    expect(await page.outcome()).toBe(spent);
    expect(await counted(api, "cost")).toBe(1);
  });

  test("begins again with the next day in UTC, and a call counts for the day of its creation", async () => {
    const page = await WebPage.open(api, { maxCostPerDay: 1 });
    // The clock of the tests begins at midnight.
    api.clock.advance(24 * 3_600_000 - 10_000);
    const late = await start(page);
    api.clock.advance(20_000);
    await carry(late.websocketUrl, late.id, 1);
    expect(await page.outcome()).toBe("201");
  });

  test("is limited for an address, too", async () => {
    const page = await WebPage.open(api, { maxCostPerDayPerAddress: 1 });
    const first = await start(page);
    await carry(first.websocketUrl, first.id, 1);
    const over = "429 spend_limit: the calls of this address have reached their limit of cost for today (UTC)";
    expect([await page.outcome(), await page.outcome({ address: "203.0.113.1" })]).toEqual([over, "201"]);
  });

  test("reserves what the agent's own maxCost leaves to live calls, so that they never pass the limit together", async () => {
    const page = await WebPage.open(api, { maxCostPerDay: 1 }, { maxCost: 0.4 });
    const calls = [await start(page), await start(page), await start(page)];
    expect(await Promise.all(calls.map(({ id }) => maxCostOf(id)))).toEqual([0.4, 0.4, expect.closeTo(0.2)]);
    expect(await page.outcome()).toBe(spent);
    await carry(calls[0]?.websocketUrl ?? "", calls[0]?.id ?? "", 0.1);
    expect(await maxCostOf((await start(page)).id)).toBeCloseTo(0.3);
  });

  test("without a maxCost of the agent may be passed only by the calls under way, each by what was left at its start", async () => {
    const page = await WebPage.open(api, { maxCostPerDay: 1 });
    const calls = [await start(page), await start(page)];
    expect(await Promise.all(calls.map(({ id }) => maxCostOf(id)))).toEqual([1, 1]);
    for (const { id, websocketUrl } of calls) await carry(websocketUrl, id, 1);
    expect(await page.outcome()).toBe(spent);
  });

  test("stays counted when the calls are deleted", async () => {
    const page = await WebPage.open(api, { maxCostPerDay: 1 });
    const { id, websocketUrl } = await start(page);
    await carry(websocketUrl, id, 1);
    expect((await api.delete(`/api/v1/calls/${id}`)).status).toBe(204);
    expect(await page.outcome()).toBe(spent);
  });

  test("is 400 where a price is missing, and 409 when one is missing later", async () => {
    await api.close();
    let missing: string[] = [];
    api = await apiUnderTest(undefined, { missingPrices: () => missing });
    const page = await WebPage.open(api, { maxCostPerDay: 1 });
    missing = ["openai.outputTokensMillion"];
    const body = { name: "x", agentIds: [page.agentId], origins: ["https://x.example"], limits: { maxCostPerDay: 1 } };
    const refused = await api.post(body, {}, "/api/v1/publishable-keys");
    expect([refused.status, pathsOf(refused)]).toEqual([400, ["/limits/maxCostPerDay"]]);
    expect(await page.outcome()).toMatch(/^409 conflict: the limit of cost of this publishable key cannot be kept/);
    expect(api.logged.join("")).toContain("openai.outputTokensMillion");
  });
});

test("A1: a publishable key that is revoked while a start is under way starts nothing", async () => {
  const page = await WebPage.open(api);
  const { publishableKeys } = api.stores;
  const find = publishableKeys.find.bind(publishableKeys);
  publishableKeys.find = async (text) => {
    const key = await find(text);
    if (key !== undefined) await publishableKeys.revoke(key.accountId, key.id);
    return key;
  };
  expect((await page.start()).statusCode).toBe(401);
  expect(await counted(api, "revoked")).toBe(1);
});

test("L1: neither the address of a visitor nor the token of a web call is in the log", async () => {
  const page = await WebPage.open(api, { startsPerMinutePerAddress: 1 });
  const { websocketUrl } = (await page.start()).json();
  await page.start();
  await page.start({ origin: "https://evil.example" });
  const log = api.logged.join("");
  for (const secret of ["198.51.100.1", websocketUrl.split("/").at(-1), page.key.key])
    expect(log).not.toContain(secret);
  expect(log).toContain(page.key.id);
});
