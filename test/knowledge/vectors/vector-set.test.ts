import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quantized } from "../../../src/knowledge/vectors/quantized.ts";
import { VectorSet } from "../../../src/knowledge/vectors/vector-set.ts";
import { Random } from "../../support/random.ts";

const int8 = fc.integer({ min: -127, max: 127 });

/** The products of a query and vectors in plain JavaScript. */
const products = (query: readonly number[], vectors: readonly (readonly number[])[]): number[] =>
  vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0));

describe("vectors in memory", () => {
  test("SIMD gives the products of plain JavaScript, whatever the numbers and their count", () => {
    const scene = fc.integer({ min: 1, max: 70 }).chain((dimensions) => {
      const vector = fc.array(int8, { minLength: dimensions, maxLength: dimensions });
      return fc.record({ query: vector, vectors: fc.array(vector, { minLength: 1, maxLength: 20 }) });
    });
    fc.assert(
      fc.property(scene, ({ query, vectors }) => {
        const set = new VectorSet(query.length);
        vectors.forEach((vector, at) => {
          set.add(at + 1, 1, Int8Array.from(vector));
        });
        const found = set.nearest({ scale: 1, values: Int8Array.from(query) }, vectors.length);
        const expected = products(query, vectors);
        expect(found.map(({ score }) => score)).toEqual(expected.toSorted((a, b) => b - a));
        for (const { key, score } of found) expect(score).toBe(expected[key - 1]);
      }),
    );
  });

  test("the largest numbers do not overflow", () => {
    const dimensions = 4_096;
    const set = new VectorSet(dimensions);
    set.add(7, 1, new Int8Array(dimensions).fill(-127));
    expect(set.nearest({ scale: 1, values: new Int8Array(dimensions).fill(-127) }, 1)).toEqual([
      { key: 7, score: 127 * 127 * dimensions },
    ]);
  });

  test("more vectors than one pass compares are all compared", () => {
    const set = new VectorSet(2);
    for (let chunk = 1; chunk <= 40_000; chunk++) set.add(chunk, 1, Int8Array.of(chunk === 33_333 ? 100 : 1, 1));
    expect(set.nearest({ scale: 1, values: Int8Array.of(1, 0) }, 1)).toEqual([{ key: 33_333, score: 100 }]);
  });

  test("the vectors of kept documents stay, with others after them", () => {
    const set = new VectorSet(2);
    for (let chunk = 1; chunk <= 9; chunk++) set.add(chunk, 1, Int8Array.of(chunk, 1), chunk % 3);
    set.keep(new Set([0, 2]));
    set.add(10, 1, Int8Array.of(10, 1), 4);
    const found = set.nearest({ scale: 1, values: Int8Array.of(1, 0) }, 20);
    expect(found).toEqual([10, 9, 8, 6, 5, 3, 2].map((chunk) => ({ key: chunk, score: chunk })));
  });

  test("a set of which more than half was removed is sparse", () => {
    const set = new VectorSet(4_096);
    for (let chunk = 1; chunk <= 200; chunk++) set.add(chunk, 1, new Int8Array(4_096), chunk);
    expect(set.isSparse).toBe(false);
    set.keep(new Set([1, 2, 3]));
    expect([set.count, set.isSparse]).toEqual([3, true]);
  });

  test("vectors of another length are neither added nor compared", () => {
    const set = new VectorSet(3);
    set.add(1, 1, Int8Array.of(1, 2));
    expect(set.count).toBe(0);
    set.add(2, 1, Int8Array.of(1, 2, 3));
    expect(set.nearest({ scale: 1, values: Int8Array.of(1) }, 5)).toEqual([]);
  });
});

describe("a vector of whole numbers", () => {
  test("has nearly the angles of the original", () => {
    const random = new Random(1);
    const vector = (): number[] => Array.from({ length: 384 }, () => random.next() * 2 - 1);
    const [a, b] = [vector(), vector()];
    const length = (values: readonly number[]): number => Math.sqrt(products(values, [values])[0] ?? 0);
    const cosine = (products(a, [b])[0] ?? 0) / length(a) / length(b);
    const [qa, qb] = [quantized(a), quantized(b)];
    const dot =
      (products([...(qa?.values ?? [])], [[...(qb?.values ?? [])]])[0] ?? 0) * (qa?.scale ?? 0) * (qb?.scale ?? 0);
    expect(Math.abs(dot - cosine)).toBeLessThan(0.005);
  });

  test("is none where there is no direction", () => {
    for (const vector of [[0, 0], [], [Number.NaN, 1], [Number.POSITIVE_INFINITY]])
      expect(quantized(vector)).toBeUndefined();
  });
});
