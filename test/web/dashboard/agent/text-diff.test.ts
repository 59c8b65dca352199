import { expect, test } from "vitest";
import { diffSequences } from "../../../../web/dashboard/pages/agent/model/sequence-diff.ts";
import { type DiffLine, diffTexts } from "../../../../web/dashboard/pages/agent/model/text-diff.ts";
import { Random } from "../../../support/random.ts";

/** As a reader sees it: `-` and `+` lines, with changed words in brackets. */
const shown = (lines: readonly DiffLine[]): string[] =>
  lines.map((line) => {
    if (line.kind === "gap") return `… ${line.lines}`;
    const text = line.words.map(({ text: words, isChanged }) => (isChanged ? `[${words}]` : words)).join("");
    return `${{ same: " ", removed: "-", added: "+" }[line.kind]}${text}`;
  });

test("only the words that differ are marked in a line that stands for another one", () => {
  expect(shown(diffTexts("The bakery is open from eight to six.", "The bakery is open from nine to six."))).toEqual([
    "-The bakery is open from [eight] to six.",
    "+The bakery is open from [nine] to six.",
  ]);
});

test("words that follow each other are marked together, with the space between them", () => {
  expect(shown(diffTexts("We are closed on Sunday.", "We are closed on Sunday and on Monday."))).toEqual([
    "-We are closed on Sunday.",
    "+We are closed on Sunday[ and on Monday].",
  ]);
});

test("lines that have little in common are shown whole", () => {
  expect(shown(diffTexts("Answer in one sentence.", "Never promise a price!"))).toEqual([
    "-Answer in one sentence.",
    "+Never promise a price!",
  ]);
});

test("a change has two lines around it, and what lies farther away is a gap", () => {
  const lines = ["a", "b", "c", "d", "e", "f", "g", "h"];
  expect(shown(diffTexts(lines.join("\n"), lines.with(4, "E").join("\n")))).toEqual([
    ...["… 2", " c", " d", "-e", "+E", " f", " g", " h"],
  ]);
});

test("an empty text has no line, and the same text no difference", () => {
  expect(shown(diffTexts("", "One.\n\nTwo."))).toEqual(["+One.", "+", "+Two."]);
  expect(shown(diffTexts("One.", ""))).toEqual(["-One."]);
  expect(diffTexts("One.", "One.")).toEqual([]);
});

test("letters of all scripts are words", () => {
  expect(shown(diffTexts("Käse und Brot", "Käse und Brötchen"))).toEqual(["-Käse und [Brot]", "+Käse und [Brötchen]"]);
});

test("the parts of any two sequences make both of them again", () => {
  const random = new Random(7);
  const sequence = (): string[] => Array.from({ length: random.whole(0, 12) }, () => random.pick(["a", "b", "c"]));
  for (let run = 0; run < 500; run++) {
    const [from, to] = [sequence(), sequence()];
    const parts = diffSequences(from, to);
    const of = (...changes: string[]): string[] =>
      parts.filter(({ change }) => changes.includes(change)).flatMap(({ items }) => items);
    expect(of("same", "removed")).toEqual(from);
    expect(of("same", "added")).toEqual(to);
  }
});

test("two long texts that have nothing in common are compared in time, as a whole", () => {
  const text = (word: string): string => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join("\n");
  const lines = diffTexts(text("one"), text("other"));
  expect(lines).toHaveLength(10_000);
  expect(lines[0]?.kind).toBe("removed");
});
