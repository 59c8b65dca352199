import { createHash } from "node:crypto";
import {
  SPEECH_ASKED_MAX,
  SPEECH_CACHE_BYTES_MAX,
  SPEECH_CACHED_BYTES_MAX,
  SPEECH_CACHED_CHARS_MAX,
} from "../core/limits.ts";
import type { SpeechRequest, TtsChunk } from "./speech.ts";

interface Kept {
  chunks: readonly TtsChunk[];
  bytes: number;
}

/**
 * Speech that is asked for again and again, by all calls: greetings, "one moment, please", goodbyes. A text is kept from the second
 * time on that a voice is asked for it, since what a model says is said once. Of what was asked for only a digest is remembered, of
 * what is kept the sound, both in bounded memory alone; what was used longest ago goes first.
 */
export class SpeechCache {
  readonly #bytesMax: number;
  /** Oldest use first. */
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Set<string>();
  #bytes = 0;

  constructor(bytesMax: number = SPEECH_CACHE_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** How much is kept, bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What `request` sounds like, where that is kept: then nobody needs to be asked. */
  kept(request: SpeechRequest): Iterable<TtsChunk> | undefined {
    return this.#copies(keyFor(request));
  }

  /** What `request` sounds like: as it is kept, or as `make` has it spoken, which is kept where it came whole. */
  async *speak(
    request: SpeechRequest,
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
      yield* this.#keeping(key, make(), signal);
    }
  }

  async *#keeping(key: string, speech: AsyncIterable<TtsChunk>, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const chunks: TtsChunk[] = [];
    let bytes = 0;
    for await (const chunk of speech) {
      bytes += chunk.samples.byteLength;
      if (bytes <= SPEECH_CACHED_BYTES_MAX) chunks.push(copyOf(chunk));
      else chunks.length = 0;
      yield chunk;
      if (signal.aborted) return;
    }
    if (!signal.aborted && bytes > 0 && bytes <= SPEECH_CACHED_BYTES_MAX) this.#keep(key, { chunks, bytes });
  }

  #copies(key: string | undefined): Iterable<TtsChunk> | undefined {
    const kept = key === undefined ? undefined : this.#find(key);
    return kept === undefined ? undefined : copiesOf(kept.chunks);
  }

  #find(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  #isFirst(key: string): boolean {
    if (this.#asked.has(key)) return false;
    this.#asked.add(key);
    if (this.#asked.size > SPEECH_ASKED_MAX) this.#asked.delete(this.#asked.values().next().value as string);
    return true;
  }

  #keep(key: string, kept: Kept): void {
    // Two calls may have had it spoken at once.
    if (this.#kept.has(key)) return;
    this.#kept.set(key, kept);
    this.#bytes += kept.bytes;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/** What speech is kept by; undefined of a text that is too long for that. */
function keyFor({ voiceId, language, rateHz = 0, text }: SpeechRequest): string | undefined {
  if (text.length > SPEECH_CACHED_CHARS_MAX) return undefined;
  return createHash("sha256")
    .update(JSON.stringify([voiceId, language, rateHz, text]))
    .digest("base64");
}

/** Chunks are the consumer's to keep, and so to change. */
function* copiesOf(chunks: readonly TtsChunk[]): Generator<TtsChunk> {
  for (const chunk of chunks) yield copyOf(chunk);
}

const copyOf = ({ samples, rateHz, words }: TtsChunk): TtsChunk => ({ samples: samples.slice(), rateHz, words });
