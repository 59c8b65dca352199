import { describe, expect, test } from "vitest";
import { compileSchema, schemaProblem } from "../../src/core/json-schema.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** References of which each leads to eight more of the same: 8^12 of them. */
const STEPS = 12;
const multiplying = object(
  { a: { $ref: "#/$defs/d0" } },
  {
    $defs: {
      ...Object.fromEntries(
        Array.from({ length: STEPS }, (_, step) => [
          `d${step}`,
          { allOf: Array(8).fill({ $ref: `#/$defs/d${step + 1}` }) },
        ]),
      ),
      [`d${STEPS}`]: { type: "string" },
    },
  },
);

/** References that lead back to where they began, each by way of the other: deeper than any stack. */
const circling = object(
  { a: { $ref: "#/$defs/here" } },
  { $defs: { here: { allOf: [{ $ref: "#/$defs/there" }] }, there: { allOf: [{ $ref: "#/$defs/here" }] } } },
);

describe("a schema of a tool's arguments", () => {
  test.each([
    { type: "object" },
    object(
      { order: { type: "string", pattern: "^A-\\d+$", format: "whatever", example: "A-1" } },
      { required: ["order"] },
    ),
    object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { type: "integer" } } }),
    { $schema: "https://json-schema.org/draft/2020-12/schema", ...object({}) },
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({ a: { $ref: "#/definitions/a" } }),
      definitions: { a: {} },
    },
  ])("is taken: %j", (schema) => {
    expect(schemaProblem(schema)).toBeUndefined();
    expect(schemaProblem(schema)).toBeUndefined();
  });

  test.each([
    [{}, 'the type "object"'],
    [{ type: "string" }, 'the type "object"'],
    [{ type: ["object"] }, 'the type "object"'],
    [object({ a: { type: "text" } }), "can be compiled"],
    [object({ a: { pattern: "(" } }), "can be compiled"],
    [object({ a: 5 }), "can be compiled"],
    [object({}, { required: "a" }), "can be compiled"],
    [object({ a: { $ref: "#/$defs/none" } }), "can be compiled"],
    [object({ a: { $ref: "https://example.com/schema" } }), "a $ref to elsewhere"],
    [object({ a: { $ref: "other.json" } }), "a $ref to elsewhere"],
    [object({ a: { $id: "https://example.com/a" } }), "$id"],
    [object({}, { $async: true }), "$async"],
    [object({ a: { $dynamicRef: "#x" } }), "$dynamicRef"],
    [object({ a: { description: "x".repeat(8_192) } }), "8192 characters"],
    [object({ a: { items: { items: { items: { items: { items: { items: {} } } } } } } }), "8 levels"],
  ])("is refused: %j", (schema, why) => {
    expect(schemaProblem(schema)).toContain(why);
  });

  test("tells what is wrong with arguments, and quotes none of them", () => {
    const check = compileSchema(
      object({ count: { type: "integer" } }, { required: ["count"], additionalProperties: false }),
    );
    expect(check?.({ count: 2 })).toBeUndefined();
    expect(check?.({ count: "a secret" })).toBe("/count must be integer");
    expect(check?.({})).toContain("must have required property 'count'");
    expect(check?.({ count: 1, more: "a secret" })).toContain("must NOT have additional properties");
  });

  test.each([
    [
      "a pattern that backtracks without end",
      object({ a: { type: "string", pattern: "^(a+)+$" } }),
      `${"a".repeat(40)}!`,
    ],
    ["references that multiply", multiplying, "x"],
    ["references that lead round in a circle", circling, "x"],
  ])("with %s holds nobody up, and is not tried for ever", (_what, schema, value) => {
    const check = compileSchema(schema);
    const startMs = performance.now();
    for (let time = 0; time < 1_000; time += 1) expect(check?.({ a: value })).toBe("they take too long to check");
    // Years, without a bound.
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(compileSchema(object({}))?.({})).toBeUndefined();
  });
});
