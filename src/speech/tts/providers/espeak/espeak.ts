import { strict as assert } from "node:assert";
import { providerFailed } from "../../../../core/errors.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls.ts";
import type { ClosableTts, Voice } from "../../../contracts.ts";
import { REQUEST_ERROR } from "../../../resilience/provider-error.ts";
import { EspeakPool, type EspeakPoolOptions } from "./pool.ts";
import type { ProgramVoice } from "./protocol.ts";
import { voiceOf } from "./voices.ts";

/**
 * eSpeak NG: some 140 voices in over 100 languages, without keys and without a network. Speaks at 22,050 Hz, with word times.
 * Its optional package may be missing; then every request fails with `provider_failed` and says so.
 */
export const createEspeak = (options: EspeakPoolOptions): ClosableTts => createEspeakTts("espeak", false, options);

/** eSpeak's voices under the name of `provider`; with `carryWords` its speech carries its own words. */
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
