import { expect, test } from "vitest";
import { aroundEvent, auditFiltersOf } from "../../../../web/dashboard/pages/audit/filters.ts";
import { targetPage } from "../../../../web/dashboard/pages/audit/target-page.ts";
import { actionText, changeText, kindText } from "../../../../web/dashboard/pages/audit/texts.ts";

test("actions and kinds of things are written for people", () => {
  expect([actionText("api_key.rotated"), actionText("user.signed_in"), actionText("webhook.secret_rotated")]).toEqual([
    "API key rotated",
    "User signed in",
    "Webhook secret rotated",
  ]);
  expect(kindText("publishable_key")).toBe("Publishable key");
});

test("what changed is one line, whatever the details are", () => {
  expect(changeText({ changed: ["name", "scopes"], overlapSeconds: 3_600, expiresAt: null, enabled: false })).toBe(
    "changed: name, scopes; overlap seconds: 3600; expires at: none; enabled: no",
  );
  expect([changeText({}), changeText({ changed: [] }), changeText({ odd: { a: 1 } })]).toEqual([
    "",
    "changed: none",
    'odd: {"a":1}',
  ]);
});

test("the address has the filters of the list, and nothing else of it is sent", () => {
  expect(auditFiltersOf({ action: "call.deleted", event: "audit_1", actorId: "", targetKind: "call" })).toEqual({
    action: "call.deleted",
    targetKind: "call",
  });
});

test("an event is looked for around the time in its id", () => {
  // The first 48 bits are 2026-11-21T08:00:00Z.
  const hex = Date.parse("2026-11-21T08:00:00Z").toString(16).padStart(12, "0");
  expect(aroundEvent(`audit_${hex.slice(0, 8)}-${hex.slice(8)}-7c0d-8b55-0f1e2d3c4b5a`)).toEqual({
    createdAfter: "2026-11-21T07:59:55.000Z",
    createdBefore: "2026-11-21T08:00:05.000Z",
  });
  for (const id of [
    "audit_1",
    "call_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a",
    "audit_019aa5c8-6a11-4c0d-8b55-0f1e2d3c4b5a",
  ])
    expect([id, aroundEvent(id)]).toEqual([id, undefined]);
});

test("what was acted upon is a link where it has a page and still exists", () => {
  const of = (action: "agent.updated" | "agent.deleted" | "call.listened", kind: string) =>
    targetPage({ action, target: { kind, id: "a/b" } });
  expect([of("agent.updated", "agent"), of("call.listened", "call")]).toEqual([
    "/dashboard/agents/a%2Fb",
    "/dashboard/calls/a%2Fb",
  ]);
  expect([of("agent.deleted", "agent"), of("agent.updated", "account")]).toEqual([undefined, undefined]);
});
