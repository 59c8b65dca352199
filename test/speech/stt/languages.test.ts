import { describe, expect, test } from "vitest";
import { VariableReader } from "../../../src/config/variables/reader.ts";
import { STT_REGISTRY, sttServing } from "../../../src/speech/stt/registry.ts";

const WHISPER = { OPENAI_STT_URL: "http://127.0.0.1:8000/v1" };

/** Those of `languages` that the provider `stt` transcribes with the variables `env`. */
const served = (stt: string, env: Readonly<Record<string, string>>, languages: string): string => {
  const serving = sttServing(stt, STT_REGISTRY.configure(new VariableReader(env, [])));
  return languages
    .split(" ")
    .filter((language) => serving(language).includes(stt))
    .join(" ");
};

describe("the languages of an STT provider, by its settings", () => {
  test.each([
    [
      "deepgram",
      {},
      "en en-US de-AT nb fil yue zh-TW zh-CN pa hy xx eo",
      "en en-US de-AT nb fil yue zh-TW zh-CN pa hy",
    ],
    ["deepgram", { DEEPGRAM_MODEL: "nova-2" }, "en de-CH nb zh-TW ar he fil", "en de-CH nb zh-TW"],
    ["deepgram", { DEEPGRAM_MODEL: "nova-2-phonecall" }, "en en-GB de", "en en-GB"],
    ["deepgram", { DEEPGRAM_MODEL: "nova-3-medical" }, "en de", "en"],
    ["deepgram", { DEEPGRAM_MODEL: "of-our-own" }, "de eo", "de"],
    ["deepgram", { DEEPGRAM_URL: "wss://x/v1/listen?language=no" }, "en nb no de", "nb no"],
    ["deepgram", { DEEPGRAM_URL: "wss://x/v1/listen?language=multi" }, "en de zh zh-TW pa", "en de zh"],
    ["deepgram", { DEEPGRAM_URL: "wss://x/v1/listen?language=multi&model=nova-2" }, "en es-419 de", "en es-419"],
    ["assemblyai", {}, "en de-AT nb ja uk", "en de-AT nb ja"],
    ["assemblyai", { ASSEMBLYAI_MODEL: "universal-streaming-english" }, "en en-GB de", "en en-GB"],
    ["assemblyai", { ASSEMBLYAI_MODEL: "universal-streaming-multilingual" }, "en de pt-BR nl", "en de pt-BR"],
    ["assemblyai", { ASSEMBLYAI_MODEL: "whisper-rt" }, "en nb fil sw eo", "en nb fil sw"],
    ["assemblyai", { ASSEMBLYAI_URL: "wss://x/?speech_model=universal-streaming-english" }, "en de", "en"],
    ["openai", {}, "en de-AT nb fil cy eo", "en de-AT nb fil cy"],
    ["openai", { ...WHISPER, OPENAI_STT_MODEL: "Systran/faster-whisper-small" }, "en de eo", "en de"],
    ["openai", { ...WHISPER, OPENAI_STT_MODEL: "Systran/faster-whisper-small.en" }, "en en-US de", "en en-US"],
    ["openai", { ...WHISPER, OPENAI_STT_MODEL: "ggml-base.en-q5_1.bin" }, "en de", "en"],
    ["openai", { ...WHISPER, OPENAI_STT_MODEL: "distil-whisper/distil-large-v3" }, "en de", "en"],
    ["flux", {}, "en de-AT ja zh eo", "en de-AT ja"],
    ["flux", { FLUX_MODEL: "flux-general-en" }, "en-GB de", "en-GB"],
    ["openairealtime", {}, "en de nb eo", "en de nb"],
    ["reference", {}, "en de eo tlh", "en de eo tlh"],
  ])("%s with %j, of %s: %s", (stt, env, languages, expected) => {
    expect(served(stt, env as Readonly<Record<string, string>>, languages)).toBe(expected);
  });

  test.each(
    STT_REGISTRY.ids.filter((id) => id !== STT_REGISTRY.testInstrument.id),
  )("%s says which they are: no provider for people transcribes Klingon", (id) => {
    expect(served(id, {}, "en tlh")).toBe("en");
  });
});

test("a chain serves a language by the providers that transcribe it, in the order of the chain", () => {
  const env = { ASSEMBLYAI_MODEL: "universal-streaming-english" };
  const serving = sttServing("assemblyai, openai,deepgram", STT_REGISTRY.configure(new VariableReader(env, [])));
  expect(serving("en")).toEqual(["assemblyai", "openai", "deepgram"]);
  expect(serving("de-AT")).toEqual(["openai", "deepgram"]);
  expect(serving("eo")).toEqual([]);
});
