import { describe, expect, test } from "vitest";
import { rankedCandidates, type Word } from "../../../src/knowledge/ranking/candidates.ts";

const CHUNKS = 1_000;

/** Words whose stems have no "s" at the end. */
const words = (text: string): Word[] => text.split(" ").map((form) => ({ term: form.replace(/s$/, ""), form }));

function ranked(question: string, chunksByTerm: Record<string, number>, texts: readonly string[]) {
  const frequencies = Object.entries(chunksByTerm).map(([term, chunks]) => ({ term, chunks }));
  return rankedCandidates(
    { words: words(question), frequencies, chunks: CHUNKS },
    texts.map((text) => ({ key: text, words: words(text) })),
  );
}

/** The texts by their rank for a question; terms are in so many chunks of the corpus. */
const ranking = (...scene: Parameters<typeof ranked>): readonly string[] => ranked(...scene).map(({ key }) => key);

describe("the candidates of a question", () => {
  test("rank higher with a rare term than with a common one", () => {
    expect(ranking("car rim", { car: 400, rim: 3 }, ["a car", "a rim"])).toEqual(["a rim", "a car"]);
  });

  test("rank higher with several terms than with one of them many times", () => {
    const texts = ["rim rim rim rim", "a rim and wheel"];
    expect(ranking("rim wheel", { rim: 10, wheel: 10 }, texts)[0]).toBe("a rim and wheel");
  });

  test("rank higher where they are short", () => {
    expect(ranking("rim", { rim: 10 }, ["the rim and much more", "the rim"])[0]).toBe("the rim");
  });

  test("rank higher with a word in the question's form than in another", () => {
    expect(ranking("tyres", { tyre: 10 }, ["new tyre", "new tyres"])).toEqual(["new tyres", "new tyre"]);
    expect(ranking("tyre", { tyre: 10 }, ["new tyres", "new tyre"])).toEqual(["new tyre", "new tyres"]);
  });

  test("rank higher the sooner they have a term, among their first words alone", () => {
    const texts = ["how to fit it to a rim", "a rim and how to fit it"];
    expect(ranking("rim", { rim: 10 }, texts)[0]).toBe("a rim and how to fit it");
    const late = (place: number): string =>
      [...Array.from({ length: place }, () => "the"), "rim"].join(" ").padEnd(400, " the");
    expect(ranking("rim", { rim: 10 }, [late(60), late(40)])[0]).toBe(late(60));
  });

  test("rank by other forms of a rare term before the very form of a common one", () => {
    expect(ranking("cars rim", { car: 400, rim: 3 }, ["the cars", "the rims"])[0]).toBe("the rims");
  });

  test("keep their order where they are equal, and none are left out", () => {
    expect(ranking("rim", { rim: 0 }, ["c", "a", "b"])).toEqual(["c", "a", "b"]);
    expect(ranking("rim", { rim: 1 }, [])).toEqual([]);
  });

  test("lose nothing by a term that all chunks have, nor where removed chunks are still counted", () => {
    for (const having of [CHUNKS, CHUNKS + 5]) {
      expect(ranked("the", { the: having }, ["the rim"])[0]?.score).toBeGreaterThanOrEqual(0);
    }
  });
});
