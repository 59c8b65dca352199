import { describe, expect, test } from "vitest";
import { billOf, costOf, knownCostOf, missingPrices, type Prices } from "../../../src/core/billing/prices.ts";

const PRICES: Prices = {
  currency: "USD",
  perUnit: new Map([
    ["deepgram", { audioSeconds: 0.0077 / 60 }],
    ["openai", { inputTokens: 0.15 / 1_000_000, outputTokens: 0.6 / 1_000_000 }],
    ["openai:large", { inputTokens: 2.5 / 1_000_000, outputTokens: 10 / 1_000_000 }],
  ]),
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
    expect(billOf(USED, PRICES)).toEqual({
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

  test("lists what discarded replies used apart, and adds it to the cost", () => {
    const discarded = { ...USED[1], discarded: true } as const;
    const { usage, cost } = billOf([...USED, discarded, discarded], PRICES);
    expect(usage.slice(2)).toEqual([
      {
        stage: "llm",
        provider: "openai",
        model: "small",
        discarded: true,
        inputTokens: 2_000,
        outputTokens: 200,
        cost: 0.00042,
      },
    ]);
    expect(usage[1]).toMatchObject({ inputTokens: 1_500, cost: 0.000285 });
    expect(cost?.total).toBe(0.0016675);
  });

  test("lists the usage of a provider without a price, and marks the sum as incomplete", () => {
    const spoken = { stage: "tts", provider: "elevenlabs", usage: { characters: 100 } } as const;
    const { usage, cost } = billOf([...USED, spoken], PRICES);
    expect(usage[2]).toEqual({ stage: "tts", provider: "elevenlabs", characters: 100, cost: null });
    expect(cost).toEqual({ currency: "USD", total: 0.0012475, complete: false });
  });

  test("applies a price only to its unit: to OpenAI's tokens, not to its STT", () => {
    const heard = { stage: "stt", provider: "openai", usage: { audioSeconds: 1 } } as const;
    expect(billOf([heard], PRICES).usage[0]?.cost).toBeNull();
  });

  test("prefers the price of a model to that of its provider", () => {
    const asked = (model: string) =>
      ({ stage: "llm", provider: "openai", usage: { model, inputTokens: 1_000_000, outputTokens: 0 } }) as const;
    const { usage } = billOf([asked("small"), asked("large")], PRICES);
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
    const prices: Prices = { currency: "EUR", perUnit: new Map([["deepgram", { audioSeconds: 0 }]]) };
    expect(billOf(USED.slice(0, 1), prices).cost).toEqual({ currency: "EUR", total: 0, complete: true });
  });
});

describe("ADV-H3: with incomplete prices", () => {
  const prices: Prices = {
    currency: "USD",
    perUnit: new Map([
      ["openai", { inputTokens: 5 / 1_000_000 }],
      ["openai:free", { inputTokens: 0, outputTokens: 0 }],
    ]),
  };

  test("the units that have a price count towards maxCost", () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 7 };
    expect([knownCostOf("openai", usage, prices), costOf("openai", usage, prices)]).toEqual([5, undefined]);
    expect([knownCostOf("espeak", { characters: 9 }, prices), knownCostOf("openai", usage, undefined)]).toEqual([0, 0]);
  });

  test("the missing prices for a call with maxCost are named; 0 is a price", () => {
    const ofLlm = ["inputTokensMillion", "outputTokensMillion"] as const;
    const [priced, free, espeak] = [
      { provider: "openai", model: "big", prices: ofLlm },
      { provider: "openai", model: "free", prices: ofLlm },
      { provider: "espeak", prices: ["charactersThousand"] as const },
    ];
    expect(missingPrices(prices, [priced, free, espeak])).toEqual([
      "openai.outputTokensMillion",
      "espeak.charactersThousand",
    ]);
    expect(missingPrices(prices, [free])).toEqual([]);
    expect(missingPrices(undefined, [free])).toHaveLength(2);
  });
});
