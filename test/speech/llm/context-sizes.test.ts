import { expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import { CONTEXT_TOKENS_DEFAULT } from "../../../src/core/limits/speech-providers/llm.ts";
import { contextTokensOf, readContextSizes } from "../../../src/speech/llm/context-sizes.ts";
import { createSpeechProviders } from "../../../src/speech/registry.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const read = (given: string): [sizes: object, problems: string[]] => {
  const problems: string[] = [];
  return [readContextSizes(given, ["openai", "anthropic", "gemini", "reference"], problems), problems];
};

test("ADV-H3: the context size of a model is the operator's setting, else the known size, else a default", () => {
  const known = [
    ["openai:gpt-4o-mini", 128_000],
    ["openai:gpt-4.1-nano", 1_047_576],
    ["openai:gpt-4", 8_192],
    ["openai:gpt-4-0613", 8_192],
    ["openai:gpt-3.5-turbo", 16_385],
    ["openai:gpt-5-mini", 128_000],
    ["anthropic:claude-sonnet-4-5", 200_000],
    ["gemini:gemini-2.5-flash", 1_048_576],
    ["openai:llama3.2", CONTEXT_TOKENS_DEFAULT],
    ["openai:toString", CONTEXT_TOKENS_DEFAULT],
  ] as const;
  for (const [model, tokens] of known) expect(contextTokensOf(model, {}), model).toBe(tokens);
  expect(contextTokensOf("openai:gpt-4o-mini", { "openai:gpt-4o-mini": 4_096 })).toBe(4_096);
});

test("ADV-H3: CONTEXT_TOKENS accepts names of models with colons, and its problems are reported part by part", () => {
  expect(read("openai:llama3.2=8192, openai:gpt-oss:20b = 131072")).toEqual([
    { "openai:llama3.2": 8_192, "openai:gpt-oss:20b": 131_072 },
    [],
  ]);
  for (const wrong of ["openai", "openai:x", "openai:x=12", "openai:x=99999999", "unknown:x=8192", "openai:x=many"]) {
    expect(read(wrong)[1]).toEqual([
      expect.stringMatching(/^CONTEXT_TOKENS must be a model and its context in tokens, from 1024 to .*, not "/),
    ]);
  }
  expect(() => readConfig({ HISTORY_TOKENS_MAX: "100" })).toThrow(
    /HISTORY_TOKENS_MAX must be a whole number from 1024/,
  );
});

test("ADV-H3: the smallest context in a list of fallbacks counts", async () => {
  const env = {
    MODEL_A: "openai:gpt-4o-mini,gemini:gemini-2.5-flash,openai:small",
    CONTEXT_TOKENS: "openai:small=4096",
    OPENAI_API_KEY: "k",
    GEMINI_API_KEY: "k",
  };
  const providers = await createSpeechProviders(readConfig(env), new ManualClock(), {
    warn: () => {},
    error: () => {},
  });
  expect([providers.llm.model_a.contextTokens, providers.llm.model_b.contextTokens]).toEqual([4_096, undefined]);
  providers.close();
});
