import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PHRASE_CHARS_MAX } from "../../../src/core/limits/agents/phrases.ts";
import { BUILT_IN_PHRASES } from "../../../src/core/phrases/built-in.ts";
import { PHRASE_NAMES } from "../../../src/core/phrases/names.ts";
import { builtInPhrases, ENGLISH, isPhraseTag, phrasesIn, phraseTags } from "../../../src/core/phrases/phrases.ts";
import { displayWidth } from "../../../src/core/text/display-width.ts";

/** The script of each language (ISO 15924), independently of the source. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  Latn: "ca cs da de en es fi fil fr hr hu id it ms nb nl pl pt pt-PT ro sk sv tr vi".split(" "),
  Arab: ["ar", "fa", "ur"],
  Cyrl: ["bg", "ru", "uk"],
  Beng: ["bn"],
  Deva: ["hi"],
  Grek: ["el"],
  Hebr: ["he"],
  Hang: ["ko"],
  Thai: ["th"],
  Hani: ["zh", "zh-Hant"],
  "Hani Hira Kana": ["ja"],
};
/** Words that are spelled as in English and are words of the language. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  ca: ["moment"],
  cs: ["moment", "to"],
  de: ["moment"],
  nl: ["sorry", "we"],
  pl: ["to"],
  ro: ["moment"],
  sk: ["moment", "to"],
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
const ENGLISH_WORDS = new Set(Object.values(ENGLISH).flatMap(wordsOf));

const LANGUAGES = Object.entries(SCRIPTS).flatMap(([scripts, tags]) => tags.map((tag) => ({ tag, scripts })));
const CASES = LANGUAGES.flatMap(({ tag, scripts }) => PHRASE_NAMES.map((name) => ({ tag, scripts, name })));

describe("the built-in phrases", () => {
  test("exist in at least 15 languages, all of which are checked here", () => {
    expect(Object.keys(BUILT_IN_PHRASES).length).toBeGreaterThanOrEqual(15);
    expect(Object.keys(BUILT_IN_PHRASES).sort()).toEqual(LANGUAGES.map(({ tag }) => tag).sort());
  });

  test.each(CASES)("$tag, $name: in the language's own script, with no English word, about as long", (one) => {
    const text = BUILT_IN_PHRASES[one.tag]?.phrases[one.name] ?? "";
    const scripts = one.scripts.split(" ").map((script) => `\\p{Script_Extensions=${script}}`);
    const foreign = (text.match(/\p{L}/gu) ?? []).filter((letter) => !new RegExp(scripts.join("|"), "u").test(letter));
    expect(foreign).toEqual([]);
    expect(text).toMatch(/\p{L}/u);
    const english = wordsOf(text).filter((word) => ENGLISH_WORDS.has(word) && SHARED[one.tag]?.includes(word) !== true);
    if (one.tag !== "en") expect(english).toEqual([]);
    const ratio = displayWidth(text) / displayWidth(ENGLISH[one.name]);
    expect(ratio).toBeGreaterThanOrEqual(0.5);
    expect(ratio).toBeLessThanOrEqual(2);
    expect(text.length).toBeLessThanOrEqual(PHRASE_CHARS_MAX);
    expect(text).not.toMatch(/[<>{}[\]*_`#\p{Cc}]/u);
  });

  test("name their origin, and the documentation lists those that no speaker has checked", () => {
    const page = readFileSync(new URL("../../../docs/languages.md", import.meta.url), "utf8");
    const table = [...page.matchAll(/^\| `([\w-]+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(([, tag, source]) => [
      tag,
      source,
    ]);
    expect(Object.fromEntries(table)).toEqual(
      Object.fromEntries(Object.entries(BUILT_IN_PHRASES).map(([tag, { source }]) => [tag, source])),
    );
  });
});

describe("the phrases of a language code", () => {
  test.each([
    ["de-AT", "de"],
    ["pt-PT", "pt-PT"],
    ["pt-BR", "pt"],
    ["zh", "zh"],
    ["zh-CN", "zh"],
    ["zh-TW", "zh-Hant"],
    ["zh-HK", "zh-Hant"],
    ["yue", "zh-Hant"],
    ["no", "nb"],
    ["nn", "nb"],
    ["JA", "ja"],
  ])("%s are those of %s", (language, tag) => {
    expect(builtInPhrases(language)).toBe(BUILT_IN_PHRASES[tag]?.phrases);
  });

  test("sw are none", () => {
    expect(builtInPhrases("sw")).toBeUndefined();
    expect(phrasesIn({}, "sw")).toEqual({});
  });

  test.each(["", "x", "de_AT", "no language at all"])("%j are none: it is no code", (language) => {
    expect([phraseTags(language), builtInPhrases(language), phrasesIn({}, language)]).toEqual([[], undefined, {}]);
  });

  test("come, one by one, from the operator's most specific tag", () => {
    const overrides = { de: { filler: "Moment." }, "de-AT": { goodbye: "Servus." }, sw: { filler: "Subiri kidogo." } };
    expect(phraseTags("de-AT")).toEqual(["de-AT", "de-Latn", "de"]);
    expect(phrasesIn(overrides, "de-AT")).toEqual({ ...builtInPhrases("de"), filler: "Moment.", goodbye: "Servus." });
    expect(phrasesIn(overrides, "de")).toEqual({ ...builtInPhrases("de"), filler: "Moment." });
    expect(phrasesIn(overrides, "sw-KE")).toEqual({ filler: "Subiri kidogo." });
  });
});

describe("the operator's phrases", () => {
  const OWN = { filler: "own" };

  test.each([
    ["pt", "pt-PT"],
    ["zh", "zh-TW"],
    ["zh", "zh-CN"],
    ["zh-Hant", "zh-HK"],
    ["zh-Hant", "yue"],
    ["no", "nb"],
    ["no", "nn"],
    ["no", "nb-NO"],
    ["nb", "no"],
    ["nb", "nn-NO"],
  ])("of %s take precedence over the built-in ones in calls in %s", (tag, language) => {
    expect(phrasesIn({ [tag]: OWN }, language)).toEqual({ ...builtInPhrases(language), ...OWN });
  });

  test("of a region take precedence over those of its language", () => {
    expect(phrasesIn({ pt: OWN, "pt-PT": { filler: "region" } }, "pt-PT").filler).toBe("region");
  });

  test.each([
    "de",
    "de-AT",
    "zh-TW",
    "zh-Hant",
    "zh-Hans",
    "sr-Latn",
    "sr-Cyrl",
    "pa-Arab",
    "en-001",
    "yue",
    "no",
    "fil",
  ])("may have the tag %s", (tag) => expect(isPhraseTag(tag)).toBe(true));

  test.each([
    "zh-Hant-TW",
    "german",
    "de-Cyrl",
    "de-1996",
    "de-x-formal",
    "de-u-co-phonebk",
    "und",
    "mul",
    "no tag",
  ])("may not have the tag %s, which no call has", (tag) => expect(isPhraseTag(tag)).toBe(false));
});
