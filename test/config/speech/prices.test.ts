import { describe, expect, test } from "vitest";
import { readPrices } from "../../../src/config/speech/prices.ts";
import type { Prices } from "../../../src/core/billing/prices.ts";

const PROVIDERS = ["deepgram", "elevenlabs", "openai"];

function read(value: unknown): { prices: Prices | undefined; problems: string[] } {
  const problems: string[] = [];
  return { prices: readPrices(JSON.stringify(value), PROVIDERS, problems), problems };
}

const PRICED = {
  currency: "USD",
  deepgram: { audioMinute: 0.0077 },
  openai: { inputTokensMillion: 0.15, outputTokensMillion: 0.6 },
  "openai:large": { inputTokensMillion: 2.5, outputTokensMillion: 10 },
};

describe("prices", () => {
  test("that are valid give no problem; without configuration there are none", () => {
    expect(read(PRICED).problems).toEqual([]);
    expect(readPrices("", PROVIDERS, [])).toBeUndefined();
  });

  test.each([
    ["[]", "PRICES must be a JSON object of a currency and of providers"],
    ["{", "PRICES must be a JSON object of a currency and of providers"],
    ["7", "PRICES must be a JSON object of a currency and of providers"],
    ["{}", 'PRICES must have a currency of three capital letters, "currency": "USD"'],
    ['{"currency": "usd"}', 'PRICES must have a currency of three capital letters, "currency": "USD"'],
    ['{"currency": "EUR", "whisper": {}}', 'PRICES must name any of deepgram, elevenlabs, openai, not "whisper"'],
    [
      '{"currency": "EUR", "deepgram": 0.0077}',
      "PRICES must have, for deepgram, an object: numbers of at least 0 for any of audioMinute, inputTokensMillion, " +
        "outputTokensMillion, charactersThousand",
    ],
    [
      '{"currency": "EUR", "deepgram": {"audioMinute": -1}}',
      "PRICES must have, for deepgram, numbers of at least 0 for any of audioMinute, inputTokensMillion, " +
        'outputTokensMillion, charactersThousand, not "audioMinute": -1',
    ],
    [
      '{"currency": "EUR", "deepgram": {"audioHour": 1}}',
      "PRICES must have, for deepgram, numbers of at least 0 for any of audioMinute, inputTokensMillion, " +
        'outputTokensMillion, charactersThousand, not "audioHour": 1',
    ],
    [
      '{"currency": "EUR", "deepgram": {"audioMinute": 1e999}}',
      "PRICES must have, for deepgram, numbers of at least 0 for any of audioMinute, inputTokensMillion, " +
        'outputTokensMillion, charactersThousand, not "audioMinute": null',
    ],
  ])("%s are refused", (given, problem) => {
    const problems: string[] = [];
    readPrices(given, PROVIDERS, problems);
    expect(problems).toEqual([problem]);
  });

  test("with names such as toString are unknown providers", () => {
    expect(read({ currency: "EUR", deepgram: { constructor: 1 } }).problems).toHaveLength(1);
    expect(read({ currency: "EUR", constructor: { audioMinute: 1 } }).problems).toHaveLength(1);
  });
});
