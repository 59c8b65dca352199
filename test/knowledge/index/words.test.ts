import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STEMMED_LANGUAGES, stemmerOf } from "../../../src/knowledge/index/stems.ts";
import { termsOf } from "../../../src/knowledge/index/words.ts";

describe("the terms of a text", () => {
  test.each([
    ["en", "Packages, packaged; the PACKAGE's", "packag packag the packag"],
    ["de", "Die Häuser und das Haus, Straße", "die haus und das haus strass"],
    ["fr", "les données de l'ordinateur", "le don de ordin"],
    ["ru", "пакетами и пакет", "пакет и пакет"],
    ["it", "Città e libri dell'uso", "citt e libr uso"],
    ["tr", "IŞIK ışık", "ısık ısık"],
    ["el", "Καλημέρα κόσμε", "καλημέρα κόσμε"],
    ["und", "Packages 24/7 example.com v2.0", "packages 24 7 example com v2 0"],
  ])("in %s: %s", (language, text, terms) => {
    expect(termsOf(text, language).join(" ")).toBe(terms);
  });

  test("Chinese, Japanese and Korean are pairs of letters, and words in Latin letters stay words", () => {
    expect(termsOf("東京都のDebianパッケージ", "ja")).toEqual([
      "東京",
      "京都",
      "都の",
      "debian",
      "パッ",
      "ッケ",
      "ケー",
      "ージ",
    ]);
    expect(termsOf("字", "zh")).toEqual(["字"]);
    expect(termsOf("한국어", "ko")).toEqual(["한국", "국어"]);
  });

  test("Thai is split by a dictionary", () => {
    expect(termsOf("สวัสดีชาวโลก", "th").length).toBeGreaterThan(1);
  });

  test("words in Latin letters within Russian have English stems", () => {
    expect(termsOf("пакеты servers", "ru")).toEqual(termsOf("пакет server", "ru"));
  });

  test("the region of a language has no effect, and an unknown language has no stems", () => {
    expect(termsOf("packages", "en-GB")).toEqual(termsOf("packages", "en"));
    expect(termsOf("packages", "xx")).toEqual(["packages"]);
    expect(termsOf("packages", "constructor")).toEqual(["packages"]);
  });

  test("texts without words have none: NUL, quotes and operators of FTS5", () => {
    expect(termsOf('\0 "" * ^ - + () : \u200b', "en")).toEqual([]);
    expect(termsOf('a" OR NEAR(b, c) terms:*', "en")).toEqual(["a", "or", "near", "b", "c", "term"]);
  });

  test("of any text in any language a term has letters, digits and marks only, and at most 64 units", () => {
    const language = fc.constantFrom(...STEMMED_LANGUAGES, "ja", "th", "ko", "und", "");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), language, (text, languageId) => {
        for (const term of termsOf(text, languageId)) {
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
        }
      }),
    );
  });

  test("the words of Latin and Cyrillic texts are those that ICU finds", () => {
    const characters = "aZéßœſİıĸŉ0159²½ª  \n\t''’‘.,:;_-·‧‿\u2024×÷«»“„–…€/@#%&*яЙёѣԯ\u00ad\u0301\u200d";
    const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 40 });
    // A rune is neither, and has ICU split the whole text.
    fc.assert(
      fc.property(text, (plain) => {
        expect(termsOf(`${plain} ᚠ`, "und")).toEqual([...termsOf(plain, "und"), "ᚠ"]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("no stemmer throws at any word", () => {
    fc.assert(
      fc.property(fc.constantFrom(...STEMMED_LANGUAGES), fc.string({ maxLength: 30 }), (language, word) => {
        expect(typeof stemmerOf(language)(word.toLowerCase())).toBe("string");
      }),
    );
  });
});
