import { expect, test, vi } from "vitest";
import { languageCode, languageCodes, listLanguages } from "../../../src/speech/languages.ts";
import { voiceOf } from "../../../src/speech/tts/providers/espeak/voices.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";

const voice = (language: string, name = "Anna") => ({ id: `x/${language}/${name}`, name, language, provider: "x" });

const SERVED = { stt: ["reference"], tts: ["x"] };

test("languages are those of the voices, with and without their region, by code", () => {
  expect(
    listLanguages([voice("en-US"), voice("en-GB-x-rp"), voice("en-GB"), voice("de"), voice("zh-Latn-pinyin")], ANY_STT),
  ).toEqual([
    { code: "de", name: "German", voices: 1, ...SERVED },
    { code: "en", name: "English", voices: 3, ...SERVED },
    { code: "en-GB", name: "British English", voices: 2, ...SERVED },
    { code: "en-US", name: "American English", voices: 1, ...SERVED },
    { code: "zh", name: "Chinese", voices: 1, ...SERVED },
  ]);
});

test("a language without an English name has the name of its voice", () => {
  expect(listLanguages([voice("xex", "xextan-test")], ANY_STT)).toEqual([
    { code: "xex", name: "xextan-test", voices: 1, ...SERVED },
  ]);
});

test("a voice is listed under its language and its region, not under its dialect", () => {
  expect(languageCodes("es-419")).toEqual(["es", "es-419"]);
  expect(languageCodes("ca-valencia")).toEqual(["ca"]);
});

test.each([
  ["de", "de"],
  ["DE-at", "de-AT"],
  ["deu", "de"],
  ["cmn-Hans-CN", "zh-CN"],
  ["en-GB-x-rp", "en-GB"],
  ["es-419", "es-419"],
  ["und", undefined],
  ["mul", undefined],
  ["english", undefined],
  ["German, I think", undefined],
  ["en_US", undefined],
  ["en-x", undefined],
  ["", undefined],
  [`en${"-abcdefgh".repeat(1_000)}`, undefined],
])("a provider's tag %j is %j", (tag, code) => {
  expect(languageCode(tag)).toBe(code);
});

test("each tag is parsed only once, because every created call needs the languages of all voices", () => {
  const parsed = vi.spyOn(Intl.Locale.prototype, "language", "get");
  const voices = [voice("fr-CA"), voice("fr-CA", "Berthe"), voice("fr-CH")];
  const first = listLanguages(voices, ANY_STT);
  expect(listLanguages(voices, ANY_STT)).toEqual(first);
  expect(parsed).toHaveBeenCalledTimes(2);
  parsed.mockRestore();
});

test.each([
  ["en-us-nyc", "en-US-x-nyc"],
  ["chr-US-Qaaa-x-west", "chr-US"],
  ["cmn-latn-pinyin", "zh-Latn-pinyin"],
  ["piqd", "tlh"],
  ["ru-cl", "ru-x-classic"],
  ["pt-br", "pt-BR"],
])("eSpeak's %s is %s in BCP 47", (language, tag) => {
  expect(voiceOf("espeak", { identifier: "a/b", name: "B", language })).toEqual({
    id: "espeak/a/b",
    name: "B",
    language: tag,
    provider: "espeak",
  });
});
