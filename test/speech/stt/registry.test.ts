import { describe, expect, test } from "vitest";
import { VariableReader } from "../../../src/config/variables/reader.ts";
import { createStt } from "../../../src/speech/stt/create.ts";
import { STT_REGISTRY, sttProblems } from "../../../src/speech/stt/registry.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { VALID_STT } from "../../support/providers/valid-names.ts";
import { openNoLocalSpeech } from "../../support/stubs/no-local-speech.ts";

const clock = new ManualClock();
const circuitBreakerOf = (provider: string) => breakerFor("stt", provider, clock).circuitBreaker;
const settingsOf = (env: Readonly<Record<string, string>> = {}) => STT_REGISTRY.configure(new VariableReader(env, []));

describe("the configured STT", () => {
  test("can be any provider, with its own model and address", async () => {
    const settings = settingsOf({
      DEEPGRAM_API_KEY: "a",
      DEEPGRAM_URL: "ws://127.0.0.1:1/v1/listen?language=multi",
      FLUX_MODEL: "flux-general-en",
      ASSEMBLYAI_API_KEY: "b",
      ASSEMBLYAI_MODEL: "universal-streaming-english",
      OPENAI_STT_URL: "http://127.0.0.1:8000/v1/",
      OPENAI_STT_MODEL: "Systran/faster-whisper-small",
      OPENAI_REALTIME_STT_URL: "ws://127.0.0.1:8000/v1/realtime/",
      OPENAI_REALTIME_STT_MODEL: "gpt-transcribe",
    });
    const expected = {
      deepgram: { apiKey: "a", model: "nova-3", url: "ws://127.0.0.1:1/v1/listen?language=multi" },
      assemblyai: { apiKey: "b", model: "universal-streaming-english", url: "wss://streaming.assemblyai.com/v3/ws" },
      flux: { apiKey: "a", model: "flux-general-en", url: "wss://api.deepgram.com/v2/listen" },
      openai: {
        apiKey: undefined,
        model: "Systran/faster-whisper-small",
        url: "http://127.0.0.1:8000/v1",
        languageDetection: "",
      },
      local: { processes: expect.any(Number), modelFolder: undefined },
      openairealtime: {
        apiKey: undefined,
        model: "gpt-transcribe",
        url: "ws://127.0.0.1:8000/v1/realtime",
      },
      reference: {},
    };
    for (const [name, ofProvider] of Object.entries(expected)) {
      expect(settings.get(name)?.settings).toEqual(ofProvider);
      expect(sttProblems(name, settings)).toEqual([]);
      expect((await createStt(name, settings, circuitBreakerOf, clock, openNoLocalSpeech)).provider).toBe(name);
    }
  });

  test("needs an API key at the provider's own address, and quotes no API key in a problem", () => {
    expect(sttProblems("deepgram", settingsOf())).toEqual(["DEEPGRAM_API_KEY must be set with STT=deepgram"]);
    expect(sttProblems("flux", settingsOf())).toEqual(["DEEPGRAM_API_KEY must be set with STT=flux"]);
    expect(sttProblems("assemblyai", settingsOf())).toEqual(["ASSEMBLYAI_API_KEY must be set with STT=assemblyai"]);
    expect(sttProblems("openai", settingsOf())).toEqual(["OPENAI_STT_API_KEY must be set with STT=openai"]);
    expect(sttProblems("openairealtime", settingsOf())).toEqual([
      "OPENAI_STT_API_KEY must be set with STT=openairealtime",
    ]);
    expect(sttProblems("deepgram", settingsOf({ DEEPGRAM_API_KEY: "secret key" }))).toEqual([
      "DEEPGRAM_API_KEY must be printable ASCII without spaces",
    ]);
  });

  test("refuses a model of Flux, and names the provider that has it", () => {
    const env = { DEEPGRAM_API_KEY: "a", DEEPGRAM_MODEL: "flux-general-en" };
    expect(sttProblems("deepgram", settingsOf(env))).toEqual([
      'DEEPGRAM_MODEL must be a model of /v1/listen, not "flux-general-en": Flux is STT=flux with FLUX_MODEL',
    ]);
  });

  test("needs a usable address", () => {
    const key = { DEEPGRAM_API_KEY: "a", OPENAI_STT_API_KEY: "b" };
    for (const url of ["https://x/", "nonsense", "wss://a:b@x/", "wss://x/#y"]) {
      expect(sttProblems("deepgram", settingsOf({ ...key, DEEPGRAM_URL: url }))).toEqual([
        "DEEPGRAM_URL must be a wss:// or ws:// address without a fragment or a password",
      ]);
    }
    for (const url of ["ws://x/", "https://x/?y=z"]) {
      expect(sttProblems("openai", settingsOf({ ...key, OPENAI_STT_URL: url }))).toEqual([
        "OPENAI_STT_URL must be a https:// or http:// address without a query, a fragment or a password",
      ]);
    }
  });

  test("can be a list of fallbacks, at a sample rate that all of them accept", async () => {
    const settings = settingsOf({ DEEPGRAM_API_KEY: "a", OPENAI_STT_URL: "http://127.0.0.1:8000/v1" });
    expect(sttProblems("deepgram, openai", settings)).toEqual([]);
    const candidates = await createStt("deepgram, openai", settings, circuitBreakerOf, clock, openNoLocalSpeech);
    expect([candidates.provider, candidates.capabilities]).toEqual([
      "deepgram",
      { ratesHz: [16_000], interimTranscripts: true, finalPerUtterance: false },
    ]);
    expect(sttProblems("deepgram,whisper,assemblyai", settings)).toEqual([
      `STT must be one of ${VALID_STT}, not "whisper"`,
      "ASSEMBLYAI_API_KEY must be set with STT=assemblyai",
    ]);
  });

  test.each([
    ["deepgram", { DEEPGRAM_API_KEY: "a" }, true],
    ["deepgram", { DEEPGRAM_API_KEY: "a", DEEPGRAM_MODEL: "nova-2" }, false],
    ["flux", { DEEPGRAM_API_KEY: "a" }, true],
    ["flux", { DEEPGRAM_API_KEY: "a", FLUX_MODEL: "flux-general-en" }, false],
    ["assemblyai", { ASSEMBLYAI_API_KEY: "a" }, true],
    ["openai", { OPENAI_STT_API_KEY: "a" }, true],
    ["openai", { OPENAI_STT_API_KEY: "a", OPENAI_STT_MODEL: "whisper-1" }, true],
    ["openai", { OPENAI_STT_API_KEY: "a", OPENAI_STT_MODEL: "gpt-4o-mini-transcribe" }, false],
    ["openai", { OPENAI_STT_API_KEY: "a", OPENAI_STT_LANGUAGE_DETECTION: "off" }, false],
    ["openai", { OPENAI_STT_URL: "http://127.0.0.1:8000/v1", OPENAI_STT_MODEL: "whisper-1" }, false],
    ["openai", { OPENAI_STT_URL: "http://127.0.0.1:8000/v1", OPENAI_STT_LANGUAGE_DETECTION: "on" }, true],
    ["openairealtime", { OPENAI_STT_API_KEY: "a" }, false],
    ["openairealtime", { OPENAI_STT_API_KEY: "a", OPENAI_REALTIME_STT_MODEL: "gpt-transcribe" }, true],
  ])("detects the language as configured: %s with %j: %s", async (stt, env, detects) => {
    const settings = settingsOf(env as Record<string, string>);
    expect(sttProblems(stt, settings)).toEqual([]);
    const provider = await settings.get(stt)?.create({ clock, openLocalSpeech: openNoLocalSpeech });
    const { anyLanguage, detectsLanguage: of } = provider?.capabilities ?? {};
    expect(anyLanguage === true || of?.("de") === true).toBe(detects);
  });

  test("can be any two providers, one the fallback of the other: they have a sample rate in common", async () => {
    const keys = { DEEPGRAM_API_KEY: "a", ASSEMBLYAI_API_KEY: "b", OPENAI_STT_API_KEY: "c" };
    for (const first of STT_REGISTRY.ids) {
      for (const next of STT_REGISTRY.ids) {
        const { capabilities } = await createStt(
          `${first},${next}`,
          settingsOf(keys),
          circuitBreakerOf,
          clock,
          openNoLocalSpeech,
        );
        expect(capabilities.ratesHz.length).toBeGreaterThan(0);
      }
    }
  });

  test("accepts only on or off for the language detection", () => {
    expect(
      sttProblems("openai", settingsOf({ OPENAI_STT_API_KEY: "a", OPENAI_STT_LANGUAGE_DETECTION: "yes" })),
    ).toEqual(['OPENAI_STT_LANGUAGE_DETECTION must be on or off, not "yes"']);
  });

  test("reports an unknown provider with the valid names", () => {
    for (const name of ["whisper", "constructor"]) {
      expect(sttProblems(name, settingsOf())).toEqual([`STT must be one of ${VALID_STT}, not ${JSON.stringify(name)}`]);
    }
  });
});
