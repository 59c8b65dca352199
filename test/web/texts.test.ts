import { expect, test } from "vitest";
import { TEXTS, textsFor } from "../../web/widget/texts/languages.ts";

test("the widget speaks more than 15 languages, each with texts of its own that are not empty", () => {
  const { no: _, ...languages } = TEXTS;
  expect(Object.keys(languages).length).toBeGreaterThan(20);
  const { en, ...others } = languages;
  for (const [code, texts] of Object.entries(others)) {
    expect([code, Object.keys(texts)]).toEqual([code, Object.keys(en ?? {})]);
    for (const [key, text] of Object.entries(texts)) {
      expect([code, key, text.trim() === text && text.length > 0]).toEqual([code, key, true]);
      // A word may be the same; a sentence is not.
      if (text.includes(". ")) expect([code, key, text]).not.toEqual([code, key, en?.[key as keyof typeof texts]]);
    }
  }
});

test("the first language that there are texts in is taken, whatever its region", () => {
  expect(textsFor(["de-AT"])).toMatchObject({ language: "de", direction: "ltr" });
  expect(textsFor(["xx", null, "pt_BR"]).language).toBe("pt");
  expect(textsFor(["AR"])).toMatchObject({ language: "ar", direction: "rtl" });
  expect(textsFor(["no"]).texts).toBe(TEXTS.nb);
  for (const unknown of [[], [""], ["constructor"], [undefined]]) expect(textsFor(unknown).language).toBe("en");
});
