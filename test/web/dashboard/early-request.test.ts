import { expect, test } from "vitest";
import { EarlyRequest } from "../../../web/dashboard/app/early-request.ts";

const LIST = "/dashboard/session/api/v1/calls?limit=50";

test("the list of calls takes once what was asked for with its document", () => {
  const early = new EarlyRequest({ pathname: "/dashboard/calls", search: "" });
  const asked = [
    ["/dashboard/session/api/v1/agents?limit=100", "GET"],
    [LIST, "POST"],
    [LIST, "GET"],
    [LIST, "GET"],
  ] as const;
  expect(asked.map(([address, method]) => early.take(address, method))).toEqual([false, false, true, false]);
});

test.each([
  ["another page", "/dashboard/live", ""],
  ["the list with filters", "/dashboard/calls", "?status=active"],
  ["the page of one call", "/dashboard/calls/call_1", ""],
])("of %s nothing was asked for", (_name, pathname, search) => {
  expect(new EarlyRequest({ pathname, search }).take(LIST, "GET")).toBe(false);
});
