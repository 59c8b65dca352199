import { describe, expect, test } from "vitest";
import { VariableReader } from "../../../src/config/variables/reader.ts";
import { createLlms } from "../../../src/speech/llm/create.ts";
import { LLM_REGISTRY, llmProblems } from "../../../src/speech/llm/registry.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { VALID_MODELS } from "../../support/providers/valid-names.ts";
import { INLINE_TOOL_CHOICE } from "../../support/stubs/inline-schemas.ts";

const clock = new ManualClock();
const circuitBreakerOf = (provider: string) => breakerFor("llm", provider, clock).circuitBreaker;
const REFERENCE = { model_a: "reference", model_b: "reference", model_c: "reference" };
const settingsOf = (env: Readonly<Record<string, string>> = {}) => LLM_REGISTRY.configure(new VariableReader(env, []));

describe("the configured LLMs", () => {
  test("each model can have any provider", async () => {
    const settings = settingsOf({ OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b", GEMINI_API_KEY: "c" });
    const models = { model_a: "openai:gpt-4o-mini", model_b: "anthropic:claude-haiku-4-5", model_c: "gemini:gemini-3" };
    expect(llmProblems(models, settings)).toEqual([]);
    const llms = await createLlms(models, settings, {}, circuitBreakerOf, clock, INLINE_TOOL_CHOICE);
    expect(Object.values(llms).map(({ provider }) => provider)).toEqual(["openai", "anthropic", "gemini"]);
  });

  test("without configuration each is the reference LLM, and no API key is required", async () => {
    expect(llmProblems(REFERENCE, settingsOf())).toEqual([]);
    const { model_a, model_b } = await createLlms(
      REFERENCE,
      settingsOf(),
      {},
      circuitBreakerOf,
      clock,
      INLINE_TOOL_CHOICE,
    );
    expect(model_a.provider).toBe("reference");
    expect(model_b).toBe(model_a);
  });

  test("equal models share one LLM, and names of models may contain colons", async () => {
    const settings = settingsOf({ OPENAI_BASE_URL: "http://127.0.0.1:11434/v1/" });
    const models = { ...REFERENCE, model_a: "openai:llama3.2:3b", model_b: "openai:llama3.2:3b" };
    expect(settings.get("openai")?.settings).toEqual({ apiKey: undefined, baseUrl: "http://127.0.0.1:11434/v1" });
    expect(llmProblems(models, settings)).toEqual([]);
    const { model_a, model_b, model_c } = await createLlms(
      models,
      settings,
      {},
      circuitBreakerOf,
      clock,
      INLINE_TOOL_CHOICE,
    );
    expect(model_b).toBe(model_a);
    expect(model_c).not.toBe(model_a);
  });

  test("a model can be a list of fallbacks", async () => {
    const settings = settingsOf({ OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" });
    const models = { ...REFERENCE, model_a: "openai:gpt-4o-mini, anthropic:claude-haiku-4-5, reference" };
    expect(llmProblems(models, settings)).toEqual([]);
    const { model_a } = await createLlms(models, settings, {}, circuitBreakerOf, clock, INLINE_TOOL_CHOICE);
    expect(model_a).toMatchObject({ provider: "openai" });
    expect(llmProblems({ ...REFERENCE, model_b: "openai:gpt-4o-mini,gpt" }, settings)).toEqual([
      expect.stringMatching(/^MODEL_B must be reference, .*; not "gpt"$/),
    ]);
  });

  test("all problems are reported together, each once, and no API key is quoted", () => {
    const settings = settingsOf({ ANTHROPIC_API_KEY: "secret key", GEMINI_API_KEY: "k", GEMINI_BASE_URL: "ftp://x?y" });
    const models = { model_a: "openai:gpt-4o", model_b: "openai:gpt-4o-mini", model_c: "anthropic:claude-opus-5" };
    expect(llmProblems(models, settings)).toEqual([
      "OPENAI_API_KEY must be set with openai:<model>",
      "ANTHROPIC_API_KEY must be printable ASCII without spaces",
    ]);
    expect(llmProblems({ ...REFERENCE, model_a: "gemini:gemini-3" }, settings)).toEqual([
      "GEMINI_BASE_URL must be an http:// or https:// address without a query or a password",
    ]);
  });

  test("an invalid name of a model is reported with the valid forms", () => {
    for (const given of ["gpt", "openai", "openai:", "openai:a b", ":x", "constructor:x", "reference:x"]) {
      expect(llmProblems({ ...REFERENCE, model_b: given }, settingsOf())).toEqual([
        `MODEL_B must be ${VALID_MODELS}; not ${JSON.stringify(given)}`,
      ]);
    }
  });
});
