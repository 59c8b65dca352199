import { expect, test } from "vitest";
import { toolItemOf, toolSpecsOf } from "../../../src/api/tools/tool-specs.ts";

const PARAMETERS = { type: "object", properties: { order: { type: "string" } } };
const DESCRIBED = { description: "Looks up an order.", parameters: PARAMETERS, timeoutMs: 2_000 };
const HTTP = { method: "GET", url: "https://api.example.com/orders/{order}" } as const;

test("a request's tools become those of the call, with fixed arguments", () => {
  expect(
    toolSpecsOf(
      [
        { toolName: "hang_up" },
        { definition: { type: "http", name: "order", ...DESCRIBED, http: HTTP }, parameterOverrides: { shop: 7 } },
        { definition: { type: "client", name: "show", ...DESCRIBED } },
        { toolName: "switch_language" },
      ],
      { languages: ["de", "en"] },
    ),
  ).toEqual([
    { kind: "built_in", name: "hang_up", fixedArguments: {} },
    { kind: "http", name: "order", ...DESCRIBED, fixedArguments: { shop: 7 }, ...HTTP, headers: {} },
    { kind: "client", name: "show", ...DESCRIBED, fixedArguments: {} },
    { kind: "built_in", name: "switch_language", fixedArguments: {}, languages: ["de", "en"] },
  ]);
});

test("a call shows its tools as they were requested, but only the names of headers", () => {
  const headers = { Authorization: "Bearer {{SHOP_TOKEN}}" };
  const [tool] = toolSpecsOf(
    [{ definition: { type: "http", name: "order", ...DESCRIBED, http: { ...HTTP, headers } } }],
    { languages: [] },
  );
  expect(tool && toolItemOf(tool)).toEqual({
    definition: { type: "http", name: "order", ...DESCRIBED, http: { ...HTTP, headerNames: ["Authorization"] } },
  });
  expect(toolItemOf({ kind: "built_in", name: "transfer", fixedArguments: { number: "+4930123" } })).toEqual({
    toolName: "transfer",
    parameterOverrides: { number: "+4930123" },
  });
});
