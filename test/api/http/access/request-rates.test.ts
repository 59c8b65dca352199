import { expect, test } from "vitest";
import { RequestRates } from "../../../../src/api/http/access/request-rates.ts";
import { asAccountId, asApiKeyId } from "../../../../src/core/ids.ts";
import { RATE_ENTRIES_MAX } from "../../../../src/core/limits/control-api/api.ts";
import { apiUnderTest, errorOf } from "../../../support/api/harness.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { readExposition, sampleOf } from "../../../support/metrics/exposition.ts";

const requestOf = (apiKey: string, account = "account_1") => ({
  apiKeyId: asApiKeyId(apiKey),
  accountId: asAccountId(account),
});

function rates(perApiKey: number, perAccount: number) {
  const clock = new ManualClock();
  const limits = new RequestRates({ perApiKey, perAccount }, clock);
  /** How many of so many requests are accepted. */
  const accepted = (requests: number, apiKey: string, account?: string): number => {
    const answers = Array.from({ length: requests }, () => limits.take(requestOf(apiKey, account)));
    return answers.filter(({ refused }) => refused === undefined).length;
  };
  return { clock, limits, accepted };
}

test("A8: a minute's requests may come at once, and come back evenly", () => {
  const { clock, accepted } = rates(60, 1_000);
  expect(accepted(100, "key_1")).toBe(60);
  clock.advance(999);
  expect(accepted(1, "key_1")).toBe(0);
  clock.advance(1);
  expect(accepted(2, "key_1")).toBe(1);
  clock.advance(10_000);
  expect(accepted(100, "key_1")).toBe(10);
  clock.advance(3_600_000);
  expect(accepted(100, "key_1")).toBe(60);
});

test("A8: an API key has a limit of its own, and all of an account have one together", () => {
  const { accepted, limits } = rates(60, 100);
  expect([accepted(100, "key_1"), accepted(100, "key_2")]).toEqual([60, 40]);
  expect(accepted(100, "key_3", "account_2")).toBe(60);
  expect(limits.take(requestOf("key_1")).refusedBy).toBe("api_key");
  expect(limits.take(requestOf("key_2")).refusedBy).toBe("account");
});

test("A8: refused requests take nothing", () => {
  const { clock, accepted } = rates(60, 1_000);
  accepted(10_000, "key_1");
  clock.advance(60_000);
  expect(accepted(100, "key_1")).toBe(60);
});

test("the headers say what remains, when all is available again, and what the limits are", () => {
  const { clock, limits, accepted } = rates(60, 100);
  const policy = '"api_key";q=60;w=60, "account";q=100;w=60';
  expect(limits.take(requestOf("key_1")).headers).toEqual({
    ratelimit: '"api_key";r=59;t=1, "account";r=99;t=1',
    "ratelimit-policy": policy,
  });
  accepted(59, "key_1");
  clock.advance(500);
  const { refused, headers } = limits.take(requestOf("key_1"));
  expect(headers).toEqual({ ratelimit: '"api_key";r=0;t=60, "account";r=40;t=36', "ratelimit-policy": policy });
  expect(refused).toMatchObject({
    code: "rate_limited",
    message: "this API key has reached its limit of 60 requests a minute",
    headers: { "retry-after": "1" },
  });
});

test("Retry-After is long enough: the request is accepted then", () => {
  const { clock, limits, accepted } = rates(2, 100);
  accepted(2, "key_1");
  const { refused } = limits.take(requestOf("key_1"));
  expect(refused?.headers).toEqual({ "retry-after": "30" });
  clock.advance(30_000);
  expect(accepted(1, "key_1")).toBe(1);
});

test("only so many API keys are counted; the one that was used least recently begins anew", () => {
  const { accepted } = rates(1, 1_000_000);
  for (let other = 0; other <= RATE_ENTRIES_MAX; other++) expect(accepted(1, `key_${other}`)).toBe(1);
  expect(accepted(1, "key_2")).toBe(0);
  expect(accepted(1, "key_0")).toBe(1);
});

test("A8: a request above the limit is 429 with its headers before its body is read, and counted", async () => {
  const api = await apiUnderTest(undefined, { requestLimits: { perApiKey: 2, perAccount: 10 } });
  const statuses: number[] = [];
  for (let request = 0; request < 3; request++) statuses.push((await api.get("/api/v1/voices")).status);
  expect(statuses).toEqual([200, 200, 429]);
  const answer = await api.post("not json");
  expect(answer.headers).toMatchObject({ "retry-after": "30", ratelimit: '"api_key";r=0;t=60, "account";r=8;t=12' });
  expect(errorOf(answer).message).toBe("this API key has reached its limit of 2 requests a minute");
  // What needs no API key, and what has none, is not counted.
  expect((await api.get("/healthz")).headers).not.toHaveProperty("ratelimit");
  expect((await api.get("/api/v1/voices", { "x-api-key": "x" })).headers).not.toHaveProperty("ratelimit");
  const metrics = readExposition(await api.metrics.registry.metrics());
  expect(sampleOf(metrics, "trunkline_api_requests_limited_total", { scope: "api_key" })).toBe(2);
  expect(sampleOf(metrics, "trunkline_api_requests_limited_total", { scope: "account" })).toBe(0);
  await api.close();
});
