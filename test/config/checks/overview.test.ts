import { expect, test } from "vitest";
import { configurationOverview } from "../../../src/config/checks/overview.ts";
import { readConfig } from "../../../src/config/config.ts";

const overviewOf = (env: Readonly<Record<string, string>>) => {
  const parts = configurationOverview(readConfig(env, { checksFiles: false }));
  return Object.fromEntries(parts.map(({ name, state, message }) => [name, `${state}: ${message}`]));
};

test("a service without settings says what calls with people need, and which variable to set", () => {
  const overview = overviewOf({});
  expect(overview["speech recognition"]).toBe("ready: STT is local, without a fallback");
  expect(overview["language model model_a"]).toMatch(/^missing: .*OPENAI_API_KEY/);
  expect(overview["address of streams"]).toMatch(/^missing: .*PUBLIC_MEDIA_URL/);
  expect(overview["encrypted streams"]).toMatch(/^missing: /);
  expect(overview["key of secrets"]).toMatch(/^missing: .*SECRETS_KEY/);
  expect(overview.carrier_a).toBe(
    "optional: its streams are not signed, and their stream token alone protects them: set CARRIER_A_AUTH_TOKEN",
  );
  for (const message of Object.values(overview)) expect(message).not.toMatch(/undefined|\[object|NaN/);
});

test("what is set is ready, with its fallbacks", () => {
  const overview = overviewOf({
    STT: "deepgram,local",
    DEEPGRAM_API_KEY: "canary-stt",
    MODEL_A: "openai:gpt-4o-mini",
    OPENAI_API_KEY: "canary-llm",
    TTS: "espeak",
    PUBLIC_MEDIA_URL: "wss://media.example.com",
    PUBLIC_API_URL: "https://api.example.com",
    TRUSTED_PROXIES: "10.0.0.1",
    SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
    ENCRYPT_MEDIA: "true",
    RETENTION: '{"recordingDays": 30}',
    CARRIER_A_AUTH_TOKEN: "canary-carrier",
  });
  expect(overview["speech recognition"]).toBe("ready: STT is deepgram, with the fallback local");
  expect(overview["language model model_a"]).toBe("ready: MODEL_A is openai:gpt-4o-mini, without a fallback");
  const others = Object.entries(overview).filter(([name]) => !/^(language model|prices|carrier_[bc])/.test(name));
  for (const [name, message] of others) expect([name, message]).toEqual([name, expect.stringMatching(/^ready: /)]);
});

test("L1: no secret is shown", () => {
  const secret = Buffer.from("canary-secret-canary-secret-canr").toString("base64");
  const env = {
    STT: "deepgram",
    DEEPGRAM_API_KEY: "canary-stt",
    CARRIER_A_AUTH_TOKEN: "canary-carrier",
    PUBLIC_MEDIA_URL: "wss://media.example.com",
    SECRETS_KEY: secret,
  };
  const shown = JSON.stringify(overviewOf(env));
  for (const canary of ["canary-stt", "canary-carrier", secret]) expect(shown).not.toContain(canary);
});

test("every part names the variables that decide it, as the configuration has them", () => {
  const parts = configurationOverview(readConfig({}, { checksFiles: false }));
  for (const { name, message, variables } of parts) {
    expect([name, variables.length > 0]).toEqual([name, true]);
    expect([name, variables.every((variable) => /^[A-Z][A-Z0-9_]+$/.test(variable))]).toEqual([name, true]);
    if (/set [A-Z]/.test(message))
      expect([name, variables.some((variable) => message.includes(variable))]).toEqual([name, true]);
  }
  expect(parts.find(({ name }) => name === "key of secrets")?.variables).toEqual(["SECRETS_KEY"]);
});
