import type { CallStt } from "../contracts.ts";
import type { CircuitBreaker, StreamPermit } from "../resilience/circuit-breaker.ts";

/** An STT in a list of fallbacks. */
export interface SttCandidate {
  readonly stt: CallStt;
  readonly circuitBreaker: CircuitBreaker;
  /** Whether it transcribes `language`, a code; any language where this is absent. */
  readonly servesLanguage?: (language: string) => boolean;
}

/** Those of `candidates` that transcribe `language`, in their order. */
export const candidatesServing = (candidates: readonly SttCandidate[], language: string): SttCandidate[] =>
  candidates.filter(({ servesLanguage }) => servesLanguage?.(language) ?? true);

/** The candidates of one stream that serve the call's language, and which of them to try next. */
export class CandidateRotation {
  readonly #all: readonly SttCandidate[];
  #serving: readonly SttCandidate[];
  /** Candidates that refused this stream in a way that a retry does not change. */
  readonly #refused = new Set<SttCandidate>();
  /** The index of the candidate to try next. */
  #nextIndex = 0;

  /** Where no candidate serves `language`, all are tried. */
  constructor(all: readonly SttCandidate[], language: string) {
    this.#all = all;
    const serving = candidatesServing(all, language);
    this.#serving = serving.length > 0 ? serving : all;
  }

  /** How many serve the language. */
  get count(): number {
    return this.#serving.length;
  }

  /** The candidate that would be tried next. */
  get next(): SttCandidate {
    return this.#serving[this.#nextIndex] as SttCandidate;
  }

  /** Whether a candidate follows `candidate` that serves the language. */
  hasFallback(candidate: SttCandidate): boolean {
    return candidate !== this.#serving.at(-1);
  }

  /** Every candidate has refused the stream. */
  get isExhausted(): boolean {
    return this.#serving.every((candidate) => this.#refused.has(candidate));
  }

  /**
   * The call continues in `language`: with `current`, the candidate of the open stream, if that serves it, otherwise with
   * the first that does, also one that refused the language before. False where none does: then nothing changes.
   */
  setLanguage(language: string, current: SttCandidate | undefined): boolean {
    const serving = candidatesServing(this.#all, language);
    if (serving.length === 0) return false;
    // A request in another language is another request.
    this.#refused.clear();
    this.#serving = serving;
    this.#nextIndex = current === undefined ? 0 : Math.max(0, serving.indexOf(current));
    return true;
  }

  /** The first candidate from the next one on that may be used now, with its permit; undefined where there is none. */
  acquire(): { candidate: SttCandidate; permit: StreamPermit } | undefined {
    for (let tried = 0; tried < this.count; tried += 1) {
      const { next: candidate } = this;
      const permit = this.#refused.has(candidate) ? undefined : candidate.circuitBreaker.tryAcquire();
      if (permit !== undefined) return { candidate, permit };
      this.advance();
    }
    return undefined;
  }

  /** The candidate after the next one is the next. */
  advance(): void {
    this.#nextIndex = (this.#nextIndex + 1) % this.count;
  }

  /** `candidate` is not tried again. */
  refuse(candidate: SttCandidate): void {
    this.#refused.add(candidate);
  }
}
