import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { VariableReader } from "../../../src/config/variables/reader.ts";
import { cartesiaTts } from "../../../src/speech/tts/providers/cartesia/descriptor.ts";
import { elevenLabsTts } from "../../../src/speech/tts/providers/elevenlabs/descriptor.ts";
import { openAiTts } from "../../../src/speech/tts/providers/openai/descriptor.ts";
import { VALID_TTS } from "../../support/providers/valid-names.ts";

const settings = (env: Readonly<Record<string, string>>) => {
  const reader = new VariableReader(env, []);
  return {
    elevenlabs: elevenLabsTts.configure(reader).settings,
    cartesia: cartesiaTts.configure(reader).settings,
    openai: openAiTts.configure(reader).settings,
  };
};

describe("TTS settings", () => {
  test("without variables are the providers' defaults and OpenAI's own voices", () => {
    const { elevenlabs, cartesia, openai } = settings({});
    expect(elevenlabs).toEqual({ apiKey: "", model: "eleven_flash_v2_5", url: "https://api.elevenlabs.io" });
    expect(cartesia).toEqual({ apiKey: "", model: "sonic-3.5", url: "https://api.cartesia.ai" });
    expect(openai).toMatchObject({ apiKey: undefined, model: "gpt-4o-mini-tts", url: "https://api.openai.com/v1" });
    expect(openai.voices).toContainEqual({ name: "alloy", language: "en" });
  });

  test("of another server have no voices, so that its list is requested, unless voices are configured", () => {
    const OPENAI_TTS_URL = "http://localhost:8880/v1/";
    expect(settings({ OPENAI_TTS_URL }).openai).toMatchObject({ url: "http://localhost:8880/v1", voices: [] });
    expect(settings({ OPENAI_TTS_URL, OPENAI_TTS_VOICES: "af_heart, thorsten:de" }).openai.voices).toEqual([
      { name: "af_heart", language: "en" },
      { name: "thorsten", language: "de" },
    ]);
  });
});

describe("a configuration", () => {
  const problems = (env: Readonly<Record<string, string>>): string[] => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as Error).message.split("\n  ").slice(1);
    }
  };

  test("may name several TTS providers, each with its settings", () => {
    const env = { TTS: "elevenlabs, espeak,cartesia,espeak", ELEVENLABS_API_KEY: "a", CARTESIA_API_KEY: "b" };
    expect(problems(env)).toEqual([]);
    expect(readConfig(env).tts).toBe("elevenlabs, espeak,cartesia,espeak");
    expect(problems({ TTS: "openai", OPENAI_TTS_URL: "http://localhost:8880/v1" })).toEqual([]);
  });

  test("may name a voice for several languages, but once for each", () => {
    const env = { TTS: "openai", OPENAI_TTS_API_KEY: "a" };
    expect(problems({ ...env, OPENAI_TTS_VOICES: "alloy,alloy:de,echo:de" })).toEqual([]);
    expect(problems({ ...env, OPENAI_TTS_VOICES: "alloy,alloy:de,alloy:en" })).toEqual([
      'OPENAI_TTS_VOICES must name each voice once in a language, not "alloy:en" twice',
    ]);
  });

  test("reports all problems of the TTS providers it names, and of no others, without quoting an API key", () => {
    expect(
      problems({
        TTS: "elevenlabs,cartesia,openai,polly",
        ELEVENLABS_URL: "ftp://x.example",
        CARTESIA_API_KEY: "canary key",
        OPENAI_TTS_VOICES: "alloy:en,:de",
      }),
    ).toEqual([
      "ELEVENLABS_API_KEY is required with TTS=elevenlabs",
      "ELEVENLABS_URL must be an http:// or https:// address without a query or a password",
      "CARTESIA_API_KEY must be printable ASCII without spaces",
      "OPENAI_TTS_API_KEY is required with TTS=openai",
      "OPENAI_TTS_VOICES must be names, separated by commas, each optionally followed by a colon and a language: alloy:en",
      `TTS must be one of ${VALID_TTS}, not "polly"`,
    ]);
    expect(problems({ TTS: "espeak", ELEVENLABS_URL: "x" })).toEqual([]);
  });
});
