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
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { AccountSpends } from "./account.ts";

export interface CallSpendOptions {
  accountId: string;
  settings: SpendSettings;
  /** Of all calls of this worker. */
  accountSpends: Pick<AccountSpends, "refusal" | "add" | "refund">;
  /** What the call may cost; undefined for no bound. */
  maxCost: number | undefined;
  prices: Prices | undefined;
  metrics: Pick<WorkerMetrics, "spendRefused" | "llmRequested">;
  nowMs: () => number;
}

/**
 * What one call spends, and whether it may spend more. A request to a provider is charged before it is sent, by what it is estimated to
 * come to, and then by what the provider reports instead: what that is more is added when it is reported, what it is less is taken back in the
 * second in which the request was sent, so that no minute is ever short of it. What is never reported stays as estimated.
 */
export class CallSpend {
  readonly #options: CallSpendOptions;
  readonly #window = new SpendWindow();
  /** When the requests were charged, by their estimates, ms. */
  readonly #chargedMs = new WeakMap<Usage, number>();
  #cost = 0;
  #isCostReported = false;

  constructor(options: CallSpendOptions) {
    this.#options = options;
  }

  /**
   * `provider` is about to be asked for something that comes to about `estimate`. Throws `spend_limit` where the call or its account
   * may not spend that; then it must not be asked. `isOwnPhrase`: the service's own phrases are charged and never refused.
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
   * `provider` reports what it did; `estimate` is what `request` was told of it, where it was. Whether the call has now cost all that it
   * may, for the first time: then it must end.
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
    if (inputTokens < 0) this.#refund({ input_tokens: -inputTokens }, this.#chargedMs.get(estimate) ?? 0);
    this.#cost += knownCostOf(provider, usage, prices);
    if (this.#cost < maxCost || this.#isCostReported) return false;
    this.#isCostReported = true;
    return true;
  }

  #refund(less: Partial<Spend>, chargedMs: number): void {
    const { accountId, accountSpends, nowMs } = this.#options;
    this.#window.refund(less, chargedMs, nowMs());
    accountSpends.refund(accountId, less, nowMs() - chargedMs);
  }

  /** What comes of a refusal: of `maxCost`, which no waiting makes larger, the end of the call. */
  actionFor({ limit }: SpendRefusal): SpendSettings["action"] {
    return limit === "cost" ? "end" : this.#options.settings.action;
  }

  #refusal(provider: string, estimate: Usage, charge: Partial<Spend>): SpendRefusal | undefined {
    const { accountId, accountSpends, maxCost, prices, settings, nowMs } = this.#options;
    // An answer is of no use where no more of it can be made or spoken.
    const asked = charge.llm_requests === undefined ? charge : { output_tokens: 1, tts_characters: 1, ...charge };
    const ofCall = exceededUnit(this.#window.sums(nowMs()), asked, settings.call);
    if (ofCall !== undefined) return { scope: "call", limit: ofCall };
    const ofAccount = accountSpends.refusal(accountId, asked);
    if (ofAccount !== undefined) return { scope: "account", limit: ofAccount };
    const cost = knownCostOf(provider, estimate, prices);
    return maxCost !== undefined && this.#cost + cost > maxCost ? { scope: "call", limit: "cost" } : undefined;
  }
}

/** What a request is charged before it is sent. */
function chargeOf({ inputTokens, characters }: Usage): Partial<Spend> {
  return {
    ...(inputTokens !== undefined && { llm_requests: 1, input_tokens: inputTokens }),
    ...(characters !== undefined && { tts_characters: characters }),
  };
}
