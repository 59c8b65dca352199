import { describe, expect, test } from "vitest";
import { fused, merged } from "../../../src/knowledge/ranking/fusion.ts";

const ranking = (...keys: string[]) => keys.map((key, at) => ({ key, score: 100 - at }));

describe("reciprocal rank fusion", () => {
  test("puts what both rankings have before what one has", () => {
    expect(fused([ranking("a", "b", "c"), ranking("d", "b", "e")]).map(({ key }) => key)).toEqual([
      "b",
      "a",
      "d",
      "c",
      "e",
    ]);
  });

  test("scores by ranks alone", () => {
    expect(fused([ranking("a"), ranking("a")])).toEqual([{ key: "a", score: 2 / 6 }]);
  });

  test("keeps one ranking as it is", () => {
    expect(fused([ranking("a", "b", "c")]).map(({ key }) => key)).toEqual(["a", "b", "c"]);
    expect(fused([])).toEqual([]);
  });
});

test("rankings of comparable scores are merged by score, up to a maximum", () => {
  const first = [
    { key: "a", score: 3 },
    { key: "b", score: 1 },
  ];
  expect(merged([first, [{ key: "c", score: 2 }]], 2).map(({ key }) => key)).toEqual(["a", "c"]);
});
