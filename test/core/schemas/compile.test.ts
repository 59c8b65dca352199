import { afterEach, describe, expect, test, vi } from "vitest";
import { CompiledSchemas, compileSchema } from "../../../src/core/schemas/compile.ts";
import { schemaAnswer } from "../../../src/core/schemas/messages.ts";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const wrong = (schema: object, value: unknown): string | undefined => compileSchema({ ...schema })?.(value);

test("a problem names what is wrong with a value, and quotes nothing of it", () => {
  const schema = object({ count: { type: "integer" } }, { required: ["count"], additionalProperties: false });
  expect(wrong(schema, { count: 2 })).toBeUndefined();
  expect(wrong(schema, { count: "a secret" })).toBe("/count must be integer");
  expect(wrong(schema, {})).toBe("must have required property 'count'");
  expect(wrong(schema, { count: 1, more: "a secret" })).toContain("must NOT have additional properties");
});

afterEach(() => vi.restoreAllMocks());

test("ADV-H2: compiling a schema runs its patterns, because V8 compiles them at their first use", () => {
  const ran = vi.spyOn(RegExp.prototype, "test");
  const schema = object(
    { a: { type: "string", pattern: "^\\p{L}+$" }, b: { $ref: "#/$defs/b" } },
    { patternProperties: { "^x\\d": {} }, $defs: { b: { items: { pattern: "^deep$" } } } },
  );
  const check = compileSchema(schema);
  const textsOf = (source: string): string =>
    ran.mock.calls
      .map(([text], index) => ((ran.mock.contexts[index] as RegExp).source === source ? text : ""))
      .join("");
  for (const source of ["^\\p{L}+$", "^x\\d", "^deep$"]) {
    // V8 compiles once more for texts of two bytes a character.
    expect(textsOf(source)).toMatch(/[a-z]/);
    expect(textsOf(source)).toMatch(/[\u0100-\uffff]/);
  }
  expect([check?.({ a: "Жan" }), check?.({ a: "-" })]).toEqual([undefined, '/a must match pattern "^\\p{L}+$"']);
});

/** Names of members that every object inherits, or that an object literal takes for something else. */
const INHERITED = ["toString", "valueOf", "constructor", "hasOwnProperty", "__proto__", "isPrototypeOf", "toJSON"];

describe.each(INHERITED)("ADV-L4: a member with the name %s is checked like any other", (name) => {
  /** As it comes from JSON, whatever the name. */
  const member = (value: unknown): unknown => JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}}`);

  test("to const", () => {
    expect(wrong(object({ a: { const: member("x") } }), { a: member("x") })).toBeUndefined();
    expect(wrong(object({ a: { const: member("x") } }), { a: member("y") })).toBe("/a must be equal to constant");
    expect(wrong(object({ a: { const: member("x") } }), { a: {} })).toBe("/a must be equal to constant");
    expect(wrong(object({ a: { const: {} } }), { a: member("x") })).toBe("/a must be equal to constant");
  });

  test("to enum", () => {
    const schema = object({ a: { enum: [1, member(["x"])] } });
    expect(wrong(schema, { a: member(["x"]) })).toBeUndefined();
    expect(wrong(schema, { a: member(["y"]) })).toBe("/a must be equal to one of the allowed values");
    expect(wrong(schema, { a: {} })).toBe("/a must be equal to one of the allowed values");
  });

  test("to uniqueItems, as an object and as a text", () => {
    const schema = object({ a: { uniqueItems: true }, b: { items: { type: "string" }, uniqueItems: true } });
    expect(wrong(schema, { a: [member("x"), member("y")], b: [name, "b"] })).toBeUndefined();
    expect(wrong(schema, { a: [member("x"), member("x")] })).toBe("/a must NOT have duplicate items");
    expect(wrong(schema, { b: [name, "b", name] })).toBe("/b must NOT have duplicate items");
  });

  test("to required and properties: it exists only as the value's own member", () => {
    expect(wrong(object({}, { required: [name] }), {})).toBe(`must have required property '${name}'`);
    expect(wrong(object({}, { required: [name] }), member("x"))).toBeUndefined();
    // The API takes no schema with a member __proto__, and ajv looks at none.
    if (name === "__proto__") return;
    expect(wrong(object({ [name]: { type: "string" } }), {})).toBeUndefined();
    expect(wrong(object({ [name]: { type: "string" } }), member(1))).toBe(`/${name} must be string`);
    expect(wrong(object({}, { additionalProperties: false }), member(1))).toBe("must NOT have additional properties");
  });
});

test("members are compared in any order, numbers by value, and lists in order", () => {
  const schema = object({ a: { const: { b: [1, 2], c: 1.0 } } });
  expect(wrong(schema, { a: { c: 1, b: [1, 2] } })).toBeUndefined();
  expect(wrong(schema, { a: { c: 1, b: [2, 1] } })).toBe("/a must be equal to constant");
  expect(wrong(object({ a: { enum: ["1"] } }), { a: 1 })).toBe("/a must be equal to one of the allowed values");
});

describe("the child process", () => {
  const schemas = new CompiledSchemas();
  const ask = (schema: object, value?: unknown) =>
    schemaAnswer(
      { schema: JSON.stringify(schema), ...(value !== undefined && { value: JSON.stringify(value) }) },
      schemas,
    );

  test("reports whether a schema can be compiled, also when asked repeatedly", () => {
    expect([ask(object({})), ask(object({}))]).toEqual([{ kind: "fits" }, { kind: "fits" }]);
    expect([ask({ type: "x" }), ask({ type: "x" }, {})]).toEqual([{ kind: "invalid" }, { kind: "invalid" }]);
    expect(ask(object({ a: { type: "string" } }), { a: 1 })).toEqual({ kind: "unfit", reason: "/a must be string" });
  });

  test("accepts circular references", () => {
    const circling = object(
      { a: { $ref: "#/$defs/here" } },
      { $defs: { here: { allOf: [{ $ref: "#/$defs/there" }] }, there: { allOf: [{ $ref: "#/$defs/here" }] } } },
    );
    expect(ask(circling, { a: "x" })).toEqual({
      kind: "unfit",
      reason: "their schema goes deeper than can be checked",
    });
  });

  test("caches the schemas that were used last, and compiles others again", () => {
    for (let count = 0; count < 200; count += 1)
      expect(ask(object({}, { title: String(count) }))).toEqual({ kind: "fits" });
    expect(schemas.size).toBeLessThanOrEqual(64);
    expect(ask(object({}, { title: "0", required: ["a"] }), {})).toMatchObject({ kind: "unfit" });
  });
});
