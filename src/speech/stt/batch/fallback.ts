import type { Usage } from "../../../core/billing/usage.ts";
import type { Clock } from "../../../core/clock.ts";
import { providerFailed, TrunklineError } from "../../../core/errors.ts";
import {
  BATCH_ATTEMPTS_MAX,
  BATCH_REQUEST_MS_MAX,
  BATCH_RETRY_MS_MAX,
} from "../../../core/limits/transcriptions/batch-stt.ts";
import type { PartOutcome, PartTranscript } from "../../../core/transcriptions/part.ts";
import type { CircuitBreaker, StreamPermit } from "../../resilience/circuit-breaker.ts";
import { delay, TIMEOUT, withTimeout } from "../../resilience/deadlines.ts";
import { retryDelayMs, TIMED_OUT } from "../../resilience/provider-error.ts";
import type { AccountBatchStt, BatchRequest, BatchStt } from "./contract.ts";
import { durationMsOf } from "./speech-spans.ts";

/** A batch provider in a list of fallbacks. */
export interface BatchCandidate {
  readonly stt: BatchStt;
  readonly circuitBreaker: CircuitBreaker;
  readonly servesLanguage: (language: string) => boolean;
}

type ProviderUsage = { readonly provider: string } & Usage;

/** Several batch providers, of which one replaces another. All of them serve the requests that they get. */
export class FallbackBatchStt implements AccountBatchStt {
  readonly capabilities: BatchStt["capabilities"];
  readonly #candidates: readonly BatchCandidate[];
  readonly #clock: Clock;

  /** There is at least one candidate. */
  constructor(candidates: readonly BatchCandidate[], clock: Clock) {
    this.#candidates = candidates;
    this.#clock = clock;
    this.capabilities = commonCapabilities(candidates.map(({ stt }) => stt.capabilities));
  }

  async transcribe(
    request: BatchRequest,
    signal: AbortSignal,
    onRequest: (provider: string) => Promise<void>,
  ): Promise<PartOutcome> {
    // Of all attempts that are billed. Where none succeeds there is no outcome that could have it: then only the requests are counted.
    const usage: ProviderUsage[] = [];
    let failure: unknown;
    for (const candidate of this.#candidates) {
      for (let attempt = 1; attempt <= BATCH_ATTEMPTS_MAX; attempt += 1) {
        signal.throwIfAborted();
        const permit = candidate.circuitBreaker.tryAcquire();
        if (permit === undefined) {
          failure ??= candidate.circuitBreaker.unavailableError();
          break;
        }
        const result = await this.#attempt(candidate, permit, request, signal, onRequest);
        if (isBilled(result)) usage.push(usageOf(candidate.stt, request));
        if (!("error" in result)) return { ...result, provider: candidate.stt.provider, usage };
        failure = result.error;
        const delayMs = retryDelayMs(failure);
        if (delayMs === undefined) break;
        if (attempt < BATCH_ATTEMPTS_MAX) await delay(Math.min(delayMs, BATCH_RETRY_MS_MAX), this.#clock, signal);
      }
    }
    throw failure;
  }

  /** One request. Rejects after an abort, when `onRequest` does, and for a defect; other failures are the provider's. */
  async #attempt(
    { stt, circuitBreaker }: BatchCandidate,
    permit: StreamPermit,
    request: BatchRequest,
    signal: AbortSignal,
    onRequest: (provider: string) => Promise<void>,
  ): Promise<PartTranscript | { error: unknown }> {
    try {
      await onRequest(circuitBreaker.provider);
      signal.throwIfAborted();
      const transcript = await transcribeInTime(stt, request, signal, this.#clock);
      permit.succeeded();
      return transcript;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof TrunklineError) || error.code !== "provider_failed") throw error;
      permit.failed(error);
      return { error };
    } finally {
      permit.release();
    }
  }
}

/**
 * Resolves as the provider does; one that takes longer than BATCH_REQUEST_MS_MAX, if it has a time limit, has failed, and its request is
 * aborted.
 */
export async function transcribeInTime(
  stt: BatchStt,
  request: BatchRequest,
  signal: AbortSignal,
  clock: Clock,
): Promise<PartTranscript> {
  if (stt.hasNoTimeout === true) return await stt.transcribe(request, signal);
  const late = new AbortController();
  const pending = stt.transcribe(request, AbortSignal.any([signal, late.signal]));
  const transcript = await withTimeout(pending, BATCH_REQUEST_MS_MAX, clock);
  if (transcript !== TIMEOUT) return transcript;
  pending.catch(() => {});
  late.abort();
  throw providerFailed(stt.provider, "did not transcribe in time", TIMED_OUT);
}

/** Providers bill a part that they have transcribed, and one whose request was cancelled, but not what they refused. */
const isBilled = (result: PartTranscript | { error: unknown }): boolean =>
  !("error" in result) || (result.error instanceof Error && result.error.cause === TIMED_OUT);

const usageOf = ({ provider }: BatchStt, { samples }: BatchRequest): ProviderUsage => ({
  provider,
  audioSeconds: durationMsOf(samples) / 1_000,
});

/** What holds for all of some providers, and the concurrency of the first, which gets the requests. */
function commonCapabilities(all: readonly BatchStt["capabilities"][]): BatchStt["capabilities"] {
  const speakers = all.flatMap(({ speakersPartMsMax: ms }) => (ms === undefined ? [] : [ms]));
  return {
    partMsMax: Math.min(...all.map(({ partMsMax }) => partMsMax)),
    partMsMin: Math.min(...all.map(({ partMsMin }) => partMsMin)),
    ...(speakers.length === all.length ? { speakersPartMsMax: Math.min(...speakers) } : {}),
    vocabulary: all.some(({ vocabulary }) => vocabulary),
    detectsLanguage: all.every(({ detectsLanguage }) => detectsLanguage),
    concurrentMax: all[0]?.concurrentMax ?? 1,
  };
}
