import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import type { ProviderObserver, Stt, SttStream, SttStreamOptions } from "../contracts.ts";
import { FailoverSttStream, type SttCandidate } from "./failover-stream.ts";

/**
 * Several ears as one: the first listens, and when it fails the next one, which is told what was said since the last final. It takes
 * the rates that all of them take. Whether it tells partial words is what the first does: calls are made for that, and one that goes
 * on with an ear of the other kind is only slower to be interrupted.
 */
export class FallbackStt implements Stt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  readonly #candidates: readonly SttCandidate[];
  readonly #clock: Clock;

  constructor(ears: readonly SttCandidate[], clock: Clock) {
    const [first] = ears;
    assert.ok(first !== undefined, "at least one ear");
    const { ratesHz, interimTranscripts } = first.stt.capabilities;
    const common = ratesHz.filter((rate) => ears.every(({ stt }) => stt.capabilities.ratesHz.includes(rate)));
    assert.ok(common.length > 0, "the ears of a chain must have a rate in common");
    this.provider = first.stt.provider;
    const anyLanguage = ears.every(({ stt }) => stt.capabilities.anyLanguage === true);
    const detectsLanguage = (language: string): boolean =>
      ears.every(
        ({ stt: { capabilities: own } }) => own.anyLanguage === true || own.detectsLanguage?.(language) === true,
      );
    this.capabilities = { ratesHz: common, interimTranscripts, anyLanguage, detectsLanguage };
    this.#candidates = ears;
    this.#clock = clock;
  }

  open(options: SttStreamOptions, signal: AbortSignal, observer?: ProviderObserver): SttStream {
    return new FailoverSttStream(this.#candidates, { ...options, observer }, this.#clock, signal);
  }
}
