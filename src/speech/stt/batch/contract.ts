import {
  BATCH_CONCURRENT_MAX,
  BATCH_PART_MS_MAX,
  BATCH_PART_MS_MIN,
} from "../../../core/limits/transcriptions/batch-stt.ts";
import type { PartOutcome, PartTranscript } from "../../../core/transcriptions/part.ts";

/** The rate of the audio that batch providers get, Hz. */
export const BATCH_RATE_HZ = 16_000;

/** One part of a recording. */
export interface BatchRequest {
  /** Signed 16-bit mono at BATCH_RATE_HZ. Owned by the request: they must not change any more. */
  readonly samples: Int16Array;
  /** A code from `GET /languages`, or `auto`. */
  readonly language: string;
  readonly speakers: boolean;
  readonly vocabulary: readonly string[];
}

/**
 * Transcribes parts of recordings, one request each. An adapter never retries and never falls back. It throws TrunklineError
 * `provider_failed`, whose text has no API key and no spoken word; after an abort it rejects with the abort's reason.
 */
export interface BatchStt {
  /** The same short name as the provider's `Stt`. */
  readonly provider: string;
  readonly capabilities: {
    /** The longest part, ms, and the shortest that ends with a mere pause: longer parts have more context. */
    readonly partMsMax: number;
    readonly partMsMin: number;
    /** The longest part with speakers, whose numbers hold only within a part; absent where it has none. */
    readonly speakersPartMsMax?: number;
    readonly vocabulary: boolean;
    readonly detectsLanguage: boolean;
    /** So many requests at once are useful. */
    readonly concurrentMax: number;
  };
  /** Its requests wait until calls leave it time, and end by themselves: they have no time limit. Only for models on this machine. */
  readonly hasNoTimeout?: true;
  transcribe(request: BatchRequest, signal: AbortSignal): Promise<PartTranscript>;
}

/** What providers over the network have in common. */
export const NETWORK_CAPABILITIES = {
  partMsMax: BATCH_PART_MS_MAX,
  partMsMin: BATCH_PART_MS_MIN,
  vocabulary: true,
  concurrentMax: BATCH_CONCURRENT_MAX,
} as const;

/** The batch providers of one account, of which one replaces another. */
export interface AccountBatchStt {
  readonly capabilities: BatchStt["capabilities"];
  /**
   * Tries the providers that serve the request in their order, each at most twice, as their circuit breakers allow. `onRequest` is
   * awaited before each attempt, because it is counted even if this process dies. Rejects with `provider_failed` when all have failed.
   */
  transcribe(
    request: BatchRequest,
    signal: AbortSignal,
    onRequest: (provider: string) => Promise<void>,
  ): Promise<PartOutcome>;
}
