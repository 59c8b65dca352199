import { expect, test } from "vitest";
import { nextPageOf, withQuery } from "../../../web/dashboard/app/query.ts";

test("a change of the address keeps the rest, and an empty value removes its name", () => {
  expect(withQuery("?status=active&tab=2", { status: "", from: "+1555" })).toBe("?tab=2&from=%2B1555");
  expect(withQuery("?status=active", { status: undefined })).toBe("");
});

test.each([
  ["/dashboard/calls?status=active", "/dashboard/calls?status=active"],
  ["/dashboard/calls/call_1?at=1%3A02", "/dashboard/calls/call_1?at=1%3A02"],
  [undefined, "/home"],
  ["", "/home"],
  ["https://evil.example/dashboard/live", "/home"],
  ["//evil.example/dashboard/live", "/home"],
  ["/dashboard//evil.example", "/home"],
  ["/\\evil.example", "/home"],
  ["/dashboard/\\evil", "/home"],
  ["/dashboard/\tlive", "/home"],
  ["javascript:alert(1)", "/home"],
  ["/talk", "/home"],
])("the sign-in page leads from next=%s to %s", (next, page) => {
  expect(nextPageOf(next, "/home")).toBe(page);
});
