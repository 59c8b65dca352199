import { expect, test } from "vitest";
import { figuresOf } from "../../../../web/dashboard/pages/agent/model/version-figures.ts";

type Call = Parameters<typeof figuresOf>[0][number];

const call = (agentVersion: number | null, fields: Partial<Call> = {}): Call => ({
  ...{ agentVersion, status: "ended", endReason: "caller_hangup", latency: null, cost: null },
  ...fields,
});
const delay = (p50Ms: number): Call["latency"] => ({ total: { count: 3, p50Ms, p90Ms: 0, p95Ms: 0, p99Ms: 0 } });
const cost = (total: number, complete = true): Call["cost"] => ({ currency: "USD", total, complete });

test("calls are counted by version, with their median delay, average cost and reasons of their ends", () => {
  const figures = figuresOf([
    call(1, { latency: delay(900), cost: cost(0.1) }),
    call(1, { latency: delay(700), cost: cost(0.3), endReason: "agent_hangup" }),
    call(1, { cost: cost(9, false), endReason: "agent_hangup" }),
    call(2, { latency: delay(500) }),
    call(2, { status: "active", endReason: null }),
    call(null, { latency: delay(1) }),
  ]);
  expect(figures.get(1)).toEqual({
    calls: 3,
    delayMs: 800,
    cost: { amount: 0.2, currency: "USD" },
    ends: [
      { reason: "agent_hangup", calls: 2 },
      { reason: "caller_hangup", calls: 1 },
    ],
  });
  expect(figures.get(2)).toMatchObject({ calls: 1, delayMs: 500, cost: undefined });
  expect(figures.size).toBe(2);
});
