import { afterEach, describe, expect, test } from "vitest";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { createEspeak } from "../../../src/speech/tts/providers/espeak/adapter.ts";
import { ANY_STT } from "../../support/api/any-stt.ts";
import { type ApiUnderTest, apiUnderTest, errorOf, pathsOf, VOICES } from "../../support/api/harness.ts";

const MANY: readonly Voice[] = [
  ...VOICES,
  { id: "fake/en-rp", name: "Dora", language: "en-GB-x-rp", provider: "fake" },
  { id: "fake/en", name: "Emil", language: "en", provider: "fake" },
  { id: "other/en", name: "Fay", language: "en", provider: "other" },
  { id: "other/zh", name: "Gu", language: "zh-Latn-pinyin", provider: "other" },
];

const SERVED = { stt: ["reference"], tts: ["fake"] };

let api: ApiUnderTest;
afterEach(() => api.close());

test("voices and languages are listed as the provider reports them, on one page", async () => {
  api = await apiUnderTest();
  expect((await api.get("/api/v1/voices")).body).toEqual({ data: VOICES, nextCursor: null });
  expect((await api.get("/api/v1/languages")).body).toEqual({
    data: [
      { id: "de", code: "de", name: "German", voices: 2, ...SERVED },
      { id: "en", code: "en", name: "English", voices: 2, ...SERVED },
      { id: "en-GB", code: "en-GB", name: "British English", voices: 1, ...SERVED },
      { id: "en-US", code: "en-US", name: "American English", voices: 1, ...SERVED },
    ],
    nextCursor: null,
  });
});

test("a language is listed where a voice speaks it and an STT transcribes it, with the providers of both", async () => {
  const stt = (language: string) =>
    ({ en: ["cloud", "local"], "en-GB": ["cloud", "local"], zh: ["cloud"] })[language] ?? [];
  api = await apiUnderTest(catalogueOf({ voices: async () => MANY }, stt));
  expect((await api.get("/api/v1/languages")).body).toMatchObject({
    data: [
      { code: "en", voices: 5, stt: ["cloud", "local"], tts: ["fake", "other"] },
      { code: "en-GB", voices: 2, stt: ["cloud", "local"], tts: ["fake"] },
      { code: "zh", voices: 1, stt: ["cloud"], tts: ["other"] },
    ],
  });
});

test("a voice is listed only in its own language, not in others that it could speak", async () => {
  const [voice] = VOICES as [Voice];
  api = await apiUnderTest(catalogueOf({ voices: async () => [{ ...voice, alsoSpeaks: ["sv"] }] }, ANY_STT));
  expect((await api.get("/api/v1/voices")).body).toEqual({ data: [voice], nextCursor: null });
  expect((await api.get("/api/v1/voices?language=sv")).body).toEqual({ data: [], nextCursor: null });
});

describe("filters", () => {
  const english = ["fake/en-us", "fake/en-gb", "fake/en-rp", "fake/en", "other/en"];
  test.each([
    ["language=en", english],
    ["language=EN", english],
    ["language=en-GB", ["fake/en-gb", "fake/en-rp"]],
    ["language=EN-gb", ["fake/en-gb", "fake/en-rp"]],
    ["language=en-gb-x-rp", ["fake/en-rp"]],
    ["language=zh", ["other/zh"]],
    ["language=e", []],
    ["language=eng", []],
    ["language=en-", []],
    ["language=en_GB", []],
    ["language=xx", []],
    ["language=", []],
    ["language=%25", []],
    ["provider=other", ["other/en", "other/zh"]],
    ["provider=Other", []],
    ["provider=", []],
    ["provider=toString", []],
    ["language=en&provider=other", ["other/en"]],
    ["language=de&provider=other", []],
  ])("GET /voices?%s", async (query, ids) => {
    api = await apiUnderTest(catalogueOf({ voices: async () => MANY }, ANY_STT));
    const answer = await api.get(`/api/v1/voices?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: MANY.filter(({ id }) => ids.includes(id)), nextCursor: null });
  });

  test.each([
    ["language=en", { en: 5, "en-GB": 2, "en-US": 1 }],
    ["language=EN-us", { "en-US": 1 }],
    ["language=en-gb-x-rp", {}],
    ["language=xx", {}],
    ["provider=other", { en: 1, zh: 1 }],
    ["language=en&provider=other", { en: 1 }],
    ["provider=unknown", {}],
  ])("GET /languages?%s", async (query, counts) => {
    api = await apiUnderTest(catalogueOf({ voices: async () => MANY }, ANY_STT));
    const { data } = (await api.get(`/api/v1/languages?${query}`)).body as { data: { id: string; voices: number }[] };
    expect(Object.fromEntries(data.map(({ id, voices }) => [id, voices]))).toEqual(counts);
  });

  test("an unknown or repeated parameter is 400 and named", async () => {
    api = await apiUnderTest();
    for (const path of ["/api/v1/voices", "/api/v1/languages"]) {
      const unknown = await api.get(`${path}?lang=en&page=5`);
      expect([unknown.status, errorOf(unknown).code, pathsOf(unknown)]).toEqual([
        400,
        "invalid_request",
        ["/lang", "/page"],
      ]);
      expect(pathsOf(await api.get(`${path}?language=en&language=de&provider=a&provider=b`))).toEqual([
        "/language",
        "/provider",
      ]);
    }
  });
});

test("ids are the same in the same order after a restart, and each is one voice's", async () => {
  const listed: unknown[] = [];
  for (let start = 0; start < 2; start++) {
    // Each has a process of its own, which finds the voices again.
    const tts = createEspeak({ children: 1, clock: systemClock });
    api = await apiUnderTest(catalogueOf(tts, ANY_STT));
    const [voices, languages] = [await api.get("/api/v1/voices"), await api.get("/api/v1/languages")];
    listed.push({ voices: voices.body, languages: languages.body });
    for (const { body } of [voices, languages]) {
      const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(100);
      expect(new Set(ids).size).toBe(ids.length);
    }
    tts.close();
    if (start === 0) await api.close();
  }
  expect(listed[0]).toEqual(listed[1]);
});
