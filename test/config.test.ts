import { describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";

describe("configuration", () => {
  test("without any variable the service runs on this machine alone, with its own voice and no ear", () => {
    expect(readConfig({})).toMatchObject({
      apiHost: "127.0.0.1",
      apiPort: 8080,
      mediaPort: 8081,
      publicMediaUrl: undefined,
      stt: undefined,
      tts: "espeak",
      models: { model_a: "reference", model_b: "reference", model_c: "reference" },
    });
  });

  test("every problem is told at once, with the variable, the value and what would be right", () => {
    expect(() =>
      readConfig({
        STT: "whisper",
        MODEL_B: "gpt",
        API_PORT: "80a",
        TOKEN_TTL_S: "4",
        LOG_LEVEL: "loud",
        PUBLIC_MEDIA_URL: "https://x.example?a=1",
      }),
    ).toThrowError(
      [
        "bad configuration:",
        '  LOG_LEVEL must be one of debug, info, warn, error, not "loud"',
        '  PUBLIC_MEDIA_URL must be a ws:// or wss:// address without a query, not "https://x.example?a=1"',
        '  API_PORT must be a whole number from 0 to 65535, not "80a"',
        '  TOKEN_TTL_S must be a whole number from 5 to 600, not "4"',
        '  STT must be one of reference, not "whisper"',
        '  MODEL_B must be one of reference, not "gpt"',
      ].join("\n"),
    );
  });

  test("a gateway that listens everywhere must be told where callers reach it", () => {
    expect(() => readConfig({ MEDIA_HOST: "0.0.0.0" })).toThrow(
      "PUBLIC_MEDIA_URL must be set beside MEDIA_HOST=0.0.0.0",
    );
    expect(readConfig({ MEDIA_HOST: "::", PUBLIC_MEDIA_URL: "wss://media.example.com" }).mediaHost).toBe("::");
  });

  test("a public address may end in a slash and is used without it", () => {
    expect(readConfig({ PUBLIC_MEDIA_URL: "wss://media.example.com/v1/" }).publicMediaUrl).toBe(
      "wss://media.example.com/v1",
    );
  });
});
