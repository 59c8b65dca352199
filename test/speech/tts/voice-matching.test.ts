import { describe, expect, test } from "vitest";
import type { Voice } from "../../../src/speech/contracts.ts";
import { chooseVoice } from "../../../src/speech/tts/voice-matching.ts";

const voice = (language: string, name = language, provider = "x"): Voice => ({
  id: `${provider}/${language}/${name}`,
  name,
  language,
  provider,
});

/** As eSpeak has them, and in its order, which must not matter. */
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
  voice("de", "stranger", "y"),
  voice("sv", "stranger", "y"),
];
const OWN = voice("en-GB");
const chosen = (language: string, own = OWN.id): string | undefined => chooseVoice(VOICES, own, language)?.id;

describe("the voice for a language", () => {
  test.each([
    ["pt-BR", "x/pt-BR/pt-BR", "the very region"],
    ["es-MX", "x/es/es", "else that of no region"],
    ["de-AT", "x/de/de", "else that of no region"],
    ["fr", "x/fr-FR/fr-FR", "else that of the region where most speak it"],
    ["fr-CA", "x/fr-FR/fr-FR", "else that of the region where most speak it"],
    ["zh", "x/zh/zh", "among equals the plainest"],
    ["en-US", "x/en-GB/en-GB", "the call's own, if that speaks the language"],
    ["en", "x/en-GB/en-GB", "the call's own, if that speaks the language"],
  ])("of %s is %s: %s", (language, id) => {
    expect(chosen(language)).toBe(id);
  });

  test("of a call of another language is not the dialect of a city", () => {
    expect(chosen("en", "x/de/de")).toBe("x/en-US/en-US");
    expect(chosen("en-US", "x/de/de")).toBe("x/en-US/en-US");
  });

  test("is one that is called as the call's own, where a provider's voices speak several", () => {
    const voices = ["Ada", "Ben", "Cleo"].flatMap((name) => [voice("en-US", name), voice("de-DE", name)]);
    for (const name of ["Ada", "Ben", "Cleo"]) {
      expect(chooseVoice(voices, `x/en-US/${name}`, "de")?.id).toBe(`x/de-DE/${name}`);
    }
  });

  test("is of the same provider, and none where that has none", () => {
    expect(chosen("sv")).toBeUndefined();
    expect(chosen("de", "y/sv/stranger")).toBe("y/de/stranger");
  });

  test("is one that speaks the language as well where none is offered in it, its own before any other", () => {
    const able = (name: string): Voice => ({ ...voice("en-US", name), alsoSpeaks: ["sv", "de"] });
    const voices = [voice("en-US", "Ada"), able("Ben"), able("Cleo"), voice("de-DE", "Dora")];
    expect(chooseVoice(voices, "x/en-US/Ada", "sv-FI")?.id).toBe("x/en-US/Ben");
    expect(chooseVoice(voices, "x/en-US/Cleo", "sv")?.id).toBe("x/en-US/Cleo");
    expect(chooseVoice(voices, "x/en-US/Cleo", "de")?.id).toBe("x/de-DE/Dora");
    expect(chooseVoice(voices, "x/en-US/Ada", "fr")).toBeUndefined();
  });

  test("of an own voice that is not listed any more is any provider's", () => {
    expect(chosen("sv", "gone")).toBe("y/sv/stranger");
  });

  test.each(["xx", "", "nonsense", "en us"])("there is none for %j", (language) => {
    expect(chosen(language)).toBeUndefined();
  });

  test("is the same, in whatever order the voices are listed", () => {
    const languages = ["en", "en-US", "de", "fr", "fr-CA", "pt", "pt-BR", "es-MX", "zh"];
    const all = languages.map((language) => chosen(language, "x/de/de"));
    for (let turn = 1; turn < VOICES.length; turn += 1) {
      const turned = [...VOICES.slice(turn), ...VOICES.slice(0, turn)];
      expect(languages.map((language) => chooseVoice(turned, "x/de/de", language)?.id)).toEqual(all);
    }
  });
});
