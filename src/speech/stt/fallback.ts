import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import type { CallStt, CallSttStream, ProviderObserver, Stt, SttStreamOptions } from "../contracts.ts";
import { FailoverSttStream, type SttCandidate } from "./failover-stream.ts";

/**
 * STT with failover: the first provider transcribes, and when it fails the next one gets the audio since the last
 * final. It accepts the sample rates that all providers have in common. `interimTranscripts` is that of the first
 * provider. If a fallback lacks interim transcripts, interruptions only take longer to detect.
 */
export class FallbackStt implements CallStt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  readonly #candidates: readonly SttCandidate[];
  readonly #clock: Clock;

  constructor(candidates: readonly SttCandidate[], clock: Clock) {
    const [first] = candidates;
    assert.ok(first !== undefined, "FallbackStt needs at least one candidate");
    const { ratesHz, interimTranscripts } = first.stt.capabilities;
    const common = ratesHz.filter((rate) => candidates.every(({ stt }) => stt.capabilities.ratesHz.includes(rate)));
    assert.ok(common.length > 0, "STT candidates must have a sample rate in common");
    this.provider = first.stt.provider;
    const anyLanguage = candidates.every(({ stt }) => stt.capabilities.anyLanguage === true);
    const detectsLanguage = (language: string): boolean =>
      candidates.every(
        ({ stt: { capabilities: own } }) => own.anyLanguage === true || own.detectsLanguage?.(language) === true,
      );
    this.capabilities = { ratesHz: common, interimTranscripts, anyLanguage, detectsLanguage };
    this.#candidates = candidates;
    this.#clock = clock;
  }

  open(options: SttStreamOptions, signal: AbortSignal, observer?: ProviderObserver): CallSttStream {
    return new FailoverSttStream(this.#candidates, { ...options, observer }, this.#clock, signal);
  }
}
