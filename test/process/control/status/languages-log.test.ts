import { expect, test } from "vitest";
import { catalogueOf } from "../../../../src/api/voices/catalogue.ts";
import { CATALOGUE } from "../../../../src/cli/models/catalogue.ts";
import { logLanguages } from "../../../../src/process/control/status/languages-log.ts";
import type { TtsPool } from "../../../../src/speech/contracts.ts";
import { ANY_STT } from "../../../support/api/any-stt.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const voicesOf = (languages: readonly string[]): Pick<TtsPool, "voices"> => ({
  voices: async () => languages.map((language) => ({ id: `x/${language}`, name: language, language, provider: "x" })),
});
const TWO_LETTERS = [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => `q${letter}`);

/** The line about `languages`, of which the STT transcribes those that `sttServing` names. */
async function lineOf(tts: Pick<TtsPool, "voices">, sttServing: (language: string) => readonly string[] = ANY_STT) {
  const { log, lines } = memoryLog();
  await logLanguages(catalogueOf(tts, sttServing), "local", log);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
}

test("few languages are named without their regions, with the one key or command that makes them more than 50", async () => {
  const onlyEnglish = (language: string) => (language.startsWith("en") ? ["local"] : []);
  const line = await lineOf(voicesOf(["en-US", "en-GB", "de"]), onlyEnglish);
  expect(line).toMatchObject({
    msg: "languages of calls listed",
    stt: "local",
    count: 1,
    languages: ["en"],
    more: expect.stringMatching(/STT=deepgram,local with DEEPGRAM_API_KEY, or run npm run models -- add /),
  });
  const [, model] = / models -- add (\S+)/.exec(String(line.more)) ?? [];
  expect(CATALOGUE.map(({ name }) => name)).toContain(model);
});

test("fifty languages are counted, and nothing is advised", async () => {
  const fifty = [...TWO_LETTERS, ...TWO_LETTERS.map((code) => `${code}a`)].slice(0, 50);
  const line = await lineOf(voicesOf(fifty));
  expect(line).toMatchObject({ count: 50 });
  expect(line).not.toHaveProperty("languages");
  expect(line).not.toHaveProperty("more");
});

test("voices that cannot be listed give a warning", async () => {
  expect(await lineOf({ voices: () => Promise.reject(new Error("canary")) })).toMatchObject({
    msg: "voices could not be listed",
  });
});
