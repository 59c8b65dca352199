import { createHash } from "node:crypto";
import {
  TTS_CACHE_BYTES_MAX,
  TTS_CACHE_CANDIDATES_MAX,
  TTS_CACHE_ENTRY_BYTES_MAX,
  TTS_CACHE_TEXT_CHARS_MAX,
} from "../../core/limits/tts.ts";
import type { TtsChunk, TtsRequest } from "../contracts.ts";

interface CacheEntry {
  chunks: readonly TtsChunk[];
  bytes: number;
}

/**
 * Speech that is asked for again and again, by all calls: greetings, "one moment, please", goodbyes. A text is kept from the second
 * time on that a voice is asked for it, since what a model says is said once. Of what was asked for only a digest is remembered, of
 * what is kept the sound, both in bounded memory alone; what was used longest ago goes first.
 */
export class TtsCache {
  readonly #bytesMax: number;
  /** Oldest use first. */
  readonly #entries = new Map<string, CacheEntry>();
  readonly #candidates = new Set<string>();
  #bytes = 0;

  constructor(bytesMax: number = TTS_CACHE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** How much is kept, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What `request` sounds like, where that is kept: then nobody needs to be asked. */
  get(request: TtsRequest): Iterable<TtsChunk> | undefined {
    return this.#copies(keyFor(request));
  }

  /** What `request` sounds like: as it is kept, or as `make` has it spoken, which is kept where it came whole. */
  async *speak(
    request: TtsRequest,
    make: () => AsyncIterable<TtsChunk>,
    signal: AbortSignal,
  ): AsyncGenerator<TtsChunk> {
    const key = keyFor(request);
    const kept = this.#copies(key);
    if (kept !== undefined) {
      for (const chunk of kept) {
        if (signal.aborted) return;
        yield chunk;
      }
    } else if (key === undefined || this.#isFirst(key)) {
      yield* make();
    } else {
      yield* this.#caching(key, make(), signal);
    }
  }

  async *#caching(key: string, speech: AsyncIterable<TtsChunk>, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const chunks: TtsChunk[] = [];
    let bytes = 0;
    for await (const chunk of speech) {
      bytes += chunk.samples.byteLength;
      if (bytes <= TTS_CACHE_ENTRY_BYTES_MAX) chunks.push(copyOf(chunk));
      else chunks.length = 0;
      yield chunk;
      if (signal.aborted) return;
    }
    if (!signal.aborted && bytes > 0 && bytes <= TTS_CACHE_ENTRY_BYTES_MAX) this.#store(key, { chunks, bytes });
  }

  #copies(key: string | undefined): Iterable<TtsChunk> | undefined {
    const kept = key === undefined ? undefined : this.#find(key);
    return kept === undefined ? undefined : copiesOf(kept.chunks);
  }

  #find(key: string): CacheEntry | undefined {
    const kept = this.#entries.get(key);
    if (kept === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, kept);
    return kept;
  }

  #isFirst(key: string): boolean {
    if (this.#candidates.has(key)) return false;
    this.#candidates.add(key);
    if (this.#candidates.size > TTS_CACHE_CANDIDATES_MAX)
      this.#candidates.delete(this.#candidates.values().next().value as string);
    return true;
  }

  #store(key: string, kept: CacheEntry): void {
    // Two calls may have had it spoken at once.
    if (this.#entries.has(key)) return;
    this.#entries.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/** What speech is kept by; undefined of a text that is too long for that. */
function keyFor({ voiceId, language, rateHz = 0, text }: TtsRequest): string | undefined {
  if (text.length > TTS_CACHE_TEXT_CHARS_MAX) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([voiceId, language, rateHz, text]))
    .digest("base64");
}

/** Chunks are the consumer's to keep, and so to change. */
function* copiesOf(chunks: readonly TtsChunk[]): Generator<TtsChunk> {
  for (const chunk of chunks) yield copyOf(chunk);
}

const copyOf = ({ samples, rateHz, words }: TtsChunk): TtsChunk => ({ samples: samples.slice(), rateHz, words });
