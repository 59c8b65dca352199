import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chunk } from "../../../src/core/knowledge/chunks.ts";
import { CHUNK_CHARS_MAX, CHUNK_WORDS_MAX, CHUNK_WORDS_MIN } from "../../../src/core/limits/knowledge/corpora.ts";
import type { Block } from "../../../src/knowledge/chunking/blocks.ts";
import { Chunker } from "../../../src/knowledge/chunking/chunker.ts";
import { wordsIn } from "../../../src/knowledge/chunking/measure.ts";
import { cleanText } from "../../../src/knowledge/chunking/text.ts";

function chunksOf(blocks: readonly Block[], languageId = "en"): readonly Chunk[] {
  const chunker = new Chunker(languageId);
  return [...blocks.flatMap((block) => [...chunker.push(block)]), ...chunker.finish()];
}

const words = (count: number, word = "word"): string =>
  Array.from({ length: count }, (_, index) => `${word}${index}`).join(" ");
const text = (value: string, page?: number): Block => ({ kind: "text", text: value, page });
const heading = (level: number, value: string, page?: number): Block => ({ kind: "heading", level, text: value, page });
const solid = (value: string): string => value.replace(/\s+/g, "");

describe("chunks of a document", () => {
  test("join paragraphs under the same headings, and carry these", () => {
    const chunks = chunksOf([
      heading(1, "Pumps"),
      heading(2, "Guarantee"),
      text("Five years."),
      text("Not for seals."),
    ]);
    expect(chunks).toEqual([
      { ordinal: 0, headings: ["Pumps", "Guarantee"], page: undefined, text: "Five years.\n\nNot for seals." },
    ]);
  });

  test("end with the paragraph that makes them long enough", () => {
    const paragraphs = Array.from({ length: 4 }, () => text(words(80)));
    const chunks = chunksOf(paragraphs);
    expect(chunks.map((chunk) => wordsIn(chunk.text))).toEqual([160, 160]);
  });

  test("cut a long paragraph between sentences", () => {
    const sentences = Array.from({ length: 40 }, (_, index) => `Sentence ${index} has ${words(10)}.`);
    const chunks = chunksOf([text(sentences.join(" "))]);
    expect(chunks.length).toBeGreaterThan(1);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^Sentence[\s\S]*\.$/);
  });

  test("have the page on which they begin", () => {
    const chunks = chunksOf([text(words(100), 1), text(words(100), 2), text(words(100), 3)]);
    expect(chunks.map(({ page }) => page)).toEqual([1, 3]);
  });

  test("count characters in scripts without spaces", () => {
    const sentence = "水泵的保修期为五年。";
    const chunks = chunksOf([text(sentence.repeat(200))], "zh");
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) {
      expect(chunk.text.length).toBeLessThanOrEqual(2 * CHUNK_WORDS_MAX + 20);
      expect(chunk.text).toMatch(/。$/);
    }
  });

  test("leave a heading for one of the same level", () => {
    const chunks = chunksOf([
      heading(1, "A"),
      heading(2, "B"),
      text("b"),
      heading(2, "C"),
      text("c"),
      heading(1, "D"),
      text("d"),
    ]);
    expect(chunks.map(({ headings, text: said }) => [...headings, said].join(" "))).toEqual(["A B b", "A C c", "D d"]);
  });

  test("have a heading without text as their text", () => {
    const chunks = chunksOf([heading(1, "A"), heading(2, "Empty", 4), heading(2, "C"), text("c")]);
    expect(chunks.map(({ headings, page, text: said }) => ({ headings, page, text: said }))).toEqual([
      { headings: ["A"], page: 4, text: "Empty" },
      { headings: ["A", "C"], page: undefined, text: "c" },
    ]);
  });

  test("have neither controls nor halves of characters, which databases refuse", () => {
    const [chunk] = chunksOf([text("a\0b\u0007c \ud800d\u00ad e")]);
    expect(chunk?.text).toBe("abc d e");
  });
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.nat(900).map((count) => words(count)),
  fc.nat(2_000).map((count) => "長い文".repeat(count)),
  fc.nat(9_000).map((count) => "x".repeat(count)),
  fc.nat(200).map((count) => "A sentence of six words ends. ".repeat(count)),
);
const anyBlock: fc.Arbitrary<Block> = fc.oneof(
  { weight: 3, arbitrary: anyText.map((value) => text(value)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 6 }), anyText).map(([level, value]) => heading(level, value)),
  },
);

describe("whatever the document", () => {
  test("no chunk is over the bounds, and ordinals count from 0", () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 12 }), fc.constantFrom("en", "ja", "ar"), (blocks, language) => {
        const chunks = chunksOf(blocks, language);
        expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, index) => index));
        for (const chunk of chunks) {
          expect(chunk.text.length).toBeLessThanOrEqual(CHUNK_CHARS_MAX);
          expect(wordsIn(chunk.text)).toBeLessThanOrEqual(CHUNK_WORDS_MAX);
          expect(chunk.text.trim()).not.toBe("");
        }
      }),
      { numRuns: 60 },
    );
  });

  test("no text is lost, and its order stays", () => {
    fc.assert(
      fc.property(
        fc.array(
          anyText.map((value) => text(value)),
          { maxLength: 8 },
        ),
        (blocks) => {
          const said = chunksOf(blocks).map((chunk) => chunk.text);
          expect(solid(said.join(""))).toBe(solid(blocks.map((block) => cleanText(block.text)).join("")));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("every heading is in a chunk", () => {
    fc.assert(
      fc.property(fc.array(anyBlock, { maxLength: 12 }), (blocks) => {
        const chunks = chunksOf(blocks);
        const all = solid(chunks.flatMap((chunk) => [...chunk.headings, chunk.text]).join(""));
        for (const block of blocks) {
          if (block.kind === "heading" && block.text.length < 200) expect(all).toContain(solid(cleanText(block.text)));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("paragraphs make chunks of the usual size", () => {
    const blocks = Array.from({ length: 200 }, (_, index) => text(words(20 + (index % 60))));
    const sizes = chunksOf(blocks).map((chunk) => wordsIn(chunk.text));
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThanOrEqual(CHUNK_WORDS_MIN / 2);
  });
});
