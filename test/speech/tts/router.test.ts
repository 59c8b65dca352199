import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { VOICE_CHOICE_MS_MAX } from "../../../src/core/limits/tts.ts";
import type { ClosableTts, TtsRequest, Voice } from "../../../src/speech/contracts.ts";
import { TtsRouter } from "../../../src/speech/tts/router.ts";
import { ManualClock, settled, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

/** A provider that says who spoke by the rate of what it says. */
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

const severalOf = (all: readonly ClosableTts[], clock = new ManualClock()): TtsRouter => {
  return new TtsRouter(
    all.map((tts) => ({ tts, circuitBreaker: breakerFor("tts", tts.provider, clock).circuitBreaker })),
    clock,
  );
};

const request = (voiceId: string): TtsRequest => ({ text: "Hi.", voiceId, language: "en", rateHz: 8_000 });

test("a voice's id tells who speaks with it; what begins with nobody's name is for the first", async () => {
  const [a, b] = [provider("a", 1), provider("ab", 2)];
  const several = severalOf([a.tts, b.tts]);
  expect([several.provider, several.capabilities]).toEqual(["a", { wordTimes: true }]);
  for (const [voiceId, rateHz, name] of [
    ["a/one", 1, "a"],
    ["ab/one", 2, "ab"],
    ["abc/one", 1, "a"],
    ["one", 1, "a"],
  ] as const) {
    expect(several.forVoice(voiceId).provider).toBe(name);
    for await (const chunk of several.speak(request(voiceId), new AbortController().signal)) {
      expect(chunk.rateHz).toBe(rateHz);
    }
  }
  expect(b.spoken).toEqual([request("ab/one")]);
});

test("the voices of all are listed, in order, without those who cannot tell theirs", async () => {
  const all = [provider("a", 1).tts, provider("b", 1, true).tts, provider("c", 1).tts];
  expect((await severalOf(all).voices()).map(({ id }) => id)).toEqual(["a/one", "c/one"]);
});

test("where nobody can tell his voices it is an error, the first one's", async () => {
  const all = [provider("a", 1, true).tts, provider("b", 1, true).tts];
  await expect(severalOf(all).voices()).rejects.toThrow("a: no list");
});

test("a provider that hangs holds up nobody: the voices of the others are told without his, which are known to be missing", async () => {
  const clock = new ManualClock();
  const [a, b] = [provider("a", 1).tts, provider("b", 1).tts];
  let answer: (voices: readonly Voice[]) => void = () => {};
  b.voices = () => new Promise((resolve) => (answer = resolve));
  const several = severalOf([a, b], clock);
  expect(several.unlistedProviders()).toEqual(["a", "b"]);
  const listed = several.voices();
  await clock.play(VOICE_CHOICE_MS_MAX);
  expect((await listed).map(({ id }) => id)).toEqual(["a/one"]);
  expect(several.unlistedProviders()).toEqual(["b"]);
  answer([]);
  await settled();
  expect(several.unlistedProviders()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a provider that is the only one is waited for", async () => {
  const clock = new ManualClock();
  const { tts } = provider("a", 1);
  const { voices } = tts;
  tts.voices = async () => {
    await sleep(clock, 2 * VOICE_CHOICE_MS_MAX, new AbortController().signal);
    return voices();
  };
  const listed = severalOf([tts], clock).voices();
  await clock.play(2 * VOICE_CHOICE_MS_MAX);
  expect(await listed).toHaveLength(1);
});

test("closing closes all", () => {
  const all = [provider("a", 1).tts, provider("b", 1).tts];
  severalOf(all).close();
  expect(all.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});
