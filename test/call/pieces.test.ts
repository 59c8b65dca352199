import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PieceSplitter } from "../../src/call/pieces.ts";

function split(...texts: string[]): string[] {
  const splitter = new PieceSplitter();
  return [...texts.flatMap((text) => splitter.push(text)), ...splitter.end()];
}

describe("cutting a reply into speakable pieces", () => {
  test("a sentence is a piece as soon as the next one begins", () => {
    const splitter = new PieceSplitter();
    expect(splitter.push("We are open from nine to five.")).toEqual([]);
    expect(splitter.push(" And")).toEqual(["We are open from nine to five."]);
    expect(splitter.end()).toEqual(["And"]);
  });

  test("short sentences are spoken together with the next one", () => {
    expect(split("Yes. No. We are open from nine to five. Bye.")).toEqual([
      "Yes. No. We are open from nine to five.",
      "Bye.",
    ]);
  });

  test("numbers, prices and abbreviations without a space behind the dot are not cut", () => {
    expect(split("The whole wheat loaf costs 3.50 at www.example.com today.")).toHaveLength(1);
  });

  test("a sentence without an end is cut at a clause before it gets too long, and never within a word", () => {
    const pieces = split(`${"one two three four, ".repeat(30)}end`);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(220);
    for (const piece of pieces.slice(0, -1)) expect(piece.endsWith(",")).toBe(true);
  });

  test("sentences of languages without spaces are cut at their own full stops", () => {
    const sentence = "パンは毎朝五時に焼き上がり、ロールパンは六時に焼き上がります。";
    expect(split(sentence + sentence)).toEqual([sentence, sentence]);
  });

  test("what cannot be spoken is left out", () => {
    expect(split("... --- !!! ", "?!")).toEqual([]);
  });

  test("however the text is cut on its way, the pieces joined by spaces are the text with its white space folded", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}[,.!?]?$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 120 }), fc.array(fc.nat(40)), (words, cuts) => {
        const text = words.join(" ");
        const parts: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          parts.push(text.slice(at, at + cut));
          at += cut;
        }
        expect(split(...parts, text.slice(at)).join(" ")).toBe(text);
      }),
    );
  });
});
