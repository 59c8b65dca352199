import { expect, test } from "vitest";
import {
  isOfOtherLanguage,
  matchingVoices,
  sampleLanguage,
  sampleText,
} from "../../../../web/dashboard/pages/agent/model/voices.ts";

const voice = (id: string, language: string, name = id) => ({ id, name, language, provider: id.split("/")[0] ?? "" });
const [gb, us, de] = [voice("a/gb", "en-GB"), voice("b/us", "en-US", "Sarah"), voice("a/de", "de-DE")];
const all = [gb, us, de];

test("voices of the same language are shown, those of its region first, and found by name and provider", () => {
  expect(matchingVoices(all, { language: "en-US", text: "" })).toEqual([us, gb]);
  expect(matchingVoices(all, { language: "en", provider: "a", text: "" })).toEqual([gb]);
  expect(matchingVoices(all, { text: " SARAH" })).toEqual([us]);
  expect(matchingVoices(all, { text: "a/" })).toEqual([gb, de]);
});

test("a voice is heard in a language that calls can have: its own, another region of it, or the agent's", () => {
  const languages = [{ code: "en-US" }, { code: "de" }];
  expect(sampleLanguage(us, languages, "de")).toBe("en-US");
  expect(sampleLanguage(gb, languages, "de")).toBe("en-US");
  expect(sampleLanguage(de, languages, "en-US")).toBe("de");
  expect(sampleLanguage(voice("a/fi", "fi"), languages, "en-US")).toBe("en-US");
  expect([isOfOtherLanguage(gb, "en-US"), isOfOtherLanguage(de, "en-US")]).toEqual([false, true]);
});

test("it says a sentence of its language, or digits", () => {
  expect(sampleText("de-AT")).toContain("Guten Tag");
  expect(sampleText("fi")).toBe("1, 2, 3, 4, 5, 6, 7.");
});
