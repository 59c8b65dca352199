// @module-tag tts

import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import {
  VOICE_LIST_FRESH_MS,
  VOICE_LIST_MS_MAX,
  VOICE_LIST_RETRY_MS,
} from "../../../src/core/limits/speech-providers/tts.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { CachedVoiceList } from "../../../src/speech/tts/voice-list.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";

const voice = (id: string): Voice => ({ id: `x/${id}`, name: id, language: "en", provider: "x" });

/** A list whose provider gives `responses` in turn: voices, an error, or no response at all. */
function scene(...responses: readonly (readonly Voice[] | Error | "silent")[]) {
  const clock = new ManualClock();
  const requests: AbortSignal[] = [];
  const list = new CachedVoiceList("x", clock, async (signal) => {
    const response = responses[requests.push(signal) - 1];
    if (response instanceof Error) throw response;
    if (response === "silent" || response === undefined) {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    }
    return response;
  });
  return { clock, list, requests };
}

test("concurrent requests share one fetch, duplicate voices are removed, and the list is used until it expires", async () => {
  const { clock, list, requests } = scene([voice("a"), voice("b"), voice("a")], [voice("c")]);
  const [first, second] = await Promise.all([list.voices(), list.voices()]);
  expect(first.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(second).toBe(first);
  await clock.play(VOICE_LIST_FRESH_MS - 1);
  expect(await list.voices()).toBe(first);
  expect(requests).toHaveLength(1);
});

test("an expired list stays in use while a new one is fetched, and if the fetch fails", async () => {
  const { clock, list, requests } = scene([voice("a")], providerFailed("x", "no"), [voice("b")]);
  const old = await list.voices();
  await clock.play(VOICE_LIST_FRESH_MS);
  expect(await list.voices()).toBe(old);
  await settled();
  expect(await list.voices()).toBe(old);
  expect(requests).toHaveLength(2);
  await clock.play(VOICE_LIST_RETRY_MS);
  expect(await list.voices()).toBe(old);
  await settled();
  expect((await list.voices()).map(({ name }) => name)).toEqual(["b"]);
});

test("P15: after a failure the list is not fetched for a while, however often it is requested", async () => {
  const { clock, list, requests } = scene(providerFailed("x", "refused with 401"), [voice("a")]);
  for (let time = 0; time < 50; time += 1) await expect(list.voices()).rejects.toThrow("refused with 401");
  expect(requests).toHaveLength(1);
  await clock.play(VOICE_LIST_RETRY_MS);
  expect(await list.voices()).toHaveLength(1);
});

test("P2: a provider that never responds times out", async () => {
  const { clock, list, requests } = scene("silent");
  const voices = list.voices();
  const failed = expect(voices).rejects.toThrow("x: did not list its voices in time");
  await clock.play(VOICE_LIST_MS_MAX);
  await failed;
  expect(requests[0]?.aborted).toBe(true);
  expect(clock.pending).toBe(0);
});

test("P5: if a list fails after some pages, these pages are used until there is a complete list", async () => {
  const clock = new ManualClock();
  let requests = 0;
  const list = new CachedVoiceList("x", clock, async (_signal, soFar) => {
    requests += 1;
    soFar([voice("a"), voice("b")]);
    if (requests !== 2) throw providerFailed("x", "refused with 500");
    return [voice("a"), voice("b"), voice("c")];
  });
  const names = async () => (await list.voices()).map(({ name }) => name);
  expect([await names(), await names(), requests]).toEqual([["a", "b"], ["a", "b"], 1]);
  await clock.play(VOICE_LIST_RETRY_MS);
  await names();
  expect([await names(), requests]).toEqual([["a", "b", "c"], 2]);
  await clock.play(VOICE_LIST_FRESH_MS);
  await names();
  expect([await names(), requests]).toEqual([["a", "b", "c"], 3]);
});

test("close aborts the fetch and prevents further ones", async () => {
  const { clock, list, requests } = scene("silent");
  const failed = expect(list.voices()).rejects.toThrow();
  list.close();
  await failed;
  await clock.play(VOICE_LIST_RETRY_MS);
  await expect(list.voices()).rejects.toThrow();
  expect(requests).toHaveLength(1);
});
