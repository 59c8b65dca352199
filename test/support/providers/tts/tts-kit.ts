import { expect, onTestFinished } from "vitest";
import type { Clock } from "../../../../src/core/clock.ts";
import type { ClosableTts, TtsChunk, TtsRequest } from "../../../../src/speech/contracts.ts";
import { ManualClock } from "../../manual-clock.ts";
import { fakeSpeech } from "./fake-speech.ts";
import type { TtsServer, TtsServerOptions } from "./tts-server.ts";

// What the tests of all TTS adapters share: an adapter against the fake of its server, and what it speaks.

/** The adapter's API key, which no error may quote. */
export const TTS_KEY = "canary-key";
/** What it speaks, unless a test says otherwise. */
export const TTS_TEXT = "Hello there, my friend. How are you today?";

interface TtsKitOptions<Fake extends TtsServerOptions, Server extends TtsServer, Settings> {
  voiceId: string;
  /** The fake of its server, with these faults and features; the kit makes it listen. */
  server: (fake: Fake | TtsServerOptions) => Server;
  create: (base: { apiKey: string; url: string; clock: Clock }, settings: Partial<Settings>) => ClosableTts;
}

export type TtsKit<Fake extends TtsServerOptions, Server extends TtsServer, Settings> = ReturnType<
  typeof ttsKit<Fake, Server, Settings>
>;

export function ttsKit<Fake extends TtsServerOptions, Server extends TtsServer, Settings>({
  voiceId,
  server: serverWith,
  create,
}: TtsKitOptions<Fake, Server, Settings>) {
  return {
    voiceId,
    /** The adapter against a server of its own; both are closed when the test ends. */
    scene: async (fake: Fake | TtsServerOptions = {}, settings: Partial<Settings> = {}) => {
      const server = await serverWith(fake).listen();
      const clock = new ManualClock();
      const tts = create({ apiKey: TTS_KEY, url: server.url, clock }, settings);
      onTestFinished(async () => {
        tts.close();
        await server.close();
      });
      return { server, tts, clock };
    },
    /** All that `tts` yields for `request`. */
    spoken: async (
      tts: ClosableTts,
      request: Partial<TtsRequest> = {},
      signal: AbortSignal = new AbortController().signal,
    ) => {
      const chunks: TtsChunk[] = [];
      for await (const chunk of tts.speak({ text: TTS_TEXT, voiceId, language: "en-US", ...request }, signal)) {
        chunks.push(chunk);
      }
      const samples = chunks.flatMap((chunk) => [...chunk.samples]);
      return { chunks, samples, words: chunks.flatMap((chunk) => [...chunk.words]), rateHz: chunks[0]?.rateHz };
    },
  };
}

/** Asserts that `samples` are the fake's speech of `TTS_TEXT` at `rateHz`, each within `error`. */
export function expectSpeech(samples: readonly number[], rateHz: number, error: number): void {
  const expected = fakeSpeech(TTS_TEXT, rateHz).samples;
  expect(samples).toHaveLength(expected.length);
  const worst = Math.max(...samples.map((sample, index) => Math.abs(sample - (expected[index] as number))));
  expect(worst).toBeLessThanOrEqual(error);
}

/** The message of a failed request; asserts that it quotes neither the API key nor spoken text. */
export async function failureOf(speaking: Promise<unknown>): Promise<string> {
  const error: unknown = await speaking.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "provider_failed", fault: "provider" });
  const { message, cause } = error as Error;
  expect(`${message} ${JSON.stringify(cause ?? "")}`).not.toMatch(/canary|Hello|stands here/);
  return message;
}
