import { createHash } from "node:crypto";
import {
  TTS_CACHE_BYTES_MAX,
  TTS_CACHE_CANDIDATES_MAX,
  TTS_CACHE_ENTRY_BYTES_MAX,
  TTS_CACHE_TEXT_CHARS_MAX,
} from "../../core/limits/speech-providers/tts.ts";
import type { TtsChunk, TtsRequest } from "../contracts.ts";

interface CacheEntry {
  chunks: readonly TtsChunk[];
  bytes: number;
}

/** The audio of one request on its way into the cache. */
export interface CacheCollector {
  /** Adds a copy of `chunk`. */
  add(chunk: TtsChunk): void;
  /** The audio is complete: only now it is cached. */
  complete(): void;
}

/** The cache as a TTS uses it. */
export type SpeechCache = Pick<TtsCache, "get" | "collect">;

/**
 * Caches speech that many calls request again: greetings, "one moment, please", goodbyes. A text is cached when it is
 * requested the second time, because most replies of an LLM are spoken only once. Of a first request the cache stores
 * a digest, of a cached text its audio. Both are in bounded memory only; the least recently used entry is evicted.
 */
export class TtsCache {
  readonly #bytesMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, CacheEntry>();
  readonly #candidates = new Set<string>();
  #bytes = 0;

  constructor(bytesMax: number = TTS_CACHE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Size of the cached audio. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The part of the cache that only those with the same `scope` see. */
  scopedTo(scope: string): SpeechCache {
    return {
      get: (request) => this.get(request, scope),
      collect: (request) => this.collect(request, scope),
    };
  }

  /** The cached audio of `request`; undefined if it is not cached. Chunks belong to the reader, so these are copies. */
  get(request: TtsRequest, scope = ""): Iterable<TtsChunk> | undefined {
    const key = keyFor(request, scope);
    const entry = key === undefined ? undefined : this.#find(key);
    return entry === undefined ? undefined : copiesOf(entry.chunks);
  }

  /** Collects the audio that a provider sends for `request`; undefined if it is not to be cached. */
  collect(request: TtsRequest, scope = ""): CacheCollector | undefined {
    const key = keyFor(request, scope);
    if (key === undefined || this.#isFirst(key)) return undefined;
    const chunks: TtsChunk[] = [];
    let bytes = 0;
    return {
      add(chunk) {
        bytes += chunk.samples.byteLength;
        if (bytes <= TTS_CACHE_ENTRY_BYTES_MAX) chunks.push(copyOf(chunk));
        else chunks.length = 0;
      },
      complete: () => {
        if (bytes > 0 && bytes <= TTS_CACHE_ENTRY_BYTES_MAX) this.#store(key, { chunks, bytes });
      },
    };
  }

  #find(key: string): CacheEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #isFirst(key: string): boolean {
    if (this.#candidates.has(key)) return false;
    this.#candidates.add(key);
    if (this.#candidates.size > TTS_CACHE_CANDIDATES_MAX)
      this.#candidates.delete(this.#candidates.values().next().value as string);
    return true;
  }

  #store(key: string, entry: CacheEntry): void {
    // Two calls may have requested the same text at the same time.
    if (this.#entries.has(key)) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/** The cache key of a request; undefined for a text that is too long to be cached. */
function keyFor({ voiceId, language, rateHz = 0, text }: TtsRequest, scope: string): string | undefined {
  if (text.length > TTS_CACHE_TEXT_CHARS_MAX) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([scope, voiceId, language, rateHz, text]))
    .digest("base64");
}

function* copiesOf(chunks: readonly TtsChunk[]): Generator<TtsChunk> {
  for (const chunk of chunks) yield copyOf(chunk);
}

const copyOf = ({ samples, rateHz, words }: TtsChunk): TtsChunk => ({ samples: samples.slice(), rateHz, words });
