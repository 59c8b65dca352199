import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { type ChainedEar, Listening } from "./listening.ts";
import type { EngineWatch, ListenOptions, Stt, SttStream } from "./speech.ts";

/**
 * Several ears as one: the first listens, and when it fails the next one, which is told what was said since the last final. It takes
 * the rates that all of them take. Whether it tells partial words is what the first does: calls are made for that, and one that goes
 * on with an ear of the other kind is only slower to be interrupted.
 */
export class EarChain implements Stt {
  readonly provider: string;
  readonly capabilities: Stt["capabilities"];
  readonly #ears: readonly ChainedEar[];
  readonly #clock: Clock;

  constructor(ears: readonly ChainedEar[], clock: Clock) {
    const [first] = ears;
    assert.ok(first !== undefined, "at least one ear");
    const { ratesHz, partials } = first.stt.capabilities;
    const common = ratesHz.filter((rate) => ears.every(({ stt }) => stt.capabilities.ratesHz.includes(rate)));
    assert.ok(common.length > 0, "the ears of a chain must have a rate in common");
    this.provider = first.stt.provider;
    const anyLanguage = ears.every(({ stt }) => stt.capabilities.anyLanguage === true);
    const detects = (language: string): boolean =>
      ears.every(({ stt: { capabilities: own } }) => own.anyLanguage === true || own.detects?.(language) === true);
    this.capabilities = { ratesHz: common, partials, anyLanguage, detects };
    this.#ears = ears;
    this.#clock = clock;
  }

  open(options: ListenOptions, signal: AbortSignal, watch?: EngineWatch): SttStream {
    return new Listening(this.#ears, { ...options, watch }, this.#clock, signal);
  }
}
