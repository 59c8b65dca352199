import type { Clock } from "../../../../core/clock.ts";
import { isObject } from "../../../../core/json.ts";
import { NO_SPEECH } from "../../../../media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream, SttStreamOptions } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { type Refusal, refusalFrom } from "../../../resilience/provider-error.ts";
import { Finalization } from "../../finalization.ts";
import { endOfTurnField, endOfTurnIn, InterimFilter } from "../../interim-filter.ts";
import { transcriptLanguage, transcriptText } from "../../transcript-text.ts";
import { withQueryDefaults } from "../query-defaults.ts";
import { type JsonObject, SttSocket } from "../stt-socket.ts";
import { ENGLISH_MODEL } from "./languages.ts";

interface AssemblyAiOptions {
  apiKey: string;
  model: string;
  /** The address of `/v3/ws`, `wss:` or `ws:`. Parameters in its query take precedence over ours. */
  url: string;
  clock: Clock;
}

const FORCE_ENDPOINT = '{"type":"ForceEndpoint"}';
const TERMINATE = '{"type":"Terminate"}';

/** The HTTP statuses that its error and close codes correspond to (streaming/common-session-errors-and-closures). */
const STATUSES: Readonly<Record<number, number>> = { 1008: 401, 3009: 429 };
/** Formerly, and still where sessions are opened too fast, the error has code 1008 with this text. */
const TOO_MANY = /too many concurrent sessions/i;
/** The call switches to the reported language, so an uncertain one is not reported. */
const LANGUAGE_CONFIDENCE_MIN = 0.9;

/**
 * AssemblyAI's streaming speech to text, `/v3/ws`. Formatted turns are not requested: the models that format only on
 * request send the formatted turn later, in addition to the other, and their documentation advises voice agents against
 * it. The other models always format.
 *
 * It finds the end of a turn itself; see `endOfTurnOf` for what its confidence is worth.
 *
 * Built from www.assemblyai.com/docs, as of November 2026: streaming/api-spec/streaming-websocket,
 * streaming/message-sequence, streaming/turn-detection, streaming/select-the-speech-model,
 * streaming/universal-3-pro/turn-detection-and-partials and streaming/common-session-errors-and-closures.
 */
export function createAssemblyAiStt(options: AssemblyAiOptions): Stt {
  return {
    provider: "assemblyai",
    capabilities: { ratesHz: [8_000, 16_000], interimTranscripts: true, anyLanguage: true },
    open: (opened, signal) => openStream(options, opened, signal),
  };
}

function openStream(
  { apiKey, model, url, clock }: AssemblyAiOptions,
  { language, rateHz, onOpened }: SttStreamOptions,
  signal: AbortSignal,
): SttStream {
  const events = new EventQueue<SttEvent>(signal);
  if (signal.aborted) return { write: () => {}, events };
  const finalization = new Finalization({ detectsTurns: true });
  const turns = new Turns(
    language,
    (event) => events.push(event),
    () => finalization.finished(),
  );
  const socket = new SttSocket({
    provider: "assemblyai",
    url: withQueryDefaults(url, {
      speech_model: model,
      encoding: "pcm_s16le",
      sample_rate: String(rateHz),
      ...(model === ENGLISH_MODEL ? {} : { language_detection: "true" }),
    }),
    headers: { authorization: apiKey },
    rateHz,
    closeMessage: TERMINATE,
    closeStatuses: STATUSES,
    clock,
    signal,
    onMessage: (message) => {
      // It accepts connections and closes them at once where the API key or the credit is missing.
      if (message.type === "Begin") onOpened?.();
      const problem = turns.take(message);
      if (problem !== undefined) socket.fail(problem, refusalIn(message));
    },
    onFailure: (error) => events.fail(error),
  });
  return {
    write(frame, activity = NO_SPEECH) {
      socket.write(frame);
      if (activity.isSpeaking && activity.isSpeech) turns.speechResumed();
      if (!finalization.frame(activity)) return;
      // The buffered rest is not flushed: it is silence, and a message that short would end the session.
      socket.sendText(FORCE_ENDPOINT);
      turns.requested();
    },
    events,
  };
}

function refusalIn({ type, error_code: code, error }: JsonObject): Refusal | undefined {
  if (type !== "Error" || typeof code !== "number") return undefined;
  const isTooMany = typeof error === "string" && TOO_MANY.test(error);
  const status = isTooMany ? STATUSES[3009] : STATUSES[code];
  return status === undefined ? undefined : refusalFrom(status);
}

/**
 * Each message of a turn replaces the one before it. The first with `end_of_turn` is the final; later ones are ignored.
 */
class Turns {
  readonly #callLanguage: string;
  readonly #emit: (event: SttEvent) => void;
  /** Called when a turn has ended, with words or without. */
  readonly #onEnded: () => void;
  /** The number of the last ended turn; turns are counted from 0. */
  #endedOrder = -1;
  readonly #interims = new InterimFilter();
  /** The number of the last turn that a message was of. */
  #lastOrder = -1;
  /** The end of the turn was requested, and there was no speech since. */
  #isRequested = false;
  /** The number of the turn that was open at the last request: it ends by that, whatever the caller has said since. */
  #requestedOrder: number | undefined;

  constructor(callLanguage: string, emit: (event: SttEvent) => void, onEnded: () => void) {
    this.#callLanguage = callLanguage;
    this.#emit = emit;
    this.#onEnded = onEnded;
  }

  /** The end of the turn was requested: that it ends is no longer AssemblyAI's judgement. */
  requested(): void {
    this.#isRequested = true;
    this.#requestedOrder = this.#lastOrder > this.#endedOrder ? this.#lastOrder : undefined;
  }

  speechResumed(): void {
    this.#isRequested = false;
  }

  /** Takes a message; returns what is wrong with it, if anything is. */
  take(message: JsonObject): string | undefined {
    switch (message.type) {
      case "Turn":
        return this.#takeTurn(message);
      case "Error":
        return `reported error ${typeof message.error_code === "number" ? message.error_code : "without a code"}`;
      default:
        return undefined;
    }
  }

  #takeTurn(turn: JsonObject): string | undefined {
    const { turn_order: order, transcript } = turn;
    if (typeof order !== "number" || typeof transcript !== "string") return "sent a malformed turn";
    if (order <= this.#endedOrder) return undefined;
    this.#lastOrder = order;
    if (turn.end_of_turn === true) {
      this.#endedOrder = order;
      this.#onEnded();
      this.#finish(transcriptText(transcript), turn);
      return undefined;
    }
    const text = transcriptText(longer(transcript, wordsIn(turn.words)));
    const endOfTurn = endOfTurnOf(turn, false);
    if (this.#interims.isNews(text, endOfTurn)) this.#emit({ kind: "interim", text, ...endOfTurnField(endOfTurn) });
    return undefined;
  }

  /** Emits the final. After an interim also an empty final is emitted: it withdraws the interim's words. */
  #finish(text: string, turn: JsonObject): void {
    const hadInterim = this.#interims.hasText;
    const isOwnEnd = !this.#isRequested && turn.turn_order !== this.#requestedOrder;
    const endOfTurn = endOfTurnOf(turn, isOwnEnd);
    this.#interims.reset();
    this.#isRequested = false;
    if (text === "" && !hadInterim) return;
    const { language_code: code, language_confidence: confidence } = turn;
    const isCertain =
      typeof code === "string" && typeof confidence === "number" && confidence >= LANGUAGE_CONFIDENCE_MIN;
    this.#emit({
      kind: "final",
      text,
      ...(isCertain ? { language: transcriptLanguage(code, this.#callLanguage) } : {}),
      ...(text === "" ? {} : endOfTurnField(endOfTurn)),
    });
  }
}

/**
 * What `end_of_turn_confidence` says of the end of the turn. The Universal-Streaming models send a measured figure with
 * every message. The Pro models have none: theirs is 0 in every interim and 1 in every final, also in requested ones,
 * so 0 says nothing, and 1 only where AssemblyAI ended the turn by itself.
 */
function endOfTurnOf({ end_of_turn_confidence: confidence }: JsonObject, isOwnEnd: boolean): number | undefined {
  if (confidence === 0 || (confidence === 1 && !isOwnEnd)) return undefined;
  return endOfTurnIn(confidence);
}

/**
 * In the Universal-Streaming models, words that may still change are missing in the transcript and listed in `words`.
 */
function wordsIn(words: unknown): string {
  if (!Array.isArray(words)) return "";
  return words.map((word: unknown) => (isObject(word) && typeof word.text === "string" ? word.text : "")).join(" ");
}

const longer = (a: string, b: string): string => (b.length > a.length ? b : a);
