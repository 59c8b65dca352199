import type { Clock } from "../../../../core/clock.ts";
import { isObject } from "../../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import { joinTexts } from "../../../../core/text/words.ts";
import { NO_SPEECH } from "../../../../media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream, SttStreamOptions } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { Finalization } from "../../finalization.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";
import { withQueryDefaults } from "../query-defaults.ts";
import { type JsonObject, SttSocket } from "../stt-socket.ts";
import { deepgramCode, detectsLanguage as modelDetects } from "./languages.ts";

interface DeepgramOptions {
  apiKey: string;
  model: string;
  /** The address of `/v1/listen`, `wss:` or `ws:`. Parameters in its query take precedence over ours. */
  url: string;
  clock: Clock;
}

const KEEP_ALIVE = '{"type":"KeepAlive"}';
const FINALIZE = '{"type":"Finalize"}';
const CLOSE_STREAM = '{"type":"CloseStream"}';

/** Audio in messages of 40 ms: a shorter wait for the rest of a message than others have, for half as many messages again. */
const CHUNK_FRAMES = 2;
/** Deepgram's own endpointing: the pause that it recommends where people think while they speak. */
const ENDPOINTING_MS = 300;
/**
 * An utterance ends at this length at the latest, so that a caller who never pauses does not grow the text without a
 * bound.
 */
const UTTERANCE_CHARS_MAX = TURN_TEXT_CHARS_MAX / 2;
/** The least value that Deepgram accepts: where noise hides every pause, a gap between words ends the utterance. */
const UTTERANCE_END_MS = 1_000;

/**
 * Deepgram's streaming speech to text, `/v1/listen` over WebSocket, for models of the Nova family.
 *
 * Built from developers.deepgram.com, as of November 2026: reference/speech-to-text/listen-streaming, and of docs
 * interim-results, understand-endpointing-interim-results, utterance-end, finalize, audio-keep-alive, close-stream and
 * stt-troubleshooting-websocket-data-and-net-errors.
 */
export function createDeepgramStt(options: DeepgramOptions): Stt {
  // The configured address may set `multi`, or one language for all calls.
  const query = new URL(options.url).searchParams;
  const anyLanguage = query.has("language");
  const model = query.get("model") ?? options.model;
  const detectsLanguage = (language: string): boolean => modelDetects(model, language);
  return {
    provider: "deepgram",
    capabilities: { ratesHz: [8_000, 16_000], interimTranscripts: true, anyLanguage, detectsLanguage },
    open: (opened, signal) => {
      const code = deepgramCode(opened.language);
      const isDetected = opened.languagePinned !== true && !anyLanguage && detectsLanguage(opened.language);
      const languageQuery = isDetected ? { language: "multi", language_hint: code } : { language: code };
      return openStream(options, opened, languageQuery, signal);
    },
  };
}

function openStream(
  { apiKey, model, url, clock }: DeepgramOptions,
  { language, rateHz, onOpened }: SttStreamOptions,
  languageQuery: Readonly<Record<string, string>>,
  signal: AbortSignal,
): SttStream {
  const events = new EventQueue<SttEvent>(signal);
  if (signal.aborted) return { write: () => {}, events };
  const transcript = new TranscriptAssembler(language, (event) => events.push(event));
  const socket = new SttSocket({
    provider: "deepgram",
    url: withQueryDefaults(url, {
      model,
      ...languageQuery,
      encoding: "linear16",
      sample_rate: String(rateHz),
      channels: "1",
      punctuate: "true",
      interim_results: "true",
      endpointing: String(ENDPOINTING_MS),
      utterance_end_ms: String(UTTERANCE_END_MS),
    }),
    headers: { authorization: `Token ${apiKey}` },
    rateHz,
    chunkFrames: CHUNK_FRAMES,
    closeMessage: CLOSE_STREAM,
    closeReasonCode: /^(?:DATA|NET)-\d{4}/,
    keepAliveMessage: KEEP_ALIVE,
    clock,
    signal,
    onOpened,
    onMessage: (message) => {
      const problem = transcript.take(message);
      if (problem !== undefined) socket.fail(problem);
    },
    onFailure: (error) => events.fail(error),
  });
  const finalization = new Finalization();
  return {
    write(frame, activity = NO_SPEECH) {
      socket.write(frame);
      if (!finalization.frame(activity)) return;
      socket.flush();
      socket.sendText(FINALIZE);
    },
    events,
  };
}

/**
 * Assembles the transcripts of an utterance. Deepgram sends it part by part: results with `is_final` add to it, results
 * without are its current, changeable end. `speech_final`, the response to Finalize (`from_finalize`) or an
 * UtteranceEnd ends it.
 */
class TranscriptAssembler {
  readonly #callLanguage: string;
  readonly #emit: (event: SttEvent) => void;
  /** The parts of the utterance that are final. */
  #finalText = "";
  /** Where they end in the audio, s; results of earlier audio are stale. */
  #finalEndS = Number.NEGATIVE_INFINITY;
  #lastInterim = "";

  constructor(callLanguage: string, emit: (event: SttEvent) => void) {
    this.#callLanguage = callLanguage;
    this.#emit = emit;
  }

  /** Takes a message; returns what is wrong with it, if anything is. */
  take(message: JsonObject): string | undefined {
    switch (message.type) {
      case "Results":
        return this.#takeResults(message);
      case "UtteranceEnd":
        if (this.#finalText !== "") this.#finish(undefined, false);
        return undefined;
      case "Error":
        return "reported an error";
      default:
        return undefined;
    }
  }

  #takeResults({
    is_final: isFinal,
    speech_final,
    from_finalize,
    start,
    duration,
    channel,
  }: JsonObject): string | undefined {
    const best = bestOf(channel);
    if (best === undefined || typeof start !== "number" || typeof duration !== "number") {
      return "sent malformed results";
    }
    const isStale = start + duration <= this.#finalEndS;
    const text = isStale ? "" : transcriptText(best.transcript);
    if (isFinal === true && !isStale) {
      this.#finalText = joinTexts(this.#finalText, text);
      this.#finalEndS = start + duration;
    }
    const isOver = isFinal === true && (speech_final === true || from_finalize === true);
    if (isOver || this.#finalText.length >= UTTERANCE_CHARS_MAX) this.#finish(best.language, from_finalize === true);
    else if (!isStale) this.#emitInterim(isFinal === true ? this.#finalText : joinTexts(this.#finalText, text));
    return undefined;
  }

  #emitInterim(text: string): void {
    if (text === "" || text === this.#lastInterim) return;
    this.#lastInterim = text;
    this.#emit({ kind: "interim", text });
  }

  /** Emits the final. An empty one is emitted only after an interim, or where a final was requested. */
  #finish(detected: string | undefined, isRequested: boolean): void {
    const text = this.#finalText;
    const hadInterim = this.#lastInterim !== "";
    this.#finalText = "";
    this.#lastInterim = "";
    if (text === "" && !hadInterim && !isRequested) return;
    const language = detected === undefined ? {} : { language: transcriptLanguage(detected, this.#callLanguage) };
    this.#emit({ kind: "final", text, ...language });
  }
}

/** The best transcript of a channel, and its language where exactly one was detected, which needs `language=multi`. */
function bestOf(channel: unknown): { transcript: string; language: string | undefined } | undefined {
  const alternatives = isObject(channel) && Array.isArray(channel.alternatives) ? channel.alternatives : [];
  const best: unknown = alternatives[0];
  if (!isObject(best) || typeof best.transcript !== "string") return undefined;
  const languages: readonly unknown[] = Array.isArray(best.languages) ? best.languages : [];
  const language = languages.length === 1 && typeof languages[0] === "string" ? languages[0] : undefined;
  return { transcript: best.transcript, language };
}
