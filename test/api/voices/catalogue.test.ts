import { expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";

const VOICES: readonly Voice[] = [
  { id: "one/en-us", name: "Ann", language: "en-US", provider: "one" },
  { id: "two/en-gb", name: "Ben", language: "en-GB", provider: "two" },
  { id: "two/de", name: "Eva", language: "de", provider: "two" },
];
const catalogue = catalogueOf({ voices: async () => VOICES, unlistedProviders: () => ["three"] }, ANY_STT);

test("a bare language includes its regions, in any case, and both filters must match", async () => {
  const idsOf = async (query: { language?: string; provider?: string }) =>
    (await catalogue.voices(query)).map(({ id }) => id);
  expect(await idsOf({})).toEqual(["one/en-us", "two/en-gb", "two/de"]);
  expect(await idsOf({ language: "EN" })).toEqual(["one/en-us", "two/en-gb"]);
  expect(await idsOf({ language: "en-gb" })).toEqual(["two/en-gb"]);
  expect(await idsOf({ language: "en", provider: "two" })).toEqual(["two/en-gb"]);
  expect(await idsOf({ language: "e" })).toEqual([]);
});

test("a language counts the voices of the requested provider only", async () => {
  const countsOf = async (provider?: string) =>
    Object.fromEntries(
      (await catalogue.languages({ language: "en", provider })).map(({ code, voices }) => [code, voices]),
    );
  expect(await countsOf()).toEqual({ en: 2, "en-GB": 1, "en-US": 1 });
  expect(await countsOf("two")).toEqual({ en: 1, "en-GB": 1 });
});

test("providers that have not listed their voices are those of the TTS, and none where it does not say", () => {
  expect(catalogue.unlistedProviders()).toEqual(["three"]);
  expect(catalogueOf({ voices: async () => [] }, ANY_STT).unlistedProviders()).toEqual([]);
});
