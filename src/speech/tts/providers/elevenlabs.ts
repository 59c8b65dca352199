import type { Clock } from "../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { isObject } from "../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../core/limits/calls.ts";
import { CARRIER_RATE_HZ } from "../../../core/limits/media.ts";
import { TTS_UNREAD_MS_MAX, VOICES_PER_PROVIDER_MAX } from "../../../core/limits/tts.ts";
import type { ClosableTts, TtsRequest, Voice } from "../../contracts.ts";
import { languageCode, languageCodes } from "../../languages.ts";
import { REQUEST_ERROR, refusalFrom } from "../../resilience/provider-error.ts";
import { type AudioEncoding, TtsAudioDecoder } from "../audio-decoder.ts";
import { TtsChunkQueue } from "../chunk-queue.ts";
import { CachedVoiceList, type FetchVoices } from "../voice-list.ts";
import { isSpeakable, WordAlignment } from "../word-alignment.ts";
import { elevenLabsLanguages } from "./elevenlabs-languages.ts";
import { readJson, requestTts } from "./tts-http.ts";
import { loggableCode, TtsSocket } from "./tts-socket.ts";

export interface ElevenLabsOptions {
  apiKey: string;
  model: string;
  /** Where the API stands, without its path: `https://api.elevenlabs.io`. */
  url: string;
  clock: Clock;
}

const PROVIDER = "elevenlabs";
const PREFIX = `${PROVIDER}/`;
const PAGE_SIZE = 100;
/** The models that are told the language; others know it from the text, and refuse to be told. */
const TAKES_LANGUAGE_CODE = /^eleven_(?:flash|turbo)_v2_5$/;
/** Languages by ElevenLabs' own codes, where these are others. */
const ELEVENLABS_CODES: Readonly<Record<string, string>> = { nb: "no" };
/**
 * The statuses that errors on a connection stand for
 * (https://elevenlabs.io/docs/developers/resources/error-messages; help.elevenlabs.io, "API - Error Code 400 or 401").
 */
const STATUSES: Readonly<Record<string, number>> = {
  max_character_limit_exceeded: 400,
  invalid_api_key: 401,
  quota_exceeded: 402,
  voice_not_found: 404,
  too_many_concurrent_requests: 429,
  system_busy: 429,
};
/** What stands for the language of a voice of which none is told: every model speaks it. */
const LANGUAGE_DEFAULT = "en";

/**
 * ElevenLabs: speech with word times, over one WebSocket a piece (`stream-input`, of which the voice and the format are
 * parts of the address); mu-law at 8,000 Hz for telephones, so that nothing is resampled. Built from
 * https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-stream-input and, for the voices,
 * https://elevenlabs.io/docs/api-reference/voices/search.
 */
export function createElevenLabsTts(options: ElevenLabsOptions): ClosableTts {
  const list = new CachedVoiceList(PROVIDER, options.clock, (...asked) => loadVoices(options, ...asked));
  const speeches = new Set<SegmentStream>();
  const ahead = new PreopenedConnections(options);
  let isClosed = false;
  return {
    provider: PROVIDER,
    capabilities: { wordTimestamps: true },
    voices: () => list.voices(),
    prepare(voice, signal) {
      if (isClosed || signal.aborted || !voice.voiceId.startsWith(PREFIX)) return;
      ahead.prepare(urlFor(options, voice), signal);
    },
    async *speak(request, signal) {
      const { text, voiceId } = request;
      if (isClosed) throw providerFailed(PROVIDER, "closed");
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(PROVIDER, "the text is too long", REQUEST_ERROR);
      if (!voiceId.startsWith(PREFIX)) throw providerFailed(PROVIDER, "no such voice", REQUEST_ERROR);
      if (signal.aborted || !isSpeakable(text)) return;
      const speech = new SegmentStream(ahead.take(urlFor(options, request)), request);
      speeches.add(speech);
      try {
        yield* speech.queue.read(signal);
      } finally {
        speeches.delete(speech);
        speech.end();
      }
    },
    close: () => {
      isClosed = true;
      list.close();
      ahead.close();
      for (const speech of speeches) speech.end(providerFailed(PROVIDER, "closed"));
    },
  };
}

/** The address for pieces that are spoken like this: the voice and the format are parts of it. */
function urlFor({ model, url }: ElevenLabsOptions, { voiceId, language, rateHz }: Omit<TtsRequest, "text">): string {
  const query = new URLSearchParams({
    model_id: model,
    output_format: formatFor(rateHz).name,
    // Times with each part of the audio, and no waiting for more text than a sentence.
    sync_alignment: "true",
    auto_mode: "true",
  });
  const code = languageCode(language);
  if (code !== undefined && TAKES_LANGUAGE_CODE.test(model)) {
    const spoken = new Intl.Locale(code).language;
    query.set("language_code", ELEVENLABS_CODES[spoken] ?? spoken);
  }
  const id = encodeURIComponent(voiceId.slice(PREFIX.length));
  return `${url.replace(/^http/, "ws")}/v1/text-to-speech/${id}/stream-input?${query}`;
}

/** A connection for one piece, which may be opened before there is one; the provider closes it if none comes within 20 s. */
class SegmentConnection {
  onMessage: (message: Readonly<Record<string, unknown>>) => void = () => {};
  onClosed: (error: TrunklineError) => void = () => {};
  readonly socket: TtsSocket;

  constructor({ apiKey }: ElevenLabsOptions, url: string) {
    this.socket = new TtsSocket({
      provider: PROVIDER,
      url,
      headers: { "xi-api-key": apiKey },
      onMessage: (message) => this.onMessage(message),
      onClosed: (error) => this.onClosed(error),
    });
  }
}

/** Connections that wait for pieces of calls that go on: one at each address by which any of them speaks. */
class PreopenedConnections {
  readonly #options: ElevenLabsOptions;
  readonly #connections = new Map<string, SegmentConnection>();
  readonly #calls = new Map<string, Set<AbortSignal>>();

  constructor(options: ElevenLabsOptions) {
    this.#options = options;
  }

  /** For a call, until its `signal` aborts. */
  prepare(url: string, signal: AbortSignal): void {
    const calls = this.#calls.get(url) ?? new Set();
    this.#calls.set(url, calls.add(signal));
    this.#open(url);
    const leave = (): void => {
      calls.delete(signal);
      if (calls.size > 0 || this.#calls.get(url) !== calls) return;
      this.#calls.delete(url);
      this.#connections.get(url)?.socket.close();
      this.#connections.delete(url);
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  /** The one that waits, or a new one; where a call may have another piece, the next is opened for it. */
  take(url: string): SegmentConnection {
    const line = this.#connections.get(url) ?? new SegmentConnection(this.#options, url);
    this.#connections.delete(url);
    if (this.#calls.has(url)) this.#open(url);
    return line;
  }

  close(): void {
    for (const line of this.#connections.values()) line.socket.close();
    this.#connections.clear();
    this.#calls.clear();
  }

  #open(url: string): void {
    if (this.#connections.has(url)) return;
    const line = new SegmentConnection(this.#options, url);
    line.onClosed = () => {
      if (this.#connections.get(url) === line) this.#connections.delete(url);
    };
    this.#connections.set(url, line);
  }
}

/** One piece of text on its connection. */
class SegmentStream {
  readonly queue: TtsChunkQueue;
  readonly #connection: SegmentConnection;
  readonly #audio: TtsAudioDecoder;
  readonly #words: WordAlignment;
  readonly #alignments: AlignmentReader;
  #isPaused = false;

  constructor(line: SegmentConnection, { text, rateHz }: TtsRequest) {
    const format = formatFor(rateHz);
    this.#audio = new TtsAudioDecoder({ provider: PROVIDER, text, rateHz: format.rateHz, encoding: format.encoding });
    this.#words = new WordAlignment(text);
    this.#alignments = new AlignmentReader(this.#words);
    this.queue = new TtsChunkQueue(() => this.#onRead());
    this.#connection = line;
    line.onMessage = (message) => this.#onMessage(message);
    line.onClosed = (error) => this.queue.end(error);
    // One blank begins the stream, text ends with one, and an empty text has all of it spoken.
    this.#connection.socket.send({ text: " " });
    this.#connection.socket.send({ text: `${text} ` });
    this.#connection.socket.send({ text: "" });
  }

  end(failure?: TrunklineError): void {
    this.queue.end(failure);
    this.#connection.socket.close();
  }

  #onMessage(message: Readonly<Record<string, unknown>>): void {
    try {
      this.#take(message);
    } catch (error) {
      this.end(error as TrunklineError);
    }
  }

  /** Throws `provider_failed`. */
  #take({ audio, alignment, normalizedAlignment, isFinal, error }: Readonly<Record<string, unknown>>): void {
    if (error !== undefined && error !== null) {
      const code = loggableCode(error) ?? "unnamed";
      const status = STATUSES[code];
      const refusal = status === undefined ? undefined : refusalFrom(status);
      throw providerFailed(PROVIDER, `reported an error (${code})`, refusal);
    }
    if (audio !== undefined && audio !== null && typeof audio !== "string") {
      throw providerFailed(PROVIDER, "sent audio that is not base64");
    }
    // Of the text as it was read out: where both are told, this one goes on where the part before it ended.
    this.#alignments.take(normalizedAlignment ?? alignment);
    if (typeof audio === "string") this.#push(this.#audio.decode(Buffer.from(audio, "base64")));
    if (isFinal === true) this.#finish();
  }

  #push(samples: Int16Array): void {
    const words = this.#words.takeAligned();
    if (samples.length === 0 && words.length === 0) return;
    this.queue.push({ samples, rateHz: this.#audio.rateHz, words });
    if (this.#isPaused || this.queue.unreadMs <= TTS_UNREAD_MS_MAX) return;
    this.#isPaused = true;
    this.#connection.socket.pause();
  }

  #onRead(): void {
    if (!this.#isPaused || this.queue.unreadMs > TTS_UNREAD_MS_MAX / 2) return;
    this.#isPaused = false;
    this.#connection.socket.resume();
  }

  #finish(): void {
    this.#alignments.finish();
    this.#audio.end(this.#words.alignedMs);
    this.#words.finish(this.#audio.durationMs);
    this.#push(new Int16Array(0));
    this.end();
  }
}

/** Reads the characters' times of one speech, part by part, as words. */
class AlignmentReader {
  readonly #alignment: WordAlignment;
  /** Where the part begins: times are counted from its own first sample. */
  #partMs = 0;
  /** The word that the characters are in. */
  #word = "";
  #startMs = 0;
  #endMs = 0;

  constructor(words: WordAlignment) {
    this.#alignment = words;
  }

  /** Anything that is no alignment says nothing: then the words share the time. */
  take(alignment: unknown): void {
    if (!isObject(alignment)) return;
    // The documentation has `charsDurationsMs`, the service `charDurationsMs`.
    const { chars, charStartTimesMs: starts, charDurationsMs, charsDurationsMs } = alignment;
    const durations = charDurationsMs ?? charsDurationsMs;
    if (!Array.isArray(chars) || !isTimes(starts, chars.length) || !isTimes(durations, chars.length)) return;
    let partEndMs = this.#partMs;
    for (const [index, char] of chars.entries()) {
      const startMs = this.#partMs + (starts[index] as number);
      partEndMs = Math.max(partEndMs, startMs + (durations[index] as number));
      if (typeof char !== "string" || char.trim() === "") {
        this.finish();
        continue;
      }
      if (this.#word === "") this.#startMs = startMs;
      this.#word += char;
      this.#endMs = startMs + (durations[index] as number);
    }
    this.#partMs = partEndMs;
  }

  /** No more of the word comes. */
  finish(): void {
    if (this.#word !== "") this.#alignment.addTimestamp(this.#word, this.#startMs, this.#endMs);
    this.#word = "";
  }
}

const isTimes = (value: unknown, length: number): value is readonly number[] =>
  Array.isArray(value) && value.length === length && value.every((time) => Number.isFinite(time) && time >= 0);

/** The best format for what goes on at `rateHz`: one that need not be resampled, where there is one. */
function formatFor(rateHz: number | undefined): { name: string; rateHz: number; encoding: AudioEncoding } {
  if (rateHz === CARRIER_RATE_HZ) return { name: "ulaw_8000", rateHz, encoding: "mulaw" };
  const rate = rateHz === 16_000 ? 16_000 : 24_000;
  return { name: `pcm_${rate}`, rateHz: rate, encoding: "pcm_s16le" };
}

async function loadVoices(
  { apiKey, model, url }: ElevenLabsOptions,
  ...[signal, soFar]: Parameters<FetchVoices>
): Promise<readonly Voice[]> {
  const voices: Voice[] = [];
  const query = new URLSearchParams({ page_size: String(PAGE_SIZE) });
  for (let hasMore = true; hasMore && voices.length < VOICES_PER_PROVIDER_MAX; ) {
    const answer = await requestTts(
      { provider: PROVIDER, url: `${url}/v2/voices?${query}`, headers: { "xi-api-key": apiKey } },
      signal,
    );
    const page = await readJson(PROVIDER, answer);
    if (!isObject(page) || !Array.isArray(page.voices)) throw providerFailed(PROVIDER, "sent no list of voices");
    voices.push(...page.voices.flatMap((voice) => voiceOf(voice, model)));
    soFar(voices);
    hasMore = page.has_more === true && page.voices.length > 0 && typeof page.next_page_token === "string";
    if (hasMore) query.set("next_page_token", page.next_page_token as string);
  }
  return voices;
}

function voiceOf(voice: unknown, model: string): Voice[] {
  if (!isObject(voice) || typeof voice.voice_id !== "string" || typeof voice.name !== "string") return [];
  const name = voice.name.trim() || voice.voice_id;
  const language = languageOf(voice, model);
  const ofModel = elevenLabsLanguages(model);
  const others = ofModel ?? otherVerifiedLanguages(language, voice, model);
  return [
    {
      id: PREFIX + voice.voice_id,
      name,
      language,
      provider: PROVIDER,
      ...(others.length > 0 && { alsoSpeaks: others }),
      ...(ofModel === undefined && { otherLanguagesUnknown: true as const }),
    },
  ];
}

/** What else a voice was verified in with this model. */
const otherVerifiedLanguages = (language: string, voice: Readonly<Record<string, unknown>>, model: string): string[] =>
  verifiedLanguages(voice).flatMap(({ language: tag, model_id }) => {
    const code = typeof tag === "string" && model_id === model ? languageCode(tag) : undefined;
    return code === undefined || code === languageCodes(language)[0] ? [] : [code];
  });

const verifiedLanguages = ({ verified_languages }: Readonly<Record<string, unknown>>) =>
  (Array.isArray(verified_languages) ? verified_languages : []).filter(isObject);

/** The language that a voice was verified in, with this model if with any; else the one that it is labelled with. */
function languageOf(voice: Readonly<Record<string, unknown>>, model: string): string {
  const { labels } = voice;
  const verified = verifiedLanguages(voice);
  const best = verified.find(({ model_id }) => model_id === model) ?? verified[0];
  const told = [best?.locale, best?.language, isObject(labels) ? labels.language : undefined];
  for (const tag of told) {
    const code = typeof tag === "string" ? languageCode(tag) : undefined;
    if (code !== undefined) return code;
  }
  return LANGUAGE_DEFAULT;
}
