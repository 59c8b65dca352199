import { PRICED, type PriceName, type Prices } from "../../core/billing/prices.ts";
import type { UsageUnit } from "../../core/billing/usage.ts";
import { parseObject } from "../../core/json.ts";

/**
 * Reads PRICES, JSON such as `{"currency": "USD", "deepgram": {"audioMinute": 0.0077}}`; undefined for an empty text. Problems are
 * added to `problems`; `providers` are all known providers.
 */
export function readPrices(given: string, providers: readonly string[], problems: string[]): Prices | undefined {
  if (given === "") return undefined;
  const prices = parseObject(given);
  if (prices === undefined) {
    problems.push("PRICES must be a JSON object of a currency and of providers");
    return undefined;
  }
  const { currency, ...priced } = prices;
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) {
    problems.push(`PRICES must have a currency of three capital letters, "currency": "USD"`);
  }
  const perUnit = new Map<string, Partial<Record<UsageUnit, number>>>();
  for (const [name, price] of Object.entries(priced)) {
    if (!providers.includes(name.split(":", 1)[0] ?? "")) {
      problems.push(`PRICES must name any of ${providers.join(", ")}, not ${JSON.stringify(name)}`);
    } else perUnit.set(name, readPrice(name, price, problems));
  }
  return { currency: String(currency), perUnit };
}

function readPrice(name: string, price: unknown, problems: string[]): Partial<Record<UsageUnit, number>> {
  const perUnit: Partial<Record<UsageUnit, number>> = {};
  const right = `numbers of at least 0 for any of ${Object.keys(PRICED).join(", ")}`;
  if (typeof price !== "object" || price === null) {
    problems.push(`PRICES must have, for ${name}, an object: ${right}`);
    return perUnit;
  }
  for (const [per, value] of Object.entries(price)) {
    const priced = isPriceName(per) ? PRICED[per] : undefined;
    if (priced === undefined || typeof value !== "number" || !(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      problems.push(`PRICES must have, for ${name}, ${right}, not ${JSON.stringify(per)}: ${JSON.stringify(value)}`);
    } else perUnit[priced[0]] = value / priced[1];
  }
  return perUnit;
}

const isPriceName = (name: string): name is PriceName => Object.hasOwn(PRICED, name);
