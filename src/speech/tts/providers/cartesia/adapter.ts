import { randomUUID } from "node:crypto";
import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import {
  TTS_REQUESTS_PER_CONNECTION_MAX,
  TTS_SHARED_UNREAD_MS_MAX,
} from "../../../../core/limits/speech-providers/tts.ts";
import { CARRIER_RATE_HZ } from "../../../../core/limits/streams/media.ts";
import type { ClosableTts, TtsRequest } from "../../../contracts.ts";
import { languageCode } from "../../../languages.ts";
import { loggableCode, REQUEST_ERROR, refusalFrom } from "../../../resilience/provider-error.ts";
import { type AudioEncoding, TtsAudioDecoder } from "../../audio-decoder.ts";
import { TtsChunkQueue } from "../../chunk-queue.ts";
import { CachedVoiceList } from "../../voice-list.ts";
import { isSpeakable, WordAlignment } from "../../word-alignment.ts";
import { TtsSocket } from "../tts-socket.ts";
import { CARTESIA, CARTESIA_PREFIX, CARTESIA_VERSION, fetchCartesiaVoices } from "./voices.ts";

export interface CartesiaOptions {
  apiKey: string;
  model: string;
  /** The address of the API, without a path: `https://api.cartesia.ai`. */
  url: string;
  clock: Clock;
}

/** Rates of its PCM output that a leg can use without resampling. */
const RATES_HZ: readonly number[] = [16_000, 24_000, 48_000];
const RATE_HZ_DEFAULT = 24_000;
/** Cartesia's language codes where they differ (docs.cartesia.ai/build-with-cartesia/tts-models/sonic-3-5). */
const CARTESIA_CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl" };

/**
 * Cartesia: speech with word timestamps. Each segment is a context on a connection that is shared. For telephones it
 * requests mu-law at 8,000 Hz, so that nothing is resampled. Built for API version 2026-03-01 from
 * https://docs.cartesia.ai/api-reference/tts/websocket, https://docs.cartesia.ai/use-the-api/tts-websocket/contexts,
 * https://docs.cartesia.ai/use-the-api/api-errors, https://docs.cartesia.ai/use-the-api/api-conventions and, for the
 * voices, https://docs.cartesia.ai/api-reference/voices/list.
 */
export function createCartesiaTts(options: CartesiaOptions): ClosableTts {
  const list = new CachedVoiceList(CARTESIA, options.clock, (...args) => fetchCartesiaVoices(options, ...args));
  const connections = new Set<Connection>();
  let isClosed = false;
  const connection = (): Connection => {
    for (const open of connections) if (open.hasRoom) return open;
    const opened = new Connection(options, () => connections.delete(opened));
    connections.add(opened);
    return opened;
  };
  return {
    provider: CARTESIA,
    capabilities: { wordTimestamps: true },
    voices: () => list.voices(),
    prepare: () => {
      if (!isClosed) connection();
    },
    async *speak(request, signal) {
      const { text, voiceId } = request;
      if (isClosed) throw providerFailed(CARTESIA, "closed");
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(CARTESIA, "the text is too long", REQUEST_ERROR);
      if (!voiceId.startsWith(CARTESIA_PREFIX)) throw providerFailed(CARTESIA, "no such voice", REQUEST_ERROR);
      if (signal.aborted || !isSpeakable(text)) return;
      const context = new Context(request, signal);
      const shared = connection();
      shared.start(context, options.model);
      try {
        for (let chunk = await context.queue.next(); chunk !== undefined; chunk = await context.queue.next()) {
          yield chunk;
        }
      } finally {
        shared.cancel(context);
        context.queue.end();
      }
    },
    close: () => {
      isClosed = true;
      list.close();
      for (const open of connections) open.close();
    },
  };
}

/** One connection and its contexts. When it closes they fail, and the next request opens another connection. */
class Connection {
  readonly #socket: TtsSocket;
  readonly #contexts = new Map<string, Context>();
  readonly #onClosed: () => void;
  /** It takes no more requests, and closes with the last of its contexts. */
  #isDraining = false;

  constructor({ apiKey, url }: CartesiaOptions, onClosed: () => void) {
    this.#onClosed = onClosed;
    this.#socket = new TtsSocket({
      provider: CARTESIA,
      url: `${url.replace(/^http/, "ws")}/tts/websocket`,
      headers: { authorization: `Bearer ${apiKey}`, "cartesia-version": CARTESIA_VERSION },
      onMessage: (message) => this.#onMessage(message),
      onClosed: (error) => this.#end(error),
    });
  }

  get hasRoom(): boolean {
    return !this.#isDraining && this.#contexts.size < TTS_REQUESTS_PER_CONNECTION_MAX;
  }

  start(context: Context, model: string): void {
    this.#contexts.set(context.id, context);
    this.#socket.send(context.request(model));
  }

  /** Cancels a context whose audio is no longer wanted. */
  cancel(context: Context): void {
    if (!this.#contexts.delete(context.id)) return;
    this.#socket.send({ context_id: context.id, cancel: true });
    // Cancelled before any response: the connection may be dead without an error, so the next request opens a new one.
    if (!context.hasResponded) this.#isDraining = true;
    if (this.#isDraining && this.#contexts.size === 0) this.close();
  }

  close(): void {
    this.#socket.close();
    this.#end(providerFailed(CARTESIA, "closed"));
  }

  #end(error: TrunklineError): void {
    this.#isDraining = true;
    for (const context of this.#contexts.values()) context.queue.fail(error);
    this.#contexts.clear();
    this.#onClosed();
  }

  #onMessage(message: Readonly<Record<string, unknown>>): void {
    const { context_id, type } = message;
    // Messages of a cancelled context may arrive for a while and are ignored. An error without a context is for all.
    const named = typeof context_id === "string" ? this.#contexts.get(context_id) : undefined;
    const recipients =
      named !== undefined ? [named] : type === "error" && context_id == null ? [...this.#contexts.values()] : [];
    for (const context of recipients) {
      try {
        context.take(message);
        if (context.queue.isOver) this.#contexts.delete(context.id);
      } catch (error) {
        context.queue.fail(error as TrunklineError);
        this.cancel(context);
      }
    }
    if (this.#isDraining && this.#contexts.size === 0) this.close();
  }
}

/** One segment. */
class Context {
  readonly id = randomUUID();
  readonly queue: TtsChunkQueue;
  /** The provider has sent a message for it. */
  hasResponded = false;
  readonly #request: TtsRequest;
  readonly #audio: TtsAudioDecoder;
  readonly #words: WordAlignment;

  constructor(request: TtsRequest, signal: AbortSignal) {
    this.queue = new TtsChunkQueue(signal);
    this.#request = request;
    this.#audio = new TtsAudioDecoder({ provider: CARTESIA, text: request.text, ...formatFor(request.rateHz) });
    this.#words = new WordAlignment(request.text);
  }

  request(model: string): object {
    const { text, voiceId, language, rateHz } = this.#request;
    const code = languageCode(language);
    const primary = code === undefined ? undefined : new Intl.Locale(code).language;
    const format = formatFor(rateHz);
    return {
      model_id: model,
      transcript: text,
      voice: { mode: "id", id: voiceId.slice(CARTESIA_PREFIX.length) },
      ...(primary === undefined ? {} : { language: CARTESIA_CODES[primary] ?? primary }),
      context_id: this.id,
      output_format: {
        container: "raw",
        encoding: format.encoding === "mulaw" ? "pcm_mulaw" : "pcm_s16le",
        sample_rate: format.rateHz,
      },
      add_timestamps: true,
      // The words as they are in the text, not as they are read out.
      use_normalized_timestamps: false,
      continue: false,
    };
  }

  /** Throws `provider_failed`. */
  take(message: Readonly<Record<string, unknown>>): void {
    this.hasResponded = true;
    switch (message.type) {
      case "chunk":
        if (typeof message.data !== "string") throw providerFailed(CARTESIA, "sent audio that is not base64");
        this.#push(this.#audio.decode(Buffer.from(message.data, "base64")));
        return;
      case "timestamps":
        this.#addTimestamps(message.word_timestamps);
        return;
      case "done":
        this.#audio.end(this.#words.alignedMs);
        this.#words.finish(this.#audio.durationMs);
        this.#push(new Int16Array(0));
        this.queue.end();
        return;
      case "error": {
        const { status_code, error_code } = message;
        const codes = [loggableCode(error_code), Number.isInteger(status_code) ? status_code : undefined];
        const code = codes.find((part) => part !== undefined) ?? "unnamed";
        const refusal = typeof status_code === "number" ? refusalFrom(status_code) : undefined;
        throw providerFailed(CARTESIA, `reported an error (${code})`, refusal);
      }
    }
  }

  #push(samples: Int16Array): void {
    const words = this.#words.takeAligned();
    if (samples.length === 0 && words.length === 0) return;
    this.queue.push({ samples, rateHz: this.#audio.rateHz, words });
    if (this.queue.unreadMs > TTS_SHARED_UNREAD_MS_MAX)
      throw providerFailed(CARTESIA, "sent audio too far ahead of playout");
  }

  /** Malformed timestamps are ignored; the words then share the time. */
  #addTimestamps(timestamps: unknown): void {
    if (!isObject(timestamps)) return;
    const { words, start, end } = timestamps;
    if (!Array.isArray(words) || !Array.isArray(start) || !Array.isArray(end)) return;
    for (const [index, word] of words.entries()) {
      const startS: unknown = start[index];
      const endS: unknown = end[index];
      if (typeof word !== "string" || typeof startS !== "number" || typeof endS !== "number") continue;
      this.#words.addTimestamp(word, startS * 1_000, endS * 1_000);
    }
  }
}

/** The best format for output at `rateHz`: one that need not be resampled, if there is one. */
function formatFor(rateHz: number | undefined): { rateHz: number; encoding: AudioEncoding } {
  if (rateHz === CARRIER_RATE_HZ) return { rateHz, encoding: "mulaw" };
  return { rateHz: RATES_HZ.find((rate) => rate === rateHz) ?? RATE_HZ_DEFAULT, encoding: "pcm_s16le" };
}
