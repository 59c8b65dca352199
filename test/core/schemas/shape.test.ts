import { describe, expect, test } from "vitest";
import { compileSchema } from "../../../src/core/schemas/compile.ts";
import { schemaProblem } from "../../../src/core/schemas/shape.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** What is wrong with its shape, or that it cannot be compiled. */
const problemOf = (schema: Readonly<Record<string, unknown>>): string | undefined =>
  schemaProblem(schema, JSON.stringify(schema)) ??
  (compileSchema(schema) === undefined ? "can be compiled" : undefined);

describe("a schema of a tool's arguments", () => {
  test.each([
    { type: "object" },
    object(
      { order: { type: "string", pattern: "^A-\\d+$", format: "whatever", example: "A-1" } },
      { required: ["order"] },
    ),
    object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { type: "integer" } } }),
    object({ pattern: { type: "string", pattern: "a".repeat(512) }, patternProperties: { type: "object" } }),
    object({ name: { type: "string", pattern: "^[\\p{L}\\p{M}' -]{1,80}$" } }),
    { $schema: "https://json-schema.org/draft/2020-12/schema", ...object({}) },
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      ...object({ a: { $ref: "#/definitions/a" } }),
      definitions: { a: {} },
    },
  ])("is accepted: %j", (schema) => {
    expect(problemOf(schema)).toBeUndefined();
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
    [object({ name: { pattern: "a".repeat(513) } }), "512 characters, not 513 as in /properties/name/pattern"],
    [object({}, { patternProperties: { ["a".repeat(513)]: {} } }), "512 characters, not 513 as in /patternProperties"],
    [object({ a: { items: { items: { items: { items: { items: { items: {} } } } } } } }), "8 levels"],
  ])("is refused: %j", (schema, why) => {
    expect(problemOf(schema)).toContain(why);
  });
});
