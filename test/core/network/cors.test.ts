import { describe, expect, test } from "vitest";
import { corsHeaders } from "../../../src/core/network/cors.ts";

const PAGE = "http://localhost:5173";

describe("the headers that let a page read a response", () => {
  test("name the page's origin if it is allowed", () => {
    expect(corsHeaders(PAGE, ["https://app.example.com", PAGE])).toEqual([
      ["Vary", "Origin"],
      ["Access-Control-Allow-Origin", PAGE],
      ["Access-Control-Expose-Headers", "Retry-After, X-Request-Id"],
    ]);
  });

  test.each([
    ["another origin", "http://localhost:5174"],
    ["one that begins alike", `${PAGE}.evil.example`],
    ["one in capitals", PAGE.toUpperCase()],
    ["the origin of a file", "null"],
    ["no origin", undefined],
    ["an empty one", ""],
  ])("allow nothing to %s, and contain Vary: Origin", (_what, origin) => {
    expect(corsHeaders(origin, [PAGE])).toEqual([["Vary", "Origin"]]);
  });

  test("are absent if no origin is configured", () => {
    expect(corsHeaders(PAGE, [])).toEqual([]);
  });
});
