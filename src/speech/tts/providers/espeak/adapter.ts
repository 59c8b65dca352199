import { strict as assert } from "node:assert";
import { providerFailed } from "../../../../core/errors.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import type { ClosableTts, Voice } from "../../../contracts.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { EspeakPool, type EspeakPoolOptions } from "./pool.ts";
import type { ProgramVoice } from "./protocol.ts";
import { voiceOf } from "./voices.ts";

/**
 * eSpeak NG: some 140 voices in over 100 languages, without API keys or a network. It speaks at 22,050 Hz, with word
 * timestamps. Its optional package may be missing; then every request fails with a `provider_failed` that says so.
 */
export const createEspeak = (options: EspeakPoolOptions): ClosableTts => createEspeakTts("espeak", false, options);

/** eSpeak under the name `provider`. With `watermark` its speech carries its words as an audio watermark. */
export function createEspeakTts(provider: string, watermark: boolean, options: EspeakPoolOptions): ClosableTts {
  assert.ok(options.children >= 1);
  const pool = new EspeakPool(options);
  const prefix = `${provider}/`;
  let listed: { offered: readonly ProgramVoice[]; voices: readonly Voice[] } | undefined;
  return {
    provider,
    capabilities: { wordTimestamps: true },
    voices: async () => {
      const offered = await pool.voices();
      if (listed?.offered !== offered) listed = { offered, voices: offered.map((voice) => voiceOf(provider, voice)) };
      return listed.voices;
    },
    async *speak({ text, voiceId }, signal) {
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(provider, "the text is too long", REQUEST_ERROR);
      const known = await pool.voices();
      const voice = known.find(({ identifier }) => prefix + identifier === voiceId);
      if (voice === undefined) throw providerFailed(provider, "no such voice", REQUEST_ERROR);
      yield* pool.speak({ text, voice: voice.identifier, watermark }, signal);
    },
    close: () => pool.close(),
  };
}
