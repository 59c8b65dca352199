import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { membersOf, readParameters } from "../../src/carriers/start-parameters.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../src/core/limits/calls/calls.ts";
import { parameterProblems } from "../support/wires/parameters.ts";

/** What comes of a JSON text as a carrier may send it. */
const read = (json: string) => readParameters(membersOf(JSON.parse(json))).parameters;

/** `count` parameters whose names and values are 4 bytes together. */
const many = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${10 + i}`, "v"])));

describe("the parameters of a start", () => {
  test.each([
    ["{}", undefined],
    ["null", undefined],
    ['{"a":null}', undefined],
    ['{"order":"A-17","from":"+15550100"}', { values: { order: "A-17", from: "+15550100" }, droppedCount: 0 }],
    [
      '{"n":7,"f":1.5,"yes":true,"no":false}',
      { values: { n: "7", f: "1.5", yes: "true", no: "false" }, droppedCount: 0 },
    ],
    ['{"empty":""}', { values: { empty: "" }, droppedCount: 0 }],
    ['{"nested":{"a":"b"},"list":["a"],"a":"b"}', { values: { a: "b" }, droppedCount: 2 }],
    ['{"":"a"}', { values: {}, droppedCount: 1 }],
    ['{"a":1e999}', { values: {}, droppedCount: 1 }],
    ['["a"]', { values: {}, droppedCount: 1 }],
    ["7", { values: {}, droppedCount: 1 }],
    ['{"a\\nb":"c\\u0000d\\u009be\\u2028f\\u007f"}', { values: { "a b": "c d e f " }, droppedCount: 0 }],
    [
      '{"\\ud800":"\\udc00x","e":"\\ud83d\\ude00"}',
      { values: { "\ufffd": "\ufffdx", e: "\u{1F600}" }, droppedCount: 0 },
    ],
    ['{"a b":"1","a\\tb":"2"}', { values: { "a b": "1" }, droppedCount: 1 }],
  ])("C10: of %s are %j", (json, expected) => {
    expect(read(json)).toEqual(expected);
  });

  test("C10: a name that objects have already is a name like any other, but `__proto__` is left out", () => {
    const names = ["constructor", "toString", "hasOwnProperty", "toJSON", "then", "prototype", "__defineGetter__"];
    const own = names.map((name) => `${JSON.stringify(name)}:"x"`).join();
    const parameters = read(`{"__proto__":{"polluted":"yes"},${own}}`);
    expect(Object.keys(parameters?.values ?? {})).toEqual(names);
    expect(parameters?.droppedCount).toBe(1);
    expect(Object.getPrototypeOf(parameters?.values)).toBe(Object.prototype);
    expect("polluted" in {}).toBe(false);
    expect(JSON.parse(JSON.stringify(parameters?.values))).toEqual(
      Object.fromEntries(names.map((name) => [name, "x"])),
    );
  });

  test("the first 64 are kept, and the others counted", () => {
    expect(read(many(PARAMETERS_MAX))?.droppedCount).toBe(0);
    const parameters = read(many(PARAMETERS_MAX + 1));
    expect(Object.keys(parameters?.values ?? {})).toHaveLength(PARAMETERS_MAX);
    expect(parameters?.values).not.toHaveProperty(`k${10 + PARAMETERS_MAX}`);
    expect(parameters?.droppedCount).toBe(1);
  });

  test("8 KiB of UTF-8 in names and values are kept, and what is more is left out without what still fits", () => {
    const fill = (bytes: number) => JSON.stringify({ a: "\u00e9".repeat((bytes - 1) / 2), b: "cd" });
    expect(read(fill(PARAMETERS_BYTES_MAX - 3))?.droppedCount).toBe(0);
    const over = read(fill(PARAMETERS_BYTES_MAX - 1));
    expect([Object.keys(over?.values ?? {}), over?.droppedCount]).toEqual([["a"], 1]);
    const long = read(`{"long":"${"x".repeat(PARAMETERS_BYTES_MAX)}","a":"b"}`);
    expect(long).toEqual({ values: { a: "b" }, droppedCount: 1 });
  });

  test("of any JSON are within the limits, well-formed and data", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3, noUnicodeString: false }), (value) => {
        expect(parameterProblems(readParameters(membersOf(value)).parameters)).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});
