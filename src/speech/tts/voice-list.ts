import type { Clock } from "../../core/clock.ts";
import { addMs, monotonicMs } from "../../core/clocks.ts";
import { providerFailed } from "../../core/errors.ts";
import {
  VOICE_LIST_FRESH_MS,
  VOICE_LIST_MS_MAX,
  VOICE_LIST_RETRY_MS,
  VOICES_PER_PROVIDER_MAX,
} from "../../core/limits/speech-providers/tts.ts";
import type { Voice } from "../contracts.ts";

/** Fetches the whole list and reports after each page the voices read so far; stops when `signal` aborts. */
export type FetchVoices = (
  signal: AbortSignal,
  onPage: (voices: readonly Voice[]) => void,
) => Promise<readonly Voice[]>;

/**
 * Caches a provider's voice list. An old list remains in use while a new one is fetched; a request before the first
 * list waits for it. After a failure the list is not fetched again for a while, however often it is requested. If there
 * is no older list, the voices read before the failure are the list.
 */
export class CachedVoiceList {
  readonly #provider: string;
  readonly #clock: Clock;
  readonly #fetchVoices: FetchVoices;
  #voices: readonly Voice[] | undefined;
  #loading: Promise<readonly Voice[]> | undefined;
  /** The time of the next fetch. */
  #dueMs = monotonicMs(Number.NEGATIVE_INFINITY);
  #failure: unknown;
  readonly #life = new AbortController();

  constructor(provider: string, clock: Clock, fetchVoices: FetchVoices) {
    this.#provider = provider;
    this.#clock = clock;
    this.#fetchVoices = fetchVoices;
  }

  /** Rejects with `provider_failed` if there has never been a list. */
  async voices(): Promise<readonly Voice[]> {
    const isDue = this.#clock.nowMs() >= this.#dueMs && !this.#life.signal.aborted;
    if (isDue) this.#loading ??= this.#refresh();
    if (this.#voices !== undefined) {
      // The old list remains in use, so a failed fetch is no error here.
      this.#loading?.catch(() => {});
      return this.#voices;
    }
    if (this.#loading !== undefined) return this.#loading;
    throw this.#failure ?? providerFailed(this.#provider, "closed");
  }

  close(): void {
    this.#life.abort();
  }

  async #refresh(): Promise<readonly Voice[]> {
    const deadline = new AbortController();
    const cancel = this.#clock.after(VOICE_LIST_MS_MAX, () => deadline.abort());
    let read: readonly Voice[] = [];
    try {
      const signal = AbortSignal.any([deadline.signal, this.#life.signal]);
      const voices = await this.#fetchVoices(signal, (soFar) => {
        read = soFar;
      });
      this.#voices = distinct(voices).slice(0, VOICES_PER_PROVIDER_MAX);
      this.#dueMs = addMs(this.#clock.nowMs(), VOICE_LIST_FRESH_MS);
      return this.#voices;
    } catch (error) {
      this.#dueMs = addMs(this.#clock.nowMs(), VOICE_LIST_RETRY_MS);
      this.#failure = deadline.signal.aborted
        ? providerFailed(this.#provider, "did not list its voices in time")
        : error;
      if (read.length === 0 || this.#voices !== undefined) throw this.#failure;
      this.#voices = distinct(read).slice(0, VOICES_PER_PROVIDER_MAX);
      return this.#voices;
    } finally {
      cancel();
      this.#loading = undefined;
    }
  }
}

const distinct = (voices: readonly Voice[]): Voice[] => [...new Map(voices.map((voice) => [voice.id, voice])).values()];
