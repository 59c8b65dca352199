import { describe, expect, test } from "vitest";
import type { Voice } from "../../../src/speech/contracts.ts";
import { chooseVoice } from "../../../src/speech/tts/voice-matching.ts";

const voice = (language: string, name = language, provider = "x"): Voice => ({
  id: `${provider}/${language}/${name}`,
  name,
  language,
  provider,
});

/** Some of eSpeak's voices, in its order, which must not matter. */
const VOICES = [
  voice("fr-CH"),
  voice("fr-BE"),
  voice("fr-FR"),
  voice("en-029"),
  voice("en-US-x-nyc"),
  voice("en-GB"),
  voice("en-US"),
  voice("pt"),
  voice("pt-BR"),
  voice("es-419"),
  voice("es"),
  voice("de"),
  voice("zh-Latn-pinyin"),
  voice("zh"),
  voice("de", "other", "y"),
  voice("sv", "other", "y"),
];
const OWN = voice("en-GB");
const chosen = (language: string, own = OWN.id): string | undefined => chooseVoice(VOICES, own, language)?.id;

describe("the voice for a language", () => {
  test.each([
    ["pt-BR", "x/pt-BR/pt-BR", "the exact region"],
    ["es-MX", "x/es/es", "else the one without a region"],
    ["de-AT", "x/de/de", "else the one without a region"],
    ["fr", "x/fr-FR/fr-FR", "else the one of the region with most speakers"],
    ["fr-CA", "x/fr-FR/fr-FR", "else the one of the region with most speakers"],
    ["zh", "x/zh/zh", "among equals the one with the shortest tag"],
    ["en-US", "x/en-GB/en-GB", "the call's own, if that speaks the language"],
    ["en", "x/en-GB/en-GB", "the call's own, if that speaks the language"],
  ])("of %s is %s: %s", (language, id) => {
    expect(chosen(language)).toBe(id);
  });

  test("of a call in another language is not the dialect of a city", () => {
    expect(chosen("en", "x/de/de")).toBe("x/en-US/en-US");
    expect(chosen("en-US", "x/de/de")).toBe("x/en-US/en-US");
  });

  test("has the same name as the call's own, if a provider has the name in several languages", () => {
    const voices = ["Ada", "Ben", "Cleo"].flatMap((name) => [voice("en-US", name), voice("de-DE", name)]);
    for (const name of ["Ada", "Ben", "Cleo"]) {
      expect(chooseVoice(voices, `x/en-US/${name}`, "de")?.id).toBe(`x/de-DE/${name}`);
    }
  });

  test("is of the same provider; there is none if that provider has none", () => {
    expect(chosen("sv")).toBeUndefined();
    expect(chosen("de", "y/sv/other")).toBe("y/de/other");
  });

  test("is one that also speaks the language if none is offered in it, the call's own first", () => {
    const able = (name: string): Voice => ({ ...voice("en-US", name), alsoSpeaks: ["sv", "de"] });
    const voices = [voice("en-US", "Ada"), able("Ben"), able("Cleo"), voice("de-DE", "Dora")];
    expect(chooseVoice(voices, "x/en-US/Ada", "sv-FI")?.id).toBe("x/en-US/Ben");
    expect(chooseVoice(voices, "x/en-US/Cleo", "sv")?.id).toBe("x/en-US/Cleo");
    expect(chooseVoice(voices, "x/en-US/Cleo", "de")?.id).toBe("x/de-DE/Dora");
    expect(chooseVoice(voices, "x/en-US/Ada", "fr")).toBeUndefined();
  });

  test("may be any provider's if the call's own voice is not listed any more", () => {
    expect(chosen("sv", "gone")).toBe("y/sv/other");
  });

  test.each(["xx", "", "nonsense", "en us"])("there is none for %j", (language) => {
    expect(chosen(language)).toBeUndefined();
  });

  test("does not depend on the order of the list", () => {
    const languages = ["en", "en-US", "de", "fr", "fr-CA", "pt", "pt-BR", "es-MX", "zh"];
    const all = languages.map((language) => chosen(language, "x/de/de"));
    for (let turn = 1; turn < VOICES.length; turn += 1) {
      const rotated = [...VOICES.slice(turn), ...VOICES.slice(0, turn)];
      expect(languages.map((language) => chooseVoice(rotated, "x/de/de", language)?.id)).toEqual(all);
    }
  });
});
