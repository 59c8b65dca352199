import { describe, expect, test } from "vitest";
import { readPrices } from "../../../src/config/prices.ts";
import { billOf, costOf, knownCostOf, missingPrices, type Prices } from "../../../src/core/billing/prices.ts";

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

describe("the bill of a call", () => {
  const USED = [
    { stage: "stt", provider: "deepgram", usage: { audioSeconds: 5 } },
    { stage: "llm", provider: "openai", usage: { model: "small", inputTokens: 1_000, outputTokens: 100 } },
    { stage: "stt", provider: "deepgram", usage: { audioSeconds: 2.5 } },
    {
      stage: "llm",
      provider: "openai",
      usage: { model: "small", inputTokens: 500, outputTokens: 0, approximate: true },
    },
  ] as const;

  test("sums the usage of each provider and its cost", () => {
    expect(billOf(USED, read(PRICED).prices)).toEqual({
      usage: [
        { stage: "stt", provider: "deepgram", audioSeconds: 7.5, cost: 0.0009625 },
        {
          stage: "llm",
          provider: "openai",
          model: "small",
          inputTokens: 1_500,
          outputTokens: 100,
          approximate: true,
          cost: 0.000285,
        },
      ],
      cost: { currency: "USD", total: 0.0012475, complete: true },
    });
  });

  test("lists the usage of a provider without a price, and marks the sum as incomplete", () => {
    const spoken = { stage: "tts", provider: "elevenlabs", usage: { characters: 100 } } as const;
    const { usage, cost } = billOf([...USED, spoken], read(PRICED).prices);
    expect(usage[2]).toEqual({ stage: "tts", provider: "elevenlabs", characters: 100, cost: null });
    expect(cost).toEqual({ currency: "USD", total: 0.0012475, complete: false });
  });

  test("applies a price only to its unit: to OpenAI's tokens, not to its STT", () => {
    const heard = { stage: "stt", provider: "openai", usage: { audioSeconds: 1 } } as const;
    expect(billOf([heard], read(PRICED).prices).usage[0]?.cost).toBeNull();
  });

  test("prefers the price of a model to that of its provider", () => {
    const asked = (model: string) =>
      ({ stage: "llm", provider: "openai", usage: { model, inputTokens: 1_000_000, outputTokens: 0 } }) as const;
    const { usage } = billOf([asked("small"), asked("large")], read(PRICED).prices);
    expect(usage.map(({ model, cost }) => [model, cost])).toEqual([
      ["small", 0.15],
      ["large", 2.5],
    ]);
  });

  test("has usage and no cost without prices", () => {
    const { usage, cost } = billOf(USED, undefined);
    expect(usage.map(({ cost }) => cost)).toEqual([null, null]);
    expect(cost).toBeUndefined();
  });

  test("has a cost of 0 with a price of 0", () => {
    const { prices } = read({ currency: "EUR", deepgram: { audioMinute: 0 } });
    expect(billOf(USED.slice(0, 1), prices).cost).toEqual({ currency: "EUR", total: 0, complete: true });
  });
});

describe("ADV-H3: with incomplete prices", () => {
  const problems: string[] = [];
  const prices = readPrices(
    '{"currency": "USD", "openai": {"inputTokensMillion": 5}, "openai:free": {"inputTokensMillion": 0, "outputTokensMillion": 0}}',
    ["openai", "espeak"],
    problems,
  );

  test("the units that have a price count towards maxCost", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 7 };
    expect([knownCostOf("openai", usage, prices), costOf("openai", usage, prices)]).toEqual([5, undefined]);
    expect([knownCostOf("espeak", { characters: 9 }, prices), knownCostOf("openai", usage, undefined)]).toEqual([0, 0]);
  });

  test("the missing prices for a call with maxCost are named; 0 is a price", () => {
    const [priced, free] = [
      { provider: "openai", model: "big" },
      { provider: "openai", model: "free" },
    ];
    expect(missingPrices(prices, [priced, free], ["espeak"])).toEqual([
      "openai.outputTokensMillion",
      "espeak.charactersThousand",
    ]);
    expect(missingPrices(prices, [free], [])).toEqual([]);
    expect(missingPrices(undefined, [free], [])).toHaveLength(2);
  });
});
