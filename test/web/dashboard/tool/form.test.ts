import { describe, expect, test } from "vitest";
import { changesOf, emptyTool, givenOf, newToolOf, type Tool } from "../../../../web/dashboard/pages/tool/form.ts";
import { requestText, resultText } from "../../../../web/dashboard/pages/tool/shown.ts";

const TOOL: Tool = {
  id: "tool_1",
  type: "http",
  name: "order_status",
  description: "Says where an order is.",
  parameters: { type: "object", properties: { order: { type: "string" } } },
  http: { method: "GET", url: "https://api.example.com/{order}", headerNames: ["Authorization"] },
  mcp: null,
  timeoutMs: 5_000,
  readOnly: true,
  idempotent: false,
  whileRunning: "I look.",
  version: 1,
  createdAt: "2026-11-28T08:00:00.000Z",
  updatedAt: "2026-11-28T08:00:00.000Z",
};

describe("a new tool", () => {
  test("has the fields of its kind alone, trimmed", () => {
    const given = {
      ...emptyTool(),
      name: " order_status ",
      description: "Says where.",
      url: "https://api.example.com/x ",
      headers: [
        { name: "Authorization", value: "Bearer {{SHOP}}" },
        { name: " ", value: "" },
      ],
      timeoutMs: "8000",
    };
    const common = { name: "order_status", description: "Says where.", timeoutMs: 8_000 };
    const flags = { readOnly: false, idempotent: false };
    expect(newToolOf("http", given)).toEqual({
      body: {
        type: "http",
        ...common,
        ...flags,
        parameters: JSON.parse(given.parameters),
        http: { method: "GET", url: "https://api.example.com/x", headers: { Authorization: "Bearer {{SHOP}}" } },
      },
    });
    expect(newToolOf("client", given)).toEqual({
      body: { type: "client", ...common, ...flags, parameters: JSON.parse(given.parameters) },
    });
    expect(newToolOf("mcp", { ...given, allowedTools: " search \n\n", whileRunning: "A little." })).toEqual({
      body: {
        type: "mcp",
        ...common,
        ...flags,
        whileRunning: "A little.",
        mcp: {
          url: "https://api.example.com/x",
          headers: { Authorization: "Bearer {{SHOP}}" },
          allowedTools: ["search"],
        },
      },
    });
  });

  test("is not sent with arguments that are no JSON, or a header without its value", () => {
    const given = { ...emptyTool(), parameters: "{", headers: [{ name: "X-Key", value: "" }] };
    expect(newToolOf("http", given)).toEqual({
      problems: {
        parameters: expect.stringContaining("must be JSON"),
        "http.headers.X-Key": expect.stringContaining("must have its value"),
      },
    });
  });
});

describe("a change of a tool", () => {
  test("has what is not as it was, and nothing else", () => {
    const given = givenOf(TOOL);
    expect(changesOf(TOOL, given)).toEqual({ body: {} });
    expect(changesOf(TOOL, { ...given, whileRunning: " ", readOnly: false, timeoutMs: "900" })).toEqual({
      body: { whileRunning: null, readOnly: false, timeoutMs: 900 },
    });
  });

  test("of the request needs the values of its headers again, because the service does not show them", () => {
    const given = { ...givenOf(TOOL), url: "https://api.example.com/v2/{order}" };
    expect(changesOf(TOOL, given)).toEqual({
      problems: { "http.headers.Authorization": "must have its value again: the service does not show what it has" },
    });
    const headers = [{ name: "Authorization", value: "Bearer {{SHOP}}" }];
    expect(changesOf(TOOL, { ...given, headers })).toEqual({
      body: { http: { method: "GET", url: given.url, headers: { Authorization: "Bearer {{SHOP}}" } } },
    });
    expect(changesOf(TOOL, { ...given, headers: [] })).toEqual({
      body: { http: { method: "GET", url: given.url, headers: {} } },
    });
  });
});

test("a request is shown as it was sent, with a body that is laid out where it is JSON", () => {
  const request = { method: "POST", url: "https://api.example.com/orders", headers: { "X-Key": "***" }, body: null };
  expect(requestText(request)).toBe("POST https://api.example.com/orders\nX-Key: ***");
  expect(requestText({ ...request, body: '{"a":1}' })).toContain('\n\n{\n  "a": 1\n}');
  expect(resultText("Error: it took longer than 5 s.")).toBe("Error: it took longer than 5 s.");
  expect(resultText("[not JSON")).toBe("[not JSON");
});
