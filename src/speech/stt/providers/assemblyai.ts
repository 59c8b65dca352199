import type { Clock } from "../../../core/clock.ts";
import { isObject } from "../../../core/json.ts";
import type { Stt, SttEvent, SttStream, SttStreamOptions } from "../../contracts.ts";
import { EventQueue } from "../../event-queue.ts";
import { type Refusal, refusalFrom } from "../../resilience/provider-error.ts";
import { SpeechGate } from "../speech-gate.ts";
import { transcriptLanguage, transcriptText } from "../transcript-text.ts";
import { withQueryDefaults } from "./query-defaults.ts";
import { type JsonObject, SttSocket } from "./stt-socket.ts";

export interface AssemblyAiOptions {
  apiKey: string;
  model: string;
  /** Of its `/v3/ws`, `wss:` or `ws:`. What its query asks for goes before what we would ask for. */
  url: string;
  clock: Clock;
}

const FORCE_ENDPOINT = '{"type":"ForceEndpoint"}';
const TERMINATE = '{"type":"Terminate"}';

/** After this much without voice the turn is ended; shorter than any pause that ends one of ours, so that its words come in time. */
const ENDPOINT_MS = 200;
/** The statuses that codes of errors, and of closes, stand for (streaming/common-session-errors-and-closures). */
const STATUSES: Readonly<Record<number, number>> = { 1008: 401, 3009: 429 };
/** Once, and still where sessions come too fast, this was told by 1008 as well. */
const TOO_MANY = /too many concurrent sessions/i;
/** The model that knows English alone tells no language. */
const ENGLISH_ONLY = "universal-streaming-english";
/** A call goes on in the language that was heard: one that is guessed at is not told. */
const LANGUAGE_CONFIDENCE_MIN = 0.9;

/**
 * AssemblyAI's streaming speech to text, `/v3/ws`. Formatted turns are not asked for: the models that need to be asked send
 * them behind the others and later, which their documentation advises voice agents against; the rest format always.
 *
 * Built from www.assemblyai.com/docs, as of November 2026: streaming/api-spec/streaming-websocket, streaming/message-sequence,
 * streaming/turn-detection, streaming/select-the-speech-model, streaming/universal-3-pro/turn-detection-and-partials and
 * streaming/common-session-errors-and-closures.
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
  const turns = new Turns(language, (event) => events.push(event));
  const socket = new SttSocket({
    provider: "assemblyai",
    url: withQueryDefaults(url, {
      speech_model: model,
      encoding: "pcm_s16le",
      sample_rate: String(rateHz),
      ...(model === ENGLISH_ONLY ? {} : { language_detection: "true" }),
    }),
    headers: { authorization: apiKey },
    rateHz,
    closeMessage: TERMINATE,
    closeStatuses: STATUSES,
    clock,
    signal,
    onMessage: (message) => {
      // It takes connections that it closes at once, for want of a key or of money.
      if (message.type === "Begin") onOpened?.();
      const trouble = turns.take(message);
      if (trouble !== undefined) socket.fail(trouble, refusalIn(message));
    },
    onFailure: (error) => events.fail(error),
  });
  const gate = new SpeechGate(ENDPOINT_MS);
  return {
    write(frame, voiced = false) {
      socket.write(frame);
      // What does not fill a message is silence, and a message as short as that would end the session.
      if (gate.frame(voiced) === "ended") socket.sendText(FORCE_ENDPOINT);
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

/** Each message of a turn replaces the one before it; the first that ends the turn is its final, whatever follows. */
class Turns {
  readonly #callLanguage: string;
  readonly #emit: (event: SttEvent) => void;
  /** The last turn that is over; they are counted from 0. */
  #endedOrder = -1;
  #lastInterim = "";

  constructor(spoken: string, tell: (event: SttEvent) => void) {
    this.#callLanguage = spoken;
    this.#emit = tell;
  }

  /** Takes a message; says what is wrong with it, if anything is. */
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
    if (typeof order !== "number" || typeof transcript !== "string") return "sent a turn of an unknown shape";
    if (order <= this.#endedOrder) return undefined;
    if (turn.end_of_turn === true) {
      this.#endedOrder = order;
      this.#finish(transcriptText(transcript), turn);
      return undefined;
    }
    const text = transcriptText(longer(transcript, wordsIn(turn.words)));
    if (text === "" || text === this.#lastInterim) return undefined;
    this.#lastInterim = text;
    this.#emit({ kind: "interim", text });
    return undefined;
  }

  /** Of a turn of which words were told there is a final, even if they were none: it takes them back. */
  #finish(text: string, { language_code: code, language_confidence: confidence }: JsonObject): void {
    const isTold = this.#lastInterim !== "";
    this.#lastInterim = "";
    if (text === "" && !isTold) return;
    const isSure = typeof code === "string" && typeof confidence === "number" && confidence >= LANGUAGE_CONFIDENCE_MIN;
    this.#emit({ kind: "final", text, ...(isSure ? { language: transcriptLanguage(code, this.#callLanguage) } : {}) });
  }
}

/** Words that may still change stand in no transcript of the Universal-Streaming models, but among its words. */
function wordsIn(words: unknown): string {
  if (!Array.isArray(words)) return "";
  return words.map((word: unknown) => (isObject(word) && typeof word.text === "string" ? word.text : "")).join(" ");
}

const longer = (a: string, b: string): string => (b.length > a.length ? b : a);
