import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { prunedTerms } from "../../../src/knowledge/ranking/terms.ts";

const LIMITS = { chunks: 1_000, rankedMax: 600, termsMax: 3, rankedEnough: 200 };
const terms = (chunksByTerm: Record<string, number>) =>
  Object.entries(chunksByTerm).map(([term, chunks]) => ({ term, chunks }));

describe("the terms of a question that are searched for", () => {
  test("are the rarest, as long as their chunks fit the limit", () => {
    expect(prunedTerms(terms({ the: 900, car: 400, red: 300, rim: 20 }), LIMITS)).toEqual(["rim", "red"]);
  });

  test("are not those that no chunk has, nor those that every second has where others have enough chunks", () => {
    const limits = { ...LIMITS, rankedMax: 10_000 };
    expect(prunedTerms(terms({ the: 501, none: 0, rim: 200 }), limits)).toEqual(["rim"]);
    expect(prunedTerms(terms({ the: 501, none: 0, rim: 199 }), limits)).toEqual(["rim", "the"]);
  });

  test("are the rarest one where all are common", () => {
    expect(prunedTerms(terms({ the: 990, of: 980 }), LIMITS)).toEqual(["of"]);
  });

  test("are not more than the limit of terms", () => {
    expect(prunedTerms(terms({ a: 1, b: 2, c: 3, d: 4 }), LIMITS)).toEqual(["a", "b", "c"]);
  });

  test("are none where the corpus has none of them", () => {
    expect(prunedTerms(terms({ a: 0 }), LIMITS)).toEqual([]);
  });

  test("whatever the frequencies, something is kept if anything was found, and the limits hold but for one term", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 40 }), (counts) => {
        const frequencies = counts.map((chunks, at) => ({ term: String(at), chunks }));
        const kept = prunedTerms(frequencies, LIMITS);
        expect(kept.length > 0).toBe(counts.some((chunks) => chunks > 0));
        expect(kept.length).toBeLessThanOrEqual(LIMITS.termsMax);
        const ranked = kept.reduce((sum, term) => sum + (counts[Number(term)] ?? 0), 0);
        expect(kept.length <= 1 || ranked <= LIMITS.rankedMax).toBe(true);
      }),
    );
  });
});
