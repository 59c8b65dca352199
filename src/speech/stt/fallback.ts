import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import type { CallStt, CallSttStream, ProviderObserver, Stt, SttStreamOptions } from "../contracts.ts";
import { candidatesServing, type SttCandidate } from "./candidates.ts";
import { FailoverSttStream } from "./failover-stream.ts";

/**
 * STT with failover: the first provider that serves the language of the call transcribes, and when it fails the next one
 * gets the audio since the last final. It accepts the sample rates that all providers have in common.
 * `interimTranscripts` and `finalPerUtterance` are those of the first. If a fallback lacks interim transcripts, or the provider of a language that
 * the call changes to, interruptions only take longer to detect.
 */
export class FallbackStt implements CallStt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  readonly #candidates: readonly SttCandidate[];
  readonly #clock: Clock;

  /** `first` is the provider of the calls' first language; by default the first of all. */
  constructor(candidates: readonly SttCandidate[], clock: Clock, first = candidates[0]) {
    assert.ok(first !== undefined, "FallbackStt needs at least one candidate");
    const { ratesHz, interimTranscripts, finalPerUtterance = false } = first.stt.capabilities;
    const common = ratesHz.filter((rate) => candidates.every(({ stt }) => stt.capabilities.ratesHz.includes(rate)));
    assert.ok(common.length > 0, "STT candidates must have a sample rate in common");
    this.provider = first.stt.provider;
    this.capabilities = { ratesHz: common, interimTranscripts, finalPerUtterance };
    this.#candidates = candidates;
    this.#clock = clock;
  }

  servesLanguage(language: string): boolean {
    return candidatesServing(this.#candidates, language).length > 0;
  }

  /** Where no provider serves `language`, the STT of every call. */
  forLanguage(language: string): CallStt {
    const [first] = candidatesServing(this.#candidates, language);
    return first === undefined || first.stt.provider === this.provider
      ? this
      : new FallbackStt(this.#candidates, this.#clock, first);
  }

  open(options: SttStreamOptions, signal: AbortSignal, observer?: ProviderObserver): CallSttStream {
    return new FailoverSttStream(this.#candidates, { ...options, observer }, this.#clock, signal);
  }
}
