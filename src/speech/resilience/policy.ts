import { spendRefusalOf } from "../../core/billing/spend.ts";
import { providerFailed } from "../../core/errors.ts";
import { PROVIDER_ATTEMPTS_MAX } from "../../core/limits/speech-providers/providers.ts";
import type { ProviderObserver } from "../contracts.ts";
import { type Metering, RequestUsage } from "../metering/usage.ts";
import type { CircuitBreaker, StreamPermit } from "./circuit-breaker.ts";
import { type Deadlines, ItemWait, TIMEOUT } from "./deadlines.ts";
import { retryDelayMs, TIMED_OUT } from "./provider-error.ts";

/** A provider of any stage that answers one request with a stream of items. */
interface RequestProvider<Request, Item> {
  readonly provider: string;
  /** Sends `request`. The items end when `signal` aborts. */
  readonly send: (request: Request, signal: AbortSignal) => AsyncIterable<Item>;
}

/** How often the same request is sent to one provider. */
export interface Retries {
  readonly attemptsMax: number;
  /** The delay before a retry after `error`, ms; undefined where a retry is useless or unsafe. */
  readonly delayMs: (error: unknown) => number | undefined;
}

export const PROVIDER_RETRIES: Retries = { attemptsMax: PROVIDER_ATTEMPTS_MAX, delayMs: retryDelayMs };

/** The rules for the requests to one provider. A provider that needs a rule less leaves it out. */
interface Policy<Request, Item> {
  /** Counts what the provider bills, where the request has an observer. */
  readonly metering?: Metering<Request, Item> | undefined;
  readonly circuitBreaker?: CircuitBreaker;
  readonly deadlines?: Deadlines<Item>;
  readonly retries?: Retries;
}

/** One attempt of a request: its permit, and what is left of its deadlines, ms. */
export interface AttemptLimits {
  permit: StreamPermit;
  firstContentMs: number;
  totalMs: number;
}

/** Maps the items of one request before they are judged. What it throws is a failure of the provider. */
export interface ItemMapping<Item> {
  map(item: Item): Item;
  /** The provider has ended its items. */
  end?(): void;
}

/** A provider whose requests follow a policy. */
interface PolicyProvider<Request, Item> {
  readonly provider: string;
  /**
   * Sends `request` once and yields the items as long as each arrives in time. Time counts only while an item is being
   * waited for, so a slow reader causes no failure. It reports the outcome to the circuit breaker and releases the
   * permit of `attempt`; without an `attempt` there is no deadline. Throws `provider_failed`, with the cause TIMED_OUT
   * at a deadline, and what `observer.requesting` throws. The provider's signal aborts with `signal`, at the end and at
   * a failure; the provider's reaction to it is not waited for.
   */
  request(
    request: Request,
    signal: AbortSignal,
    observer?: ProviderObserver,
    attempt?: AttemptLimits,
    mapping?: ItemMapping<Item>,
  ): AsyncIterable<Item>;
}

/**
 * Applies `policy` to the requests of one provider. `withFallback` acquires the permits and decides about retries; the
 * rest holds within one attempt.
 */
export const withPolicy = <Request, Item, Rules extends Policy<Request, Item>>(
  provider: RequestProvider<Request, Item>,
  policy: Rules,
): Rules & PolicyProvider<Request, Item> => ({
  ...policy,
  provider: provider.provider,
  request: (...request) => requestItems(provider, policy, ...request),
});

async function* requestItems<Request, Item>(
  { provider, send }: RequestProvider<Request, Item>,
  { deadlines, metering }: Policy<Request, Item>,
  ...[request, signal, observer, attempt, mapping]: Parameters<PolicyProvider<Request, Item>["request"]>
): AsyncGenerator<Item> {
  const usage = observer && metering && new RequestUsage(provider, observer, metering(request));
  const abortController = new AbortController();
  const stop = (): void => {
    usage?.cancel();
    abortController.abort();
  };
  const wait = deadlines && attempt && new ItemWait(deadlines, attempt);
  let iterator: AsyncIterator<Item> | undefined;
  let hasAnswered = false;
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) return;
    usage?.requesting();
    iterator = send(request, abortController.signal)[Symbol.asyncIterator]();
    for (;;) {
      const result = await (wait === undefined ? iterator.next() : wait.next(iterator));
      if (signal.aborted) return;
      if (result === TIMEOUT) {
        stop();
        throw providerFailed(provider, wait?.lateness ?? "did not start in time", TIMED_OUT);
      }
      if (result.done === true) {
        usage?.end();
        mapping?.end?.();
        return;
      }
      usage?.received(result.value);
      const item = mapping === undefined ? result.value : mapping.map(result.value);
      const isContent = wait?.received(item) === true;
      if (isContent && !hasAnswered) attempt?.permit.succeeded();
      hasAnswered ||= isContent;
      yield item;
      if (signal.aborted) return;
    }
  } catch (error) {
    usage?.end();
    stop();
    if (signal.aborted) return;
    // A spend limit refused the request before it was sent: no failure of the provider.
    if (spendRefusalOf(error) === undefined) attempt?.permit.failed(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
    iterator?.return?.().catch(() => {});
    attempt?.permit.release();
  }
}
