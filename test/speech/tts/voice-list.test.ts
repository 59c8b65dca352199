import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { VOICE_LIST_FRESH_MS, VOICE_LIST_MS_MAX, VOICE_LIST_RETRY_MS } from "../../../src/core/limits/tts.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { CachedVoiceList } from "../../../src/speech/tts/voice-list.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";

const voice = (id: string): Voice => ({ id: `x/${id}`, name: id, language: "en", provider: "x" });

/** A list whose provider gives `answers` in turn: voices, an error, or nothing at all. */
function scene(...answers: readonly (readonly Voice[] | Error | "silent")[]) {
  const clock = new ManualClock();
  const asked: AbortSignal[] = [];
  const list = new CachedVoiceList("x", clock, async (signal) => {
    const answer = answers[asked.push(signal) - 1];
    if (answer instanceof Error) throw answer;
    if (answer === "silent" || answer === undefined) {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    }
    return answer;
  });
  return { clock, list, asked };
}

test("a list is fetched once for all who ask, each voice is in it once, and it is used until it is old", async () => {
  const { clock, list, asked } = scene([voice("a"), voice("b"), voice("a")], [voice("c")]);
  const [first, second] = await Promise.all([list.voices(), list.voices()]);
  expect(first.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(second).toBe(first);
  await clock.play(VOICE_LIST_FRESH_MS - 1);
  expect(await list.voices()).toBe(first);
  expect(asked).toHaveLength(1);
});

test("an old list is used on while a new one is fetched, and where none can be", async () => {
  const { clock, list, asked } = scene([voice("a")], providerFailed("x", "no"), [voice("b")]);
  const old = await list.voices();
  await clock.play(VOICE_LIST_FRESH_MS);
  expect(await list.voices()).toBe(old);
  await settled();
  expect(await list.voices()).toBe(old);
  expect(asked).toHaveLength(2);
  await clock.play(VOICE_LIST_RETRY_MS);
  expect(await list.voices()).toBe(old);
  await settled();
  expect((await list.voices()).map(({ name }) => name)).toEqual(["b"]);
});

test("P15: a provider that fails is left alone for a while, however often it is asked for", async () => {
  const { clock, list, asked } = scene(providerFailed("x", "refused with 401"), [voice("a")]);
  for (let time = 0; time < 50; time += 1) await expect(list.voices()).rejects.toThrow("refused with 401");
  expect(asked).toHaveLength(1);
  await clock.play(VOICE_LIST_RETRY_MS);
  expect(await list.voices()).toHaveLength(1);
});

test("P2: a provider that never answers is waited for so long and no longer", async () => {
  const { clock, list, asked } = scene("silent");
  const voices = list.voices();
  const failed = expect(voices).rejects.toThrow("x: did not list its voices in time");
  await clock.play(VOICE_LIST_MS_MAX);
  await failed;
  expect(asked[0]?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test("P5: of a list that breaks off, the pages that were read are used until there is a whole one", async () => {
  const clock = new ManualClock();
  let asked = 0;
  const list = new CachedVoiceList("x", clock, async (_signal, soFar) => {
    asked += 1;
    soFar([voice("a"), voice("b")]);
    if (asked !== 2) throw providerFailed("x", "refused with 500");
    return [voice("a"), voice("b"), voice("c")];
  });
  const names = async () => (await list.voices()).map(({ name }) => name);
  expect([await names(), await names(), asked]).toEqual([["a", "b"], ["a", "b"], 1]);
  await clock.play(VOICE_LIST_RETRY_MS);
  await names();
  expect([await names(), asked]).toEqual([["a", "b", "c"], 2]);
  await clock.play(VOICE_LIST_FRESH_MS);
  await names();
  expect([await names(), asked]).toEqual([["a", "b", "c"], 3]);
});

test("a closed list ends what it fetches and fetches nothing more", async () => {
  const { clock, list, asked } = scene("silent");
  const failed = expect(list.voices()).rejects.toThrow();
  list.close();
  await failed;
  await clock.play(VOICE_LIST_RETRY_MS);
  await expect(list.voices()).rejects.toThrow();
  expect(asked).toHaveLength(1);
});
