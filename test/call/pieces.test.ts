import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { PieceSplitter } from "../../src/call/pieces.ts";

const newSplitter = (): PieceSplitter => new PieceSplitter(DEFAULT_TURN_PARAMETERS.firstClauseChars);

function split(...texts: string[]): string[] {
  const splitter = newSplitter();
  return [...texts.flatMap((text) => splitter.push(text)), ...splitter.end()];
}

describe("cutting a reply into speakable pieces", () => {
  test("a sentence is a piece as soon as the next one begins", () => {
    const splitter = newSplitter();
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

  test.each([
    ["At the clinic you will see Dr. Smith. He is kind.", "At the clinic you will see Dr. Smith.|He is kind."],
    ["Wir kommen zu Ihnen am 3. Mai um zwei. Bis dann.", "Wir kommen zu Ihnen am 3. Mai um zwei.|Bis dann."],
    ["We sell three kinds of fruit 1. Apples 2. Pears", "We sell three kinds of fruit 1. Apples 2. Pears"],
    ["Wir haben viele gute Brote z. B. Roggen. Gut.", "Wir haben viele gute Brote z. B. Roggen.|Gut."],
    ["Nous avons de bons pains p. ex. au seigle. Oui.", "Nous avons de bons pains p. ex. au seigle.|Oui."],
    ["Find us at the church of St. Mary (i.e. here). Bye.", "Find us at the church of St. Mary (i.e. here).|Bye."],
    ["The whole wheat loaf costs 3.50. Bye.", "The whole wheat loaf costs 3.50.|Bye."],
    ["This shop was opened in 1999. Bye.", "This shop was opened in 1999.|Bye."],
    ["Is it rye that you like or is it 5? Bye.", "Is it rye that you like or is it 5?|Bye."],
  ])("a dot that ends no sentence ends no piece: %s", (text, pieces) => {
    expect(split(text)).toEqual(pieces.split("|"));
  });

  test("the first piece is over with its first clause, and only the first", () => {
    const splitter = newSplitter();
    expect(splitter.push("We are open from nine to five, ")).toEqual(["We are open from nine to five,"]);
    expect(splitter.push("except on the Sundays of December, when we are closed. And")).toEqual([
      "except on the Sundays of December, when we are closed.",
    ]);
    expect(splitter.end()).toEqual(["And"]);
    expect(splitter.push("I have looked it up for you: it is open.")).toEqual(["I have looked it up for you:"]);
  });

  test("a first clause that is too short goes on, and a date or a time is none", () => {
    expect(split("Yes, we are open. We close on November 21, 2026 at 9:30 at night; not before.")).toEqual([
      "Yes, we are open. We close on November 21, 2026 at 9:30 at night;",
      "not before.",
    ]);
  });

  test("where no clause is to be a piece, sentences are", () => {
    const splitter = new PieceSplitter(Number.POSITIVE_INFINITY);
    expect(splitter.push("We are open from nine to five, except on Sundays. And")).toEqual([
      "We are open from nine to five, except on Sundays.",
    ]);
  });

  test("what cannot be spoken is left out", () => {
    expect(split("... --- !!! ", "?!")).toEqual([]);
  });

  test("however the text is cut on its way, the pieces joined by spaces are the text with its white space folded", () => {
    const word = fc.stringMatching(/^[a-zA-Z0-9]{1,12}[,.;!?]?$/);
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
