import { describe, expect, test } from "vitest";
import { argumentsOf, exampleArguments, jsonObjectOf } from "../../../web/dashboard/app/json-schema.ts";

const SCHEMA = {
  type: "object",
  properties: {
    order: { type: "string", description: "Its number.", examples: ["A-17"] },
    count: { type: ["integer", "null"] },
    kind: { enum: ["a", "b"] },
    where: { type: "object", properties: { city: { type: "string", default: "Bern" } }, required: ["city"] },
    any: true,
  },
  required: ["order", "kind", "where", "any"],
};

describe("the arguments of a tool", () => {
  test("are named with their types, and whether they are required", () => {
    expect(argumentsOf(SCHEMA)).toEqual([
      { name: "order", type: "string", isRequired: true, description: "Its number." },
      { name: "count", type: "integer or null", isRequired: false, description: undefined },
      { name: "kind", type: 'one of "a", "b"', isRequired: true, description: undefined },
      { name: "where", type: "object", isRequired: true, description: undefined },
      { name: "any", type: "any", isRequired: true, description: undefined },
    ]);
  });

  test.each([
    [{}],
    [{ properties: [] }],
    [{ properties: null, required: "order" }],
  ])("are none of a schema without properties: %j", (schema) => {
    expect(argumentsOf(schema)).toEqual([]);
    expect(exampleArguments(schema)).toEqual({});
  });

  test("begin with what is required, as the schema says by its examples, defaults and values", () => {
    expect(exampleArguments(SCHEMA)).toEqual({ order: "A-17", kind: "a", where: { city: "Bern" }, any: "" });
  });
});

test("a text is a JSON object, or the problem says why it is none", () => {
  expect(jsonObjectOf('{"a": 1}')).toEqual({ value: { a: 1 } });
  expect(jsonObjectOf("  ")).toEqual({ value: {} });
  expect(jsonObjectOf("[1]")).toEqual({ problem: "must be a JSON object, such as {}" });
  expect(jsonObjectOf("{a}")).toEqual({ problem: expect.stringContaining("must be JSON") });
});
