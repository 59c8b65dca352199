import { describe, expect, test } from "vitest";
import { joinOverlapping } from "../../../../../src/speech/stt/providers/local/overlap.ts";

const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
const joined = (before: string, estimate: number, after: string): string =>
  joinOverlapping(words(before), estimate, words(after)).join(" ");

describe("joining the words of two windows that overlap", () => {
  test("begins the later one where most words of both agree, whatever the estimate", () => {
    for (const estimate of [2, 3, 4, 5, 6])
      expect(joined("a b c d e f", estimate, "d e f g h")).toBe("a b c d e f g h");
  });

  test("believes the later one about the words of the overlap", () => {
    expect(joined("he would come to the par", 3, "come to the park with us")).toBe("he would come to the park with us");
  });

  test("drops the rest of a word in which the later one begins", () => {
    expect(joined("we want tomatoes and beans", 3, "toes and beans please")).toBe("we want tomatoes and beans please");
  });

  test("ignores case and punctuation", () => {
    expect(joined("I said No. Never again", 2, "no, never again will I")).toBe("I said no, never again will I");
  });

  test("takes the nearest place where words repeat", () => {
    expect(joined("no no no yes no no", 4, "no no maybe")).toBe("no no no yes no no maybe");
  });

  test("keeps to the estimate where nothing agrees", () => {
    expect(joined("a b c d", 3, "x y")).toBe("a b c x y");
  });

  test("keeps all words where the later one has none", () => {
    expect(joined("a b c", 1, "")).toBe("a b c");
  });
});
