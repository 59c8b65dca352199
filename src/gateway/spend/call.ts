import { knownCostOf, type Prices } from "../../core/billing/prices.ts";
import {
  exceededUnit,
  type Spend,
  type SpendRefusal,
  type SpendSettings,
  SpendWindow,
  spendLimited,
} from "../../core/billing/spend.ts";
import type { Usage } from "../../core/billing/usage.ts";
import { elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { AccountSpends } from "./account.ts";

export interface CallSpendOptions {
  accountId: string;
  settings: SpendSettings;
  /** Shared by all calls of this worker. */
  accountSpends: Pick<AccountSpends, "refusal" | "add" | "refund">;
  /** The maximum cost of the call; undefined for no bound. */
  maxCost: number | undefined;
  prices: Prices | undefined;
  metrics: Pick<WorkerMetrics, "spendRefused" | "llmRequested">;
  nowMs: () => MonotonicMs;
}

/**
 * What one call spends, and whether it may spend more. A request to a provider is charged with its estimate before it
 * is sent, and corrected by what the provider reports: a higher amount is added when it is reported, a lower one is
 * refunded to the second in which the request was sent, so that no minute is undercounted. If nothing is reported, the
 * estimate stands.
 */
export class CallSpend {
  readonly #options: CallSpendOptions;
  readonly #window = new SpendWindow();
  /** When each request was charged, by its estimate, ms. */
  readonly #chargedMs = new WeakMap<Usage, MonotonicMs>();
  #cost = 0;
  #isCostReported = false;

  constructor(options: CallSpendOptions) {
    this.#options = options;
  }

  /**
   * A request to `provider` is about to be sent, with this `estimate`. Throws `spend_limit` where the call or its
   * account may not spend that; then it must not be sent. `isOwnPhrase`: service phrases are charged and never refused.
   */
  request(provider: string, estimate: Usage, isOwnPhrase = false): void {
    const { accountId, accountSpends, metrics, nowMs } = this.#options;
    const charge = chargeOf(estimate);
    const refusal = isOwnPhrase ? undefined : this.#refusal(provider, estimate, charge);
    if (refusal !== undefined) {
      metrics.spendRefused(refusal);
      throw spendLimited(refusal);
    }
    if (charge.llm_requests !== undefined) metrics.llmRequested(provider);
    this.#chargedMs.set(estimate, nowMs());
    this.#window.add(charge, nowMs());
    accountSpends.add(accountId, charge);
  }

  /**
   * `provider` reports its usage; `estimate` is the one given to `request`, if there was one. Returns true once, when
   * the call has reached its maximum cost: then it must end.
   */
  used(provider: string, usage: Usage, estimate: Usage = {}): boolean {
    const { accountId, accountSpends, maxCost = Number.POSITIVE_INFINITY, prices, nowMs } = this.#options;
    const inputTokens = (usage.inputTokens ?? 0) - (estimate.inputTokens ?? 0);
    const more: Partial<Spend> = {
      input_tokens: Math.max(0, inputTokens),
      output_tokens: usage.outputTokens ?? 0,
      tts_characters: Math.max(0, (usage.characters ?? 0) - (estimate.characters ?? 0)),
    };
    this.#window.add(more, nowMs());
    accountSpends.add(accountId, more);
    if (inputTokens < 0) this.#refund({ input_tokens: -inputTokens }, this.#chargedMs.get(estimate) ?? monotonicMs(0));
    this.#cost += knownCostOf(provider, usage, prices);
    if (this.#cost < maxCost || this.#isCostReported) return false;
    this.#isCostReported = true;
    return true;
  }

  #refund(less: Partial<Spend>, chargedMs: MonotonicMs): void {
    const { accountId, accountSpends, nowMs } = this.#options;
    this.#window.refund(less, chargedMs, nowMs());
    accountSpends.refund(accountId, less, elapsedMs(chargedMs, nowMs()));
  }

  /** The action after a refusal. When the maximum cost is reached, the call ends, because waiting does not help. */
  actionFor({ limit }: SpendRefusal): SpendSettings["action"] {
    return limit === "cost" ? "end" : this.#options.settings.action;
  }

  #refusal(provider: string, estimate: Usage, charge: Partial<Spend>): SpendRefusal | undefined {
    const { accountId, accountSpends, maxCost, prices, settings, nowMs } = this.#options;
    // An answer is useless if nothing can be generated or spoken.
    const requested = charge.llm_requests === undefined ? charge : { output_tokens: 1, tts_characters: 1, ...charge };
    const ofCall = exceededUnit(this.#window.sums(nowMs()), requested, settings.call);
    if (ofCall !== undefined) return { scope: "call", limit: ofCall };
    const ofAccount = accountSpends.refusal(accountId, requested);
    if (ofAccount !== undefined) return { scope: "account", limit: ofAccount };
    const cost = knownCostOf(provider, estimate, prices);
    return maxCost !== undefined && this.#cost + cost > maxCost ? { scope: "call", limit: "cost" } : undefined;
  }
}

/** The charge of a request before it is sent. */
function chargeOf({ inputTokens, characters }: Usage): Partial<Spend> {
  return {
    ...(inputTokens !== undefined && { llm_requests: 1, input_tokens: inputTokens }),
    ...(characters !== undefined && { tts_characters: characters }),
  };
}
