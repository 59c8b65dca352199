import type { Clock } from "../core/clock.ts";
import { providerFailed, type TrunklineError } from "../core/errors.ts";
import { PROVIDER_FAILURES_MAX, PROVIDER_PROBE_MS } from "../core/limits.ts";
import type { Engine } from "../core/metrics.ts";
import { isOfRequest, LEFT_ALONE } from "./refusal.ts";

/** Told of what providers do, whether or not another one, or another try, makes up for it. */
export interface ProviderWatch {
  /** There is such a provider, and calls may come to need it. */
  known(engine: Engine, provider: string): void;
  failed(engine: Engine, provider: string, error: unknown): void;
  /** It has failed too often in a row and is left alone but for a probe now and then; or it answers again. */
  leftAlone(engine: Engine, provider: string, isLeftAlone: boolean): void;
}

/** One stream of a provider. */
export interface Passage {
  /** It told something that it was asked for: the provider is well. */
  answered(): void;
  failed(error: unknown): void;
  /** It is over, whatever became of it; once more is nothing. */
  leave(): void;
}

export interface ProviderLineOptions {
  engine: Engine;
  provider: string;
  /** Streams it may have at once. */
  streamsMax: number;
  clock: Clock;
  watch: ProviderWatch;
}

/**
 * Who may open a stream to one provider, of all calls of the process: no more at once than are paid for, and none but a probe now
 * and then while it fails (a circuit breaker).
 */
export class ProviderLine {
  readonly #options: ProviderLineOptions;
  #streams = 0;
  #failures = 0;
  /** Failures that were counted, ever: streams that were open at one of them tell nothing new by theirs. */
  #incidents = 0;
  /** The next probe may be sent then. */
  #probeMs = 0;

  constructor(options: ProviderLineOptions) {
    this.#options = options;
    options.watch.known(options.engine, options.provider);
  }

  get provider(): string {
    return this.#options.provider;
  }

  /** Whether a stream may be opened now. */
  get mayEnter(): boolean {
    return (
      this.#streams < this.#options.streamsMax && !(this.#isLeftAlone && this.#options.clock.nowMs() < this.#probeMs)
    );
  }

  /** A stream, if one may be opened now; it must `leave` in the end. */
  enter(): Passage | undefined {
    if (!this.mayEnter) return undefined;
    // A probe that hangs keeps nobody from the next.
    if (this.#isLeftAlone) this.#probeMs = this.#options.clock.nowMs() + PROVIDER_PROBE_MS;
    const incidents = this.#incidents;
    let isOver = false;
    this.#streams += 1;
    return {
      answered: () => this.#onAnswer(incidents),
      failed: (error) => this.#onFailure(error, incidents),
      leave: () => {
        if (!isOver) this.#streams -= 1;
        isOver = true;
      },
    };
  }

  /** What those are told who may not. */
  refusal(): TrunklineError {
    const { provider, streamsMax } = this.#options;
    const isFull = this.#streams >= streamsMax;
    const what = isFull ? "has all the streams that it may have" : "is left alone for now";
    return providerFailed(provider, what, LEFT_ALONE);
  }

  get #isLeftAlone(): boolean {
    return this.#failures >= PROVIDER_FAILURES_MAX;
  }

  /** What a stream tells that was open at the last failure is older than that. */
  #onAnswer(incidents: number): void {
    const { engine, provider, watch } = this.#options;
    if (incidents !== this.#incidents) return;
    const wasLeftAlone = this.#isLeftAlone;
    this.#failures = 0;
    if (wasLeftAlone) watch.leftAlone(engine, provider, false);
  }

  /** A program that dies takes all its streams with it, which is one failure; what is said of a request is none. */
  #onFailure(error: unknown, incidents: number): void {
    const { engine, provider, clock, watch } = this.#options;
    watch.failed(engine, provider, error);
    if (incidents !== this.#incidents || isOfRequest(error)) return;
    const wasLeftAlone = this.#isLeftAlone;
    this.#incidents += 1;
    this.#failures += 1;
    if (!this.#isLeftAlone) return;
    this.#probeMs = clock.nowMs() + PROVIDER_PROBE_MS;
    if (!wasLeftAlone) watch.leftAlone(engine, provider, true);
  }
}
