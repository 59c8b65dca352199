import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../../core/errors.ts";
import { isObject } from "../../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import { TTS_UNREAD_MS_MAX } from "../../../../core/limits/speech-providers/tts.ts";
import { CARRIER_RATE_HZ } from "../../../../core/limits/streams/media.ts";
import type { ClosableTts, TtsRequest } from "../../../contracts.ts";
import { languageCode } from "../../../languages.ts";
import { loggableCode, REQUEST_ERROR, refusalFrom } from "../../../resilience/provider-error.ts";
import { type AudioEncoding, TtsAudioDecoder } from "../../audio-decoder.ts";
import { TtsChunkQueue } from "../../chunk-queue.ts";
import { CachedVoiceList } from "../../voice-list.ts";
import { isSpeakable, WordAlignment } from "../../word-alignment.ts";
import { TtsSocket } from "../tts-socket.ts";
import { ELEVENLABS, ELEVENLABS_PREFIX, fetchElevenLabsVoices } from "./voices.ts";

export interface ElevenLabsOptions {
  apiKey: string;
  model: string;
  /** The address of the API, without a path: `https://api.elevenlabs.io`. */
  url: string;
  clock: Clock;
}

/** Models that take a language code. Others detect the language from the text and refuse a code. */
const TAKES_LANGUAGE_CODE = /^eleven_(?:flash|turbo)_v2_5$/;
/** ElevenLabs' language codes where they differ. */
const ELEVENLABS_CODES: Readonly<Record<string, string>> = { nb: "no" };
/**
 * The HTTP statuses that error codes on a connection correspond to
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

/**
 * ElevenLabs: speech with word timestamps, over one WebSocket a segment (`stream-input`, whose address contains the
 * voice and the format). For telephones it requests mu-law at 8,000 Hz, so that nothing is resampled. Built from
 * https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-stream-input and, for the voices,
 * https://elevenlabs.io/docs/api-reference/voices/search.
 */
export function createElevenLabsTts(options: ElevenLabsOptions): ClosableTts {
  const list = new CachedVoiceList(ELEVENLABS, options.clock, (...args) => fetchElevenLabsVoices(options, ...args));
  const streams = new Set<SegmentStream>();
  const preopened = new PreopenedConnections(options);
  let isClosed = false;
  return {
    provider: ELEVENLABS,
    capabilities: { wordTimestamps: true },
    voices: () => list.voices(),
    prepare(voice, signal) {
      if (isClosed || signal.aborted || !voice.voiceId.startsWith(ELEVENLABS_PREFIX)) return;
      preopened.prepare(urlFor(options, voice), signal);
    },
    async *speak(request, signal) {
      const { text, voiceId } = request;
      if (isClosed) throw providerFailed(ELEVENLABS, "closed");
      if (text.length > TURN_TEXT_CHARS_MAX) throw providerFailed(ELEVENLABS, "the text is too long", REQUEST_ERROR);
      if (!voiceId.startsWith(ELEVENLABS_PREFIX)) throw providerFailed(ELEVENLABS, "no such voice", REQUEST_ERROR);
      if (signal.aborted || !isSpeakable(text)) return;
      const stream = new SegmentStream(preopened.take(urlFor(options, request)), request, signal);
      streams.add(stream);
      try {
        for (let chunk = await stream.queue.next(); chunk !== undefined; chunk = await stream.queue.next()) {
          yield chunk;
        }
      } finally {
        streams.delete(stream);
        stream.end();
      }
    },
    close: () => {
      isClosed = true;
      list.close();
      preopened.close();
      for (const stream of streams) stream.end(providerFailed(ELEVENLABS, "closed"));
    },
  };
}

/** The address for segments with this voice, language and rate. */
function urlFor({ model, url }: ElevenLabsOptions, { voiceId, language, rateHz }: Omit<TtsRequest, "text">): string {
  const query = new URLSearchParams({
    model_id: model,
    output_format: formatFor(rateHz).name,
    // Timestamps with each part of the audio, and no waiting for more text than a sentence.
    sync_alignment: "true",
    auto_mode: "true",
  });
  const code = languageCode(language);
  if (code !== undefined && TAKES_LANGUAGE_CODE.test(model)) {
    const primary = new Intl.Locale(code).language;
    query.set("language_code", ELEVENLABS_CODES[primary] ?? primary);
  }
  const id = encodeURIComponent(voiceId.slice(ELEVENLABS_PREFIX.length));
  return `${url.replace(/^http/, "ws")}/v1/text-to-speech/${id}/stream-input?${query}`;
}

/** A connection for one segment. It may be opened in advance; the provider closes it if no text comes within 20 s. */
class SegmentConnection {
  onMessage: (message: Readonly<Record<string, unknown>>) => void = () => {};
  onClosed: (error: TrunklineError) => void = () => {};
  readonly socket: TtsSocket;

  constructor({ apiKey }: ElevenLabsOptions, url: string) {
    this.socket = new TtsSocket({
      provider: ELEVENLABS,
      url,
      headers: { "xi-api-key": apiKey },
      onMessage: (message) => this.onMessage(message),
      onClosed: (error) => this.onClosed(error),
    });
  }
}

/** Connections opened in advance for segments of live calls: one for each address that a call uses. */
class PreopenedConnections {
  readonly #options: ElevenLabsOptions;
  readonly #connections = new Map<string, SegmentConnection>();
  readonly #calls = new Map<string, Set<AbortSignal>>();

  constructor(options: ElevenLabsOptions) {
    this.#options = options;
  }

  /** Opens a connection for a call, until its `signal` aborts. */
  prepare(url: string, signal: AbortSignal): void {
    const calls = this.#calls.get(url) ?? new Set();
    this.#calls.set(url, calls.add(signal));
    this.#open(url);
    const release = (): void => {
      calls.delete(signal);
      if (calls.size > 0 || this.#calls.get(url) !== calls) return;
      this.#calls.delete(url);
      this.#connections.get(url)?.socket.close();
      this.#connections.delete(url);
    };
    signal.addEventListener("abort", release, { once: true });
  }

  /** Returns the preopened connection or a new one. If a call may need another one, that is opened in advance. */
  take(url: string): SegmentConnection {
    const connection = this.#connections.get(url) ?? new SegmentConnection(this.#options, url);
    this.#connections.delete(url);
    if (this.#calls.has(url)) this.#open(url);
    return connection;
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.socket.close();
    this.#connections.clear();
    this.#calls.clear();
  }

  #open(url: string): void {
    if (this.#connections.has(url)) return;
    const connection = new SegmentConnection(this.#options, url);
    connection.onClosed = () => {
      if (this.#connections.get(url) === connection) this.#connections.delete(url);
    };
    this.#connections.set(url, connection);
  }
}

/** One segment on its connection. */
class SegmentStream {
  readonly queue: TtsChunkQueue;
  readonly #connection: SegmentConnection;
  readonly #audio: TtsAudioDecoder;
  readonly #words: WordAlignment;
  readonly #alignments: AlignmentReader;
  #isPaused = false;

  constructor(connection: SegmentConnection, { text, rateHz }: TtsRequest, signal: AbortSignal) {
    const format = formatFor(rateHz);
    this.#audio = new TtsAudioDecoder({ provider: ELEVENLABS, text, rateHz: format.rateHz, encoding: format.encoding });
    this.#words = new WordAlignment(text);
    this.#alignments = new AlignmentReader(this.#words);
    this.queue = new TtsChunkQueue(signal, () => this.#onRead());
    this.#connection = connection;
    connection.onMessage = (message) => this.#onMessage(message);
    connection.onClosed = (error) => this.queue.fail(error);
    // A blank starts the stream, each text ends with a blank, and an empty text makes the provider speak all of it.
    this.#connection.socket.send({ text: " " });
    this.#connection.socket.send({ text: `${text} ` });
    this.#connection.socket.send({ text: "" });
  }

  end(failure?: TrunklineError): void {
    if (failure === undefined) this.queue.end();
    else this.queue.fail(failure);
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
      throw providerFailed(ELEVENLABS, `reported an error (${code})`, refusal);
    }
    if (audio !== undefined && audio !== null && typeof audio !== "string") {
      throw providerFailed(ELEVENLABS, "sent audio that is not base64");
    }
    // The normalized alignment is of the text as it is read out. If both are present, only its times are continuous.
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

/** Joins the character timestamps of one segment's audio, part by part, to words. */
class AlignmentReader {
  readonly #alignment: WordAlignment;
  /** Where the current part begins: its timestamps count from its own first sample. */
  #partMs = 0;
  /** The word that the characters are in. */
  #word = "";
  #startMs = 0;
  #endMs = 0;

  constructor(alignment: WordAlignment) {
    this.#alignment = alignment;
  }

  /** A malformed alignment is ignored; the words then share the time. */
  take(alignment: unknown): void {
    if (!isObject(alignment)) return;
    // The documentation says `charsDurationsMs`, the service sends `charDurationsMs`.
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

  /** Ends the current word. */
  finish(): void {
    if (this.#word !== "") this.#alignment.addTimestamp(this.#word, this.#startMs, this.#endMs);
    this.#word = "";
  }
}

const isTimes = (value: unknown, length: number): value is readonly number[] =>
  Array.isArray(value) && value.length === length && value.every((time) => Number.isFinite(time) && time >= 0);

/** The best format for output at `rateHz`: one that need not be resampled, if there is one. */
function formatFor(rateHz: number | undefined): { name: string; rateHz: number; encoding: AudioEncoding } {
  if (rateHz === CARRIER_RATE_HZ) return { name: "ulaw_8000", rateHz, encoding: "mulaw" };
  const rate = rateHz === 16_000 ? 16_000 : 24_000;
  return { name: `pcm_${rate}`, rateHz: rate, encoding: "pcm_s16le" };
}
