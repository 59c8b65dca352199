import type { Clock } from "../../../../core/clock.ts";
import { isObject } from "../../../../core/json.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../core/limits/calls/calls.ts";
import { STT_UTTERANCE_MS_MAX } from "../../../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../../../core/limits/streams/media.ts";
import type { ResamplerFactory } from "../../../../media/resampler.ts";
import { NO_SPEECH, type SpeechActivity } from "../../../../media/voice-activity/speech-activity.ts";
import type { Stt, SttEvent, SttStream, SttStreamOptions } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { openAiLanguage } from "../../../openai-languages.ts";
import { loggableCode, REQUEST_ERROR, type Refusal, refusalFrom } from "../../../resilience/provider-error.ts";
import { Finalization } from "../../finalization.ts";
import { withQueryDefaults } from "../query-defaults.ts";
import { type JsonObject, SttSocket } from "../stt-socket.ts";
import { type SessionAudio, sessionAudio } from "./audio.ts";
import { type CommitKind, Items } from "./items.ts";
import { abilitiesOf, sessionUpdate } from "./session.ts";

interface OpenAiRealtimeOptions {
  /** Undefined for servers that require none. */
  apiKey: string | undefined;
  model: string;
  /** The address of `/v1/realtime`, `wss:` or `ws:`. Parameters in its query take precedence over ours. */
  url: string;
  makeResampler: ResamplerFactory;
  clock: Clock;
}

const PROVIDER = "openairealtime";
const COMMIT = '{"type":"input_audio_buffer.commit"}';
/** What of the reason of a close is logged: `invalid_request_error.invalid_api_key`. */
const CLOSE_REASON_CODE = /^[a-z_]+\.[a-z_]+$/;
/** The code of a commit without audio, or with less than 100 ms of it. */
const NOTHING_TO_COMMIT = "input_audio_buffer_commit_empty";
/** The HTTP statuses that its error codes correspond to (api/docs/guides/error-codes). */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_api_key: 401,
  insufficient_quota: 429,
  rate_limit_exceeded: 429,
};
/** The type of an error that blames an event of ours; but also of one for a session that has expired. */
const INVALID_REQUEST = "invalid_request_error";
/** A caller who never pauses does not grow the text without a bound. */
const UTTERANCE_CHARS_MAX = TURN_TEXT_CHARS_MAX / 2;
const UTTERANCE_FRAMES_MAX = STT_UTTERANCE_MS_MAX / FRAME_MS;

/**
 * OpenAI's transcription sessions, `/v1/realtime` over WebSocket. Two kinds of models differ in when they transcribe:
 * those that stream do so while the caller speaks, and get their ends from the call. The others transcribe what is
 * committed, by the end that OpenAI's semantic VAD finds or by the call's own end of speech, whichever is first.
 *
 * Built from developers.openai.com, as of November 2026: api/docs/guides/realtime-transcription and
 * api/reference/resources/realtime, the latter as in the types of the `openai` package 7.57.0.
 */
export function createOpenAiRealtimeStt(options: OpenAiRealtimeOptions): Stt {
  const { streams, detectsLanguage } = abilitiesOf(options.model);
  return {
    provider: PROVIDER,
    capabilities: {
      ratesHz: [8_000, 16_000],
      interimTranscripts: streams,
      detectsLanguage: () => detectsLanguage,
    },
    open: (opened, signal) => openStream(options, opened, signal),
  };
}

function openStream(options: OpenAiRealtimeOptions, opened: SttStreamOptions, signal: AbortSignal): SttStream {
  const events = new EventQueue<SttEvent>(signal);
  if (signal.aborted) return { write: () => {}, events };
  let audio: SessionAudio;
  try {
    audio = sessionAudio(opened.rateHz, options.makeResampler);
  } catch (error) {
    events.fail(error as Error);
    return { write: () => {}, events };
  }
  const { streams } = abilitiesOf(options.model);
  const session = new Session(options, opened, audio, events, signal);
  signal.addEventListener("abort", () => audio.destroy(), { once: true });
  return streams ? streamOf(session, events) : utteranceStreamOf(session, events);
}

/** A stream of a model that transcribes while the caller speaks. */
function streamOf(session: Session, events: AsyncIterable<SttEvent>): SttStream {
  const finalization = new Finalization();
  return {
    write(frame, activity = NO_SPEECH) {
      session.write(frame);
      if (finalization.frame(activity)) session.commit("final");
    },
    events,
  };
}

/** A stream of a model that transcribes what is committed. */
function utteranceStreamOf(session: Session, events: EventQueue<SttEvent>): SttStream {
  const { items } = session;
  return {
    write(frame, activity = NO_SPEECH) {
      session.write(frame);
      session.speech(activity);
      if (activity.edge === "ended") session.conclude();
      else if (session.uncommittedFrames > UTTERANCE_FRAMES_MAX) session.commit("final");
    },
    requestInterim() {
      if (items.isPending) return;
      if (session.uncommittedFrames > 0) session.commit("interim");
      else items.concludeWithoutAudio("interim");
    },
    events,
  };
}

/** One session: sends its audio and commits, and hands its messages to the items. */
class Session {
  readonly items: Items;
  readonly #socket: SttSocket;
  /** The frames since the first speech that was sent and not committed; 0 while there is none. */
  uncommittedFrames = 0;
  #isSpeech = false;
  /** The server has taken the settings of the session. */
  #isConfigured = false;

  constructor(
    { apiKey, model, url, clock }: OpenAiRealtimeOptions,
    { language, languagePinned = false, rateHz, onOpened }: SttStreamOptions,
    audio: SessionAudio,
    events: EventQueue<SttEvent>,
    signal: AbortSignal,
  ) {
    const { streams, detectsLanguage } = abilitiesOf(model);
    this.items = new Items({ language, emitsPartials: streams, emit: (event) => events.push(event) });
    this.#socket = new SttSocket({
      provider: PROVIDER,
      url: withQueryDefaults(url, { intent: "transcription" }),
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      rateHz,
      encodeAudio: (samples) => audio.append(samples),
      closeReasonCode: CLOSE_REASON_CODE,
      clock,
      signal,
      onMessage: (message) => {
        if (message.type === "session.updated") {
          this.#isConfigured = true;
          onOpened?.();
        }
        const problem = this.#take(message);
        if (problem !== undefined) this.#socket.fail(problem, refusalIn(message, this.#isConfigured));
        else if (this.items.areTooMany) this.#socket.fail("leaves too many items open");
      },
      onFailure: (error) => events.fail(error),
    });
    const isDetected = detectsLanguage && !languagePinned;
    this.#socket.sendText(sessionUpdate({ model, language: isDetected ? undefined : language, format: audio.format }));
  }

  write(frame: Int16Array): void {
    this.#socket.write(frame);
  }

  /** Takes the caller's speech at the frame that was written last. */
  speech({ isSpeech, isSpeaking }: SpeechActivity): void {
    this.#isSpeech = isSpeech && isSpeaking;
    if (this.#isSpeech || this.uncommittedFrames > 0) this.uncommittedFrames += 1;
  }

  /** Ends an utterance: with a commit where the server has not committed all of it by itself. */
  conclude(): void {
    if (this.uncommittedFrames > 0) this.commit("final");
    else if (!this.items.concludePending()) this.items.concludeWithoutAudio("final");
  }

  commit(kind: CommitKind): void {
    this.uncommittedFrames = 0;
    this.items.requested(kind);
    this.#socket.flush();
    this.#socket.sendText(COMMIT);
    if (this.items.areTooMany) this.#socket.fail("does not confirm what is committed");
  }

  /** Takes a message; returns what is wrong with it, if anything is. */
  #take(message: JsonObject): string | undefined {
    const { type, item_id: id } = message;
    if (type === "error") return this.#takeError(message);
    if (type === "conversation.item.input_audio_transcription.failed") return "could not transcribe an item";
    if (!ITEM_EVENTS.includes(String(type))) return undefined;
    if (typeof id !== "string") return "sent an event without an item";
    switch (type) {
      case "input_audio_buffer.speech_stopped":
        this.items.stopped(id);
        return undefined;
      case "input_audio_buffer.committed":
        // Silence after it is no utterance; speech that goes on is.
        if (this.items.committed(id) && !this.#isSpeech) this.uncommittedFrames = 0;
        return undefined;
      case "conversation.item.input_audio_transcription.delta":
        if (typeof message.delta === "string") this.items.partial(id, message.delta);
        if (this.items.hasUncommitted(UTTERANCE_CHARS_MAX)) this.commit("final");
        return undefined;
      default:
        if (typeof message.transcript !== "string") return "sent no transcript with a complete item";
        this.items.complete(id, message.transcript, onlyLanguage(message.languages));
        return undefined;
    }
  }

  #takeError(message: JsonObject): string | undefined {
    const code = codeOf(message);
    if (code !== NOTHING_TO_COMMIT) return `reported error ${code ?? "without a code"}`;
    this.items.commitFailed();
    return undefined;
  }
}

/** The events of an item; others are ignored. */
const ITEM_EVENTS: readonly string[] = [
  "input_audio_buffer.speech_stopped",
  "input_audio_buffer.committed",
  "conversation.item.input_audio_transcription.delta",
  "conversation.item.input_audio_transcription.completed",
];

const codeOf = ({ error }: JsonObject): string | undefined => (isObject(error) ? loggableCode(error.code) : undefined);

/** What an error refuses: the API key, the rate, or the settings of the session, such as its model or language. */
function refusalIn(message: JsonObject, isConfigured: boolean): Refusal | undefined {
  if (message.type !== "error") return undefined;
  const status = STATUSES[codeOf(message) ?? ""];
  if (status !== undefined) return refusalFrom(status);
  const isOfSettings = !isConfigured && isObject(message.error) && message.error.type === INVALID_REQUEST;
  return isOfSettings ? REQUEST_ERROR : undefined;
}

/** The language of a list with one code, as `gpt-transcribe` reports what it detects. */
function onlyLanguage(languages: unknown): string | undefined {
  const [only]: readonly unknown[] = Array.isArray(languages) && languages.length === 1 ? languages : [];
  return isObject(only) && typeof only.code === "string" ? openAiLanguage(only.code) : undefined;
}
