import { expect, test } from "vitest";
import { filtersOf, replayOf } from "../../../../web/dashboard/pages/webhooks/one/filters.ts";
import {
  answerText,
  deliveryStateOf,
  type Webhook,
  webhookStateOf,
} from "../../../../web/dashboard/pages/webhooks/states.ts";

const stateOf = (changes: Partial<Webhook>) =>
  webhookStateOf({ disabledReason: null, failingSince: null, ...changes } as Webhook);

test("a webhook says why it gets no events, and what to do", () => {
  expect(stateOf({})).toEqual({ text: "enabled", tone: "good" });
  expect(stateOf({ failingSince: "2026-11-27T08:00:00.000Z" })).toMatchObject({ text: "failing", tone: "warn" });
  expect(stateOf({ disabledReason: "gone" }).advice).toContain("410");
  expect(stateOf({ disabledReason: "failing" }).advice).toContain("send again");
  expect(stateOf({ disabledReason: "secret_lost" }).advice).toContain("Rotate the secret");
  expect(stateOf({ disabledReason: "client" }).tone).toBe("neutral");
});

test("a delivery that was tried and is tried again waits for a retry", () => {
  expect(deliveryStateOf({ status: "pending", attempts: 0 }).text).toBe("pending");
  expect(deliveryStateOf({ status: "pending", attempts: 2 }).text).toBe("waits for a retry");
  expect(deliveryStateOf({ status: "failed", attempts: 11 }).tone).toBe("bad");
});

test("an answer is its status, or that there was none", () => {
  expect(answerText(null)).toBe("");
  expect(answerText({ status: 500, excerpt: "", tookMs: 3 })).toBe("500");
  expect(answerText({ status: null, excerpt: "connection refused", tookMs: 3 })).toBe("no answer");
});

test("the filters of the address are those of the list, and what is sent again matches them", () => {
  const filters = filtersOf({ status: "delivered", callId: "call_1", tab: "x", eventType: "" });
  expect(filters).toEqual({ status: "delivered", callId: "call_1" });
  expect(replayOf(filters)).toEqual({ status: "delivered", callId: "call_1" });
  expect(replayOf(filtersOf({ status: "pending" }))).toEqual({ status: "failed" });
  expect(replayOf({})).toEqual({ status: "failed" });
});
