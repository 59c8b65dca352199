import { randomUUID } from "node:crypto";
import type { Clock } from "../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../core/limits/calls.ts";
import { CARRIER_RATE_HZ } from "../../../core/limits/media.ts";
import {
  TTS_REQUESTS_PER_CONNECTION_MAX,
  TTS_SHARED_UNREAD_MS_MAX,
  VOICES_PER_PROVIDER_MAX,
} from "../../../core/limits/tts.ts";
import type { ClosableTts, TtsRequest, Voice } from "../../contracts.ts";
import { languageCode } from "../../languages.ts";
import { REQUEST_ERROR, refusalFrom } from "../../resilience/provider-error.ts";
import { type AudioEncoding, TtsAudioDecoder } from "../audio-decoder.ts";
import { TtsChunkQueue } from "../chunk-queue.ts";
import { CachedVoiceList, type FetchVoices } from "../voice-list.ts";
import { isSpeakable, WordAlignment } from "../word-alignment.ts";
import { readJson, requestTts } from "./tts-http.ts";
import { loggableCode, TtsSocket } from "./tts-socket.ts";

export interface CartesiaOptions {
  apiKey: string;
  model: string;
  /** Where the API stands, without its path: `https://api.cartesia.ai`. */
  url: string;
  clock: Clock;
}

const PROVIDER = "cartesia";
const PREFIX = `${PROVIDER}/`;
/** The version of the API that this is written for. */
const VERSION = "2026-03-01";
const PAGE_SIZE = 100;
/** The rates of its samples that a leg may have. */
const RATES_HZ: readonly number[] = [16_000, 24_000, 48_000];
const RATE_HZ_DEFAULT = 24_000;
/** Languages by Cartesia's own codes, where these are others (docs.cartesia.ai/build-with-cartesia/tts-models/sonic-3-5). */
const CARTESIA_CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl" };
/**
 * What every voice speaks with models of Sonic 3, by our own codes, though in a language that is not its own with an accent
 * (docs.cartesia.ai/build-with-cartesia/capability-guides/multilingual-voices; the 42 codes as docs.livekit.io/agents/models/tts/
 * inference/cartesia has them).
 */
const SONIC_3 = /^sonic-3(?:[.-]|$)/;
const SONIC_3_LANGUAGES: readonly string[] =
  "ar bg bn cs da de el en es fi fil fr gu he hi hr hu id it ja ka kn ko ml mr ms nb nl pa pl pt ro ru sk sv ta te th tr uk vi zh".split(
    " ",
  );

/**
 * Cartesia: speech with word times, each piece a context of its own on a connection that all share; mu-law at 8,000 Hz
 * for telephones, so that nothing is resampled. Built for API version 2026-03-01 from
 * https://docs.cartesia.ai/api-reference/tts/websocket, https://docs.cartesia.ai/use-the-api/tts-websocket/contexts,
 * https://docs.cartesia.ai/use-the-api/api-errors, https://docs.cartesia.ai/use-the-api/api-conventions and, for the
 * voices, https://docs.cartesia.ai/api-reference/voices/list.
 */
export function createCartesiaTts(options: CartesiaOptions): ClosableTts {
  const list = new CachedVoiceList(PROVIDER, options.clock, (...asked) => loadVoices(options, ...asked));
  const connections = new Set<Connection>();
  let isClosed = false;
  const connection = (): Connection => {
    for (const open of connections) if (open.hasRoom) return open;
    const opened = new Connection(options, () => connections.delete(opened));
    connections.add(opened);
    return opened;
  };
  return {
    provider: PROVIDER,
    capabilities: { wordTimestamps: true },
    voices: () => list.voices(),
    prepare: () => {
      if (!isClosed) connection();
    },
    async *speak(request, signal) {
      const { text, voiceId } = request;
      if (isClosed) throw providerFailed(PROVIDER, "closed");
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(PROVIDER, "the text is too long", REQUEST_ERROR);
      if (!voiceId.startsWith(PREFIX)) throw providerFailed(PROVIDER, "no such voice", REQUEST_ERROR);
      if (signal.aborted || !isSpeakable(text)) return;
      const context = new Context(request);
      const shared = connection();
      shared.begin(context, options.model);
      try {
        yield* context.queue.read(signal);
      } finally {
        shared.cancel(context);
      }
    },
    close: () => {
      isClosed = true;
      list.close();
      for (const open of connections) open.close();
    },
  };
}

/** One connection with the contexts that are on it. When it is gone so are they, and the next request opens another. */
class Connection {
  readonly #socket: TtsSocket;
  readonly #contexts = new Map<string, Context>();
  readonly #onClosed: () => void;
  /** It takes no more requests, and closes with the last of its contexts. */
  #isDraining = false;

  constructor({ apiKey, url }: CartesiaOptions, onGone: () => void) {
    this.#onClosed = onGone;
    this.#socket = new TtsSocket({
      provider: PROVIDER,
      url: `${url.replace(/^http/, "ws")}/tts/websocket`,
      headers: { authorization: `Bearer ${apiKey}`, "cartesia-version": VERSION },
      onMessage: (message) => this.#onMessage(message),
      onClosed: (error) => this.#end(error),
    });
  }

  get hasRoom(): boolean {
    return !this.#isDraining && this.#contexts.size < TTS_REQUESTS_PER_CONNECTION_MAX;
  }

  begin(context: Context, model: string): void {
    this.#contexts.set(context.id, context);
    this.#socket.send(context.request(model));
  }

  /** Nobody listens to `context` any more. */
  cancel(context: Context): void {
    if (!this.#contexts.delete(context.id)) return;
    this.#socket.send({ context_id: context.id, cancel: true });
    // Given up before anything came: the connection may be dead without knowing it, so that the next request has a new
    // one.
    if (!context.hasBegun) this.#isDraining = true;
    if (this.#isDraining && this.#contexts.size === 0) this.close();
  }

  close(): void {
    this.#socket.close();
    this.#end(providerFailed(PROVIDER, "closed"));
  }

  #end(error: TrunklineError): void {
    this.#isDraining = true;
    for (const context of this.#contexts.values()) context.queue.end(error);
    this.#contexts.clear();
    this.#onClosed();
  }

  #onMessage(message: Readonly<Record<string, unknown>>): void {
    const { context_id, type } = message;
    // Of a context that was cancelled more may come for a while; what is of none concerns all.
    const named = typeof context_id === "string" ? this.#contexts.get(context_id) : undefined;
    const concerned =
      named !== undefined ? [named] : type === "error" && context_id == null ? [...this.#contexts.values()] : [];
    for (const context of concerned) {
      try {
        context.take(message);
        if (context.queue.isOver) this.#contexts.delete(context.id);
      } catch (error) {
        context.queue.end(error as TrunklineError);
        this.cancel(context);
      }
    }
    if (this.#isDraining && this.#contexts.size === 0) this.close();
  }
}

/** One piece of text. */
class Context {
  readonly id = randomUUID();
  readonly queue = new TtsChunkQueue();
  /** Something of it has come. */
  hasBegun = false;
  readonly #request: TtsRequest;
  readonly #audio: TtsAudioDecoder;
  readonly #words: WordAlignment;

  constructor(request: TtsRequest) {
    this.#request = request;
    this.#audio = new TtsAudioDecoder({ provider: PROVIDER, text: request.text, ...formatFor(request.rateHz) });
    this.#words = new WordAlignment(request.text);
  }

  request(model: string): object {
    const { text, voiceId, language, rateHz } = this.#request;
    const code = languageCode(language);
    const spoken = code === undefined ? undefined : new Intl.Locale(code).language;
    const format = formatFor(rateHz);
    return {
      model_id: model,
      transcript: text,
      voice: { mode: "id", id: voiceId.slice(PREFIX.length) },
      ...(spoken === undefined ? {} : { language: CARTESIA_CODES[spoken] ?? spoken }),
      context_id: this.id,
      output_format: {
        container: "raw",
        encoding: format.encoding === "mulaw" ? "pcm_mulaw" : "pcm_s16le",
        sample_rate: format.rateHz,
      },
      add_timestamps: true,
      // The words as they stand in the text, not as they are read out.
      use_normalized_timestamps: false,
      continue: false,
    };
  }

  /** Throws `provider_failed`. */
  take(message: Readonly<Record<string, unknown>>): void {
    this.hasBegun = true;
    switch (message.type) {
      case "chunk":
        if (typeof message.data !== "string") throw providerFailed(PROVIDER, "sent audio that is not base64");
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
        const told = [loggableCode(error_code), Number.isInteger(status_code) ? status_code : undefined];
        const code = told.find((part) => part !== undefined) ?? "unnamed";
        const refusal = typeof status_code === "number" ? refusalFrom(status_code) : undefined;
        throw providerFailed(PROVIDER, `reported an error (${code})`, refusal);
      }
    }
  }

  #push(samples: Int16Array): void {
    const words = this.#words.takeAligned();
    if (samples.length === 0 && words.length === 0) return;
    this.queue.push({ samples, rateHz: this.#audio.rateHz, words });
    if (this.queue.unreadMs > TTS_SHARED_UNREAD_MS_MAX)
      throw providerFailed(PROVIDER, "sent audio too far ahead of playout");
  }

  /** Anything that is no word times says nothing: then the words share the time. */
  #addTimestamps(told: unknown): void {
    if (!isObject(told)) return;
    const { words, start, end } = told;
    if (!Array.isArray(words) || !Array.isArray(start) || !Array.isArray(end)) return;
    for (const [index, word] of words.entries()) {
      const [startS, endS]: unknown[] = [start[index], end[index]];
      if (typeof word !== "string" || typeof startS !== "number" || typeof endS !== "number") continue;
      this.#words.addTimestamp(word, startS * 1_000, endS * 1_000);
    }
  }
}

/** The best format for what goes on at `rateHz`: one that need not be resampled, where there is one. */
function formatFor(rateHz: number | undefined): { rateHz: number; encoding: AudioEncoding } {
  if (rateHz === CARRIER_RATE_HZ) return { rateHz, encoding: "mulaw" };
  return { rateHz: RATES_HZ.find((rate) => rate === rateHz) ?? RATE_HZ_DEFAULT, encoding: "pcm_s16le" };
}

async function loadVoices(
  { apiKey, url, model }: CartesiaOptions,
  ...[signal, soFar]: Parameters<FetchVoices>
): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  const headers = { authorization: `Bearer ${apiKey}`, "cartesia-version": VERSION };
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (let hasMore = true; hasMore && voices.length < VOICES_PER_PROVIDER_MAX; ) {
    const answer = await requestTts({ provider: PROVIDER, url: `${url}/voices?${query}`, headers }, signal);
    const page = await readJson(PROVIDER, answer);
    if (!isObject(page) || !Array.isArray(page.data)) throw providerFailed(PROVIDER, "sent no list of voices");
    voices.push(...page.data.flatMap((voice) => voiceOf(voice, model)));
    soFar(voices);
    const last: unknown = page.data.at(-1);
    hasMore = page.has_more === true && isObject(last) && typeof last.id === "string";
    if (hasMore && isObject(last)) query.set("starting_after", String(last.id));
  }
  return voices;
}

function voiceOf(voice: unknown, model: string): Voice[] {
  if (!isObject(voice) || typeof voice.id !== "string" || typeof voice.name !== "string") return [];
  const language = languageOf(voice);
  if (language === undefined) return [];
  return [
    {
      id: PREFIX + voice.id,
      name: voice.name.trim() || voice.id,
      language,
      provider: PROVIDER,
      ...(SONIC_3.test(model) ? { alsoSpeaks: SONIC_3_LANGUAGES } : { otherLanguagesUnknown: true as const }),
    },
  ];
}

/** The locale that the voice is native in, else its language; the country alone may be where its owner lives. */
function languageOf({ language, locales }: Readonly<Record<string, unknown>>): string | undefined {
  const native = (Array.isArray(locales) ? locales : []).filter(isObject).find(({ is_native }) => is_native === true);
  for (const tag of [native?.locale, language]) {
    const code = typeof tag === "string" ? languageCode(tag) : undefined;
    if (code !== undefined) return code;
  }
  return undefined;
}
