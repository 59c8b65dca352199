import type { Clock } from "../../../src/core/clock.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import type { TimedWord, Tts, TtsChunk, TtsRequest, Voice } from "../../../src/speech/contracts.ts";
import { sleep } from "../manual-clock.ts";

export interface ScriptedTtsOptions {
  rateHz?: number;
  /** Duration of each character of a word. */
  msPerChar?: number;
  /** The silence after each word. */
  gapMs?: number;
  chunkMs?: number;
  /** Time from `speak` to its first chunk, on the clock. */
  firstMs?: number;
  /** Time between chunks, on the clock: 0 is a TTS that is always faster than its consumer. */
  perChunkMs?: number;
  wordTimes?: boolean;
  /** The request that fails, counted from 0, and after how many of its chunks. */
  failing?: { request: number; afterChunks: number };
  /** The voices that it lists; by default one of American English. */
  voices?: readonly Voice[];
}

const ONE: Voice = { id: "scripted/one", name: "One", language: "en-US", provider: "scripted" };
const DEFAULTS = { rateHz: 8_000, msPerChar: 30, gapMs: 20, chunkMs: 100, firstMs: 0, perChunkMs: 0, wordTimes: true };

/** The amplitude of scripted speech: loud enough to be distinguished from silence. */
const LOUD = 8_000;

/**
 * A Tts whose samples depend only on the text: each word is a square wave of 250 Hz of `msPerChar` for each character,
 * and is followed by silence. The same request gives the same chunks.
 */
export class ScriptedTts implements Tts {
  readonly provider = "scripted";
  readonly capabilities: Tts["capabilities"];
  readonly requests: TtsRequest[] = [];
  readonly #clock: Clock;
  readonly #options: ScriptedTtsOptions & typeof DEFAULTS;

  constructor(clock: Clock, options: ScriptedTtsOptions = {}) {
    this.#clock = clock;
    this.#options = { ...DEFAULTS, ...options };
    this.capabilities = { wordTimestamps: this.#options.wordTimes };
  }

  async voices(): Promise<readonly Voice[]> {
    return this.#options.voices ?? [ONE];
  }

  async *speak(request: TtsRequest, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const { firstMs, perChunkMs, failing } = this.#options;
    const index = this.requests.push(request) - 1;
    const chunks = this.#chunks(request.text);
    const failsAt = failing?.request === index ? failing.afterChunks : Number.POSITIVE_INFINITY;
    for (let n = 0; n < chunks.length || n === failsAt; n += 1) {
      const waitMs = n === 0 ? firstMs : perChunkMs;
      if (waitMs > 0) await sleep(this.#clock, waitMs, signal);
      if (signal.aborted) return;
      if (n === failsAt) throw providerFailed(this.provider, "failed as scripted");
      yield chunks[n] as TtsChunk;
    }
  }

  #chunks(text: string): TtsChunk[] {
    const { rateHz, chunkMs, wordTimes } = this.#options;
    const words = this.#words(text);
    const speech = this.#samples(words);
    const chunkSamples = (chunkMs * rateHz) / 1_000;
    const chunks: TtsChunk[] = [];
    for (let start = 0; start < speech.length; start += chunkSamples) {
      const samples = speech.slice(start, start + chunkSamples);
      const startMs = (start * 1_000) / rateHz;
      const endMs = ((start + samples.length) * 1_000) / rateHz;
      const completed = words.filter((word) => word.endMs > startMs && word.endMs <= endMs);
      chunks.push({ samples, rateHz, words: wordTimes ? completed : [] });
    }
    return chunks;
  }

  #samples(words: readonly TimedWord[]): Int16Array {
    const { rateHz } = this.#options;
    const perMs = rateHz / 1_000;
    const samples = new Int16Array(Math.round((words.at(-1)?.endMs ?? 0) * perMs));
    for (const { startMs, endMs } of words) {
      for (let n = startMs * perMs; n < endMs * perMs; n += 1) {
        samples[n] = Math.floor(n / (2 * perMs)) % 2 === 0 ? LOUD : -LOUD;
      }
    }
    return samples;
  }

  #words(text: string): TimedWord[] {
    const { msPerChar, gapMs } = this.#options;
    let atMs = 0;
    return text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => {
        const startMs = atMs;
        const endMs = startMs + [...word].length * msPerChar;
        atMs = endMs + gapMs;
        return { text: word, startMs, endMs };
      });
  }
}
