import { expect, test } from "vitest";
import {
  apiKeyBodyOf,
  apiKeyFormOf,
  LIMITS,
  limitsText,
  NEW_API_KEY,
  NEW_PUBLISHABLE_KEY,
  publishableKeyBodyOf,
  publishableKeyFormOf,
  widgetLines,
} from "../../../../web/dashboard/pages/keys/forms.ts";

const LIMITS_OF_KEY = {
  startsPerMinute: 1_200,
  startsPerMinutePerAddress: 6,
  concurrentCalls: 20,
  concurrentCallsPerAddress: 2,
  maxCostPerDay: 12.5,
  maxCostPerDayPerAddress: null,
};
const KEY = {
  id: "publishable_key_1",
  name: "shop",
  key: "pk_x",
  status: "active" as const,
  agentIds: ["agent_1", "agent_2"],
  origins: ["https://shop.example", "https://www.shop.example"],
  limits: LIMITS_OF_KEY,
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
  revokedAt: null,
};

test("an API key that is opened and saved is the same", () => {
  const expiresAt = "2999-01-31T00:00:00.000Z";
  const form = apiKeyFormOf({ name: "desk", scopes: ["read"], expiresAt } as Parameters<typeof apiKeyFormOf>[0]);
  expect(apiKeyBodyOf(form)).toEqual({ name: "desk", scopes: ["read"], expiresAt });
  expect(apiKeyBodyOf(NEW_API_KEY)).toEqual({ name: "", scopes: ["read", "calls", "write"], expiresAt: null });
});

test("a publishable key that is opened and saved is the same; an empty cost is no limit", () => {
  const { name, agentIds, origins, limits } = KEY;
  expect(publishableKeyBodyOf(publishableKeyFormOf(KEY))).toEqual({ name, agentIds, origins, limits });
  const form = { ...NEW_PUBLISHABLE_KEY, limits: { ...NEW_PUBLISHABLE_KEY.limits, startsPerMinute: "many" } };
  expect(publishableKeyBodyOf(form).limits).toMatchObject({ startsPerMinute: "many", maxCostPerDay: null });
  expect(LIMITS.map(({ name: limit }) => limit)).toEqual(Object.keys(LIMITS_OF_KEY));
});

test("the limits are said in a few words", () => {
  expect(limitsText(LIMITS_OF_KEY)).toBe("1,200 starts a minute, 20 calls at once, 12.50 a day");
  expect(limitsText({ ...LIMITS_OF_KEY, maxCostPerDay: null })).toBe("1,200 starts a minute, 20 calls at once");
});

test("the lines for a page have the first agent, the key and the address of the service", () => {
  expect(widgetLines(KEY, "https://voice.example.com").split("\n")).toEqual([
    '<trunkline-agent agent-id="agent_1" publishable-key="pk_x"></trunkline-agent>',
    '<script type="module" src="https://voice.example.com/widget/v1.js"></script>',
  ]);
});
