import type { Usage } from "../core/billing/usage.ts";
import type { AccountId, ToolCallId } from "../core/ids.ts";
import type { SpeechActivity } from "../media/voice-activity/speech-activity.ts";

/**
 * The contracts of speech providers, `Stt`, `Llm` and `Tts`, and at the end what a call sees of them: `CallStt`,
 * `CallLlm` and `CallTts`, which are observed and may have fallbacks.
 *
 * Cancellation is the AbortSignal: after an abort no event is delivered, iterables end, and `write` does nothing.
 * An adapter never retries and never falls back: its policy does. Adapters throw TrunklineError `provider_failed`;
 * their errors contain no API key, prompt or spoken word.
 */

/**
 * A transcript from STT. `text` is everything since the last final, never a difference. `language` is the detected
 * language in BCP 47, of STT that detects languages. It is set only when the detection is certain, because the call
 * switches to it.
 */
export interface SttEvent {
  kind: "interim" | "final";
  text: string;
  language?: string;
  /** How sure the STT is that the speaker's turn is over, 0 to 1; absent from STT without such a signal. */
  endOfTurn?: number;
  /** Of a final: how much later than its deadline it came, ms; absent where it came in time or has no deadline. */
  lateMs?: number;
}

/** The parameters of an STT stream. */
export interface SttStreamOptions {
  language: string;
  /** The call stays in `language` whatever the caller speaks, so no other language is detected. False where absent. */
  languagePinned?: boolean;
  /**
   * Somebody reads the interims: they come as fast as the machine can, and their words may change, while a call needs only to hear
   * that it is interrupted, and by which words for certain. Heeded by STT on this machine. False where absent.
   */
  promptInterims?: boolean;
  rateHz: number;
  /** A fallback follows that transcribes the language: it gets the audio if this one fails. False where absent. */
  hasFallback?: boolean;
  /** Called when the provider has accepted the stream, by STT that knows it. */
  onOpened?: () => void;
}

/** One STT stream: it lives as long as the call does. */
export interface SttStream {
  /**
   * Takes one frame of samples at the opened rate. The frame and `activity` are borrowed: valid until return. Never
   * throws, never waits. `activity` is the caller's speech as the call sees it; where it is absent there is none. STT
   * without its own endpointing depends on it, and transcribes nothing if the writer never sets it.
   */
  write(frame: Int16Array, activity?: SpeechActivity): void;
  /**
   * Asks for a transcript of the utterance so far, by STT without interim transcripts of its own. The answer is one
   * `interim` event, with an empty text where there are no words; the utterance goes on, and its final covers all of
   * it. There is no answer while an earlier request or final transcript is pending, when the provider fails, or when
   * the utterance's final was first. Never throws, never waits.
   */
  requestInterim?(): void;
  /** How much audio was sent to the provider, ms, requested interims included; set by STT that does not send all the audio that it receives. */
  readonly sentAudioMs?: number;
  /** For one reader. Ends after an abort; throws when the provider fails. */
  readonly events: AsyncIterable<SttEvent>;
}

export interface Stt {
  /** A short name for logs, metrics and records, for example `reference`. */
  readonly provider: string;
  readonly capabilities: {
    /**
     * Rates it accepts without resampling, in Hz; the bus resamples to the first one where its own is not among them.
     */
    readonly ratesHz: readonly number[];
    /** It emits words by itself before the utterance is over; other STT is asked for them by `requestInterim`. */
    readonly interimTranscripts: boolean;
    /** Its stream is given no language, so it stays open when the language of the call changes. */
    readonly anyLanguage?: boolean;
    /**
     * Whether it detects `language`, a code, among others, where the call is not pinned: its stream then stays open
     * while the call changes between languages that it detects. It detects none where this is absent.
     */
    readonly detectsLanguage?: (language: string) => boolean;
    /**
     * Each utterance, as the call divides them, gets one final, in time or late, or the stream fails: there is no need
     * to detect that it is silent, and the end of a turn waits for the final, also where interims came before it.
     */
    readonly finalPerUtterance?: boolean;
  };
  open(options: SttStreamOptions, signal: AbortSignal): SttStream;
}

/**
 * A tool call of an LLM. `argumentsJson` is what the LLM wrote, which may be invalid JSON. In a conversation `id` is
 * our id of the tool call, and `providerCallId` is the provider's.
 */
export interface ToolCall {
  id: string;
  providerCallId?: string;
  name: string;
  argumentsJson: string;
}

/**
 * One message of a conversation. An assistant's message with tool calls is followed by their results, one each, in
 * order.
 */
export type Message =
  | { role: "system" | "user"; text: string }
  | { role: "assistant"; text: string; toolCalls?: readonly ToolCall[] }
  | { role: "tool"; toolCallId: ToolCallId; name: string; text: string };

/** A function that the LLM may call. `parameters` is a JSON Schema object. */
export interface ToolDescription {
  name: string;
  description: string;
  parameters: object;
}

export interface LlmRequest {
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** 0 to 1. */
  temperature: number;
  /** The language the reply should be in, a code from `GET /languages`. */
  language: string;
  /**
   * The account of the call; undefined for requests of the service itself. What an LLM shares among calls, it shares by
   * account.
   */
  accountId?: AccountId;
}

/**
 * An empty text is a sign of progress: the LLM wrote more of a tool call's arguments, which are emitted only when
 * complete.
 */
export type LlmEvent =
  | { kind: "text"; text: string }
  | ({ kind: "tool-call" } & ToolCall)
  | { kind: "end"; inputTokens: number; outputTokens: number };

export interface Llm {
  readonly provider: string;
  /** The model's context: tokens of a prompt and its answer together. Absent where there is no bound. */
  readonly contextTokens?: number;
  /** Opens connections that the first request would wait for, where possible. Returns at once; failures are ignored. */
  prepare?(signal: AbortSignal): void;
  /**
   * Yields text as it arrives and complete tool calls. `end` comes last, once, unless the reply fails or is aborted.
   */
  reply(request: LlmRequest, signal: AbortSignal): AsyncIterable<LlmEvent>;
}

export interface Voice {
  /** Unique over all providers and stable over restarts, for example `espeak/gmw/en-US`. */
  id: string;
  name: string;
  /** BCP 47, for example `en-US`. */
  language: string;
  provider: string;
  /** Languages that it can also speak, though it is not offered in them: used where no voice of the language exists. */
  alsoSpeaks?: readonly string[];
  /** It is unknown whether it speaks further languages, so no call is refused for its language. */
  otherLanguagesUnknown?: true;
}

/** A word of synthesised speech, in milliseconds from the first sample of its request. */
export interface TimedWord {
  /** As written in the text, with punctuation, so that joining the words with spaces gives the text again. */
  text: string;
  startMs: number;
  endMs: number;
}

export interface TtsChunk {
  /** Signed 16-bit mono at `rateHz`. The consumer owns the buffer. */
  samples: Int16Array;
  rateHz: number;
  /** Words whose times became known with this chunk; none from TTS without word timestamps. */
  words: readonly TimedWord[];
}

/** One segment to synthesise. */
export interface TtsRequest {
  text: string;
  voiceId: string;
  language: string;
  /** The rate of the outbound audio, Hz. TTS that can deliver it saves resampling; other TTS delivers its own rate. */
  rateHz?: number;
}

export interface Tts {
  readonly provider: string;
  readonly capabilities: { readonly wordTimestamps: boolean };
  /** Called often: an adapter caches the list. */
  voices(): Promise<readonly Voice[]>;
  /** Opens connections that the first segment would wait for, where possible. Returns at once; failures are ignored. */
  prepare?(voice: Omit<TtsRequest, "text">, signal: AbortSignal): void;
  /**
   * Synthesises one segment with the voice `voiceId`; yields audio as soon as it arrives. A provider with a server is
   * asked for every voice whose id begins with its name, listed or not; another provider's voice is refused.
   */
  speak(request: TtsRequest, signal: AbortSignal): AsyncIterable<TtsChunk>;
}

/** TTS that owns processes or connections until it is closed. Every request after `close` fails. */
export interface ClosableTts extends Tts {
  close(): void;
}

/** Why a failover happened, each code with its meaning, in Markdown for the OpenAPI document and docs/errors.md. */
export const FAILOVER_MEANINGS = {
  failed: "its connection or its response failed",
  refused: "it answered with an error status",
  timed_out: "it sent nothing in time",
  skipped: "no request was sent, because its circuit breaker is open or its stream limit is reached",
  other_language: "it works, and does not transcribe the language that the call has changed to",
} as const;
export type FailoverCode = keyof typeof FAILOVER_MEANINGS;
export const FAILOVER_CODES = Object.keys(FAILOVER_MEANINGS) as readonly FailoverCode[];

/**
 * Observes the providers of one call, also its fallbacks. The methods must not wait, and must not
 * throw except `requesting`.
 */
export interface ProviderObserver {
  /** The work of `from` goes to `to` from now on. */
  failedOver(from: string, to: string, code: FailoverCode): void;
  /**
   * The LLM `provider` refused a prompt as longer than its model's context. `tokensMax` is half of the refused prompt's
   * estimated tokens. `retried` when the same request is sent again at once, trimmed to `tokensMax`.
   */
  contextExceeded(provider: string, tokensMax: number, retried: boolean): void;
  /** `provider` sent the first part of its response, or a further one. */
  responded(provider: string): void;
  /**
   * Called before each attempt: the request to `provider` will use about `estimate`. This is the one method that may
   * throw, with `spend_limit`: then the request must not be sent, neither to `provider` nor to a fallback.
   */
  requesting(provider: string, estimate: Usage): void;
  /** The billable usage of one request; `estimate` is the object that `requesting` received for it. */
  used(provider: string, usage: Usage, estimate?: Usage): void;
}

/** The STT of calls: one provider, or several of which one replaces another. */
export interface CallStt extends Stt {
  /** Whether a provider of it transcribes `language`, a code; any language where this is absent. */
  servesLanguage?(language: string): boolean;
  /**
   * The STT of a call that begins in `language`: `provider` and `capabilities` are those of the first provider that
   * transcribes it. Absent where they are the same in every language.
   */
  forLanguage?(language: string): CallStt;
  open(options: SttStreamOptions, signal: AbortSignal, observer?: ProviderObserver): CallSttStream;
}

export interface CallSttStream extends SttStream {
  /**
   * The call switches to `language`, which a provider serves. Absent where the stream transcribes any language. A stream
   * that must be opened in the language is replaced; the new one gets the audio since the last final.
   */
  setLanguage?(language: string): void;
}

/** The LLM of calls: one provider, or several of which one replaces another. */
export interface CallLlm extends Llm {
  reply(request: LlmRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncIterable<LlmEvent>;
}

/** The TTS of one call, which uses the provider of its voice as long as that works. */
export interface CallTts extends Tts {
  speak(request: TtsRequest, signal: AbortSignal, observer?: ProviderObserver): AsyncIterable<TtsChunk>;
}

/** The TTS providers of a process. */
export interface TtsPool {
  /** The provider of a voice whose id names none. */
  readonly provider: string;
  /** The voices of all providers that can list theirs. Rejects only if none can. */
  voices(): Promise<readonly Voice[]>;
  /** The providers whose voice lists are not loaded yet. */
  unlistedProviders(): readonly string[];
  /** The TTS of one call that speaks with `voiceId`. */
  forVoice(voiceId: string): CallTts;
  /** Ends the providers' processes and connections. Every request after it fails. */
  close(): void;
}
