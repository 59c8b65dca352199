import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { VOICE_CHOICE_MS_MAX } from "../../../src/core/limits/speech-providers/tts.ts";
import type { ClosableTts, TtsRequest, Voice } from "../../../src/speech/contracts.ts";
import { TtsRouter } from "../../../src/speech/tts/router.ts";
import { ManualClock, settled, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

/** A provider that is recognised by the rate of its audio. */
function provider(name: string, rateHz: number, fails = false) {
  const spoken: TtsRequest[] = [];
  const tts: ClosableTts & { isClosed: boolean } = {
    provider: name,
    capabilities: { wordTimestamps: rateHz === 1 },
    isClosed: false,
    voices: async () => {
      if (fails) throw providerFailed(name, "no list");
      return [{ id: `${name}/one`, name: "One", language: "en", provider: name }];
    },
    async *speak(request) {
      spoken.push(request);
      yield { samples: new Int16Array(1), rateHz, words: [] };
    },
    close: () => {
      tts.isClosed = true;
    },
  };
  return { tts, spoken };
}

const routerOf = (all: readonly ClosableTts[], clock = new ManualClock()): TtsRouter => {
  return new TtsRouter(
    all.map((tts) => ({ tts, circuitBreaker: breakerFor("tts", tts.provider, clock).circuitBreaker })),
    clock,
  );
};

const request = (voiceId: string): TtsRequest => ({ text: "Hi.", voiceId, language: "en", rateHz: 8_000 });

test("a voice's id names its provider, and an id without a provider goes to the first one", async () => {
  const [a, b] = [provider("a", 1), provider("ab", 2)];
  const router = routerOf([a.tts, b.tts]);
  expect([router.provider, router.forVoice("one").capabilities]).toEqual(["a", { wordTimestamps: true }]);
  for (const [voiceId, rateHz, name] of [
    ["a/one", 1, "a"],
    ["ab/one", 2, "ab"],
    ["abc/one", 1, "a"],
    ["one", 1, "a"],
  ] as const) {
    expect(router.forVoice(voiceId).provider).toBe(name);
    for await (const chunk of router.forVoice(voiceId).speak(request(voiceId), new AbortController().signal)) {
      expect(chunk.rateHz).toBe(rateHz);
    }
  }
  expect(b.spoken).toEqual([request("ab/one")]);
});

test("the voices of all providers are listed in order, without providers that fail to list theirs", async () => {
  const all = [provider("a", 1).tts, provider("b", 1, true).tts, provider("c", 1).tts];
  expect((await routerOf(all).voices()).map(({ id }) => id)).toEqual(["a/one", "c/one"]);
});

test("if no provider lists its voices, the error is the first one's", async () => {
  const all = [provider("a", 1, true).tts, provider("b", 1, true).tts];
  await expect(routerOf(all).voices()).rejects.toThrow("a: no list");
});

test("a provider that hangs does not delay the list, and is reported as unlisted", async () => {
  const clock = new ManualClock();
  const [a, b] = [provider("a", 1).tts, provider("b", 1).tts];
  let answer: (voices: readonly Voice[]) => void = () => {};
  b.voices = () => new Promise((resolve) => (answer = resolve));
  const router = routerOf([a, b], clock);
  expect(router.unlistedProviders()).toEqual(["a", "b"]);
  const listed = router.voices();
  await clock.play(VOICE_CHOICE_MS_MAX);
  expect((await listed).map(({ id }) => id)).toEqual(["a/one"]);
  expect(router.unlistedProviders()).toEqual(["b"]);
  answer([]);
  await settled();
  expect(router.unlistedProviders()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a single provider is waited for", async () => {
  const clock = new ManualClock();
  const { tts } = provider("a", 1);
  const { voices } = tts;
  tts.voices = async () => {
    await sleep(clock, 2 * VOICE_CHOICE_MS_MAX, new AbortController().signal);
    return voices();
  };
  const listed = routerOf([tts], clock).voices();
  await clock.play(2 * VOICE_CHOICE_MS_MAX);
  expect(await listed).toHaveLength(1);
});

test("close closes all providers", () => {
  const all = [provider("a", 1).tts, provider("b", 1).tts];
  routerOf(all).close();
  expect(all.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
