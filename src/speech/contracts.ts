import type { Usage } from "../core/billing/usage.ts";

/**
 * The three contracts between a call and its engines.
 *
 * Cancellation is the AbortSignal: after an abort no event is delivered, iterables end, and `write` does nothing.
 * An adapter never retries and never falls back: wrappers do. Errors leave as TrunklineError `provider_failed`, and carry
 * no key, prompt or spoken word.
 */

/**
 * Why one provider was left for the next: it `failed`, `refused` with a status, told nothing in time (`silent`), or was `skipped`,
 * because it fails again and again or stream limit reached.
 */
export const FAILOVER_CODES = ["failed", "refused", "timed_out", "skipped"] as const;
export type FailoverCode = (typeof FAILOVER_CODES)[number];

/** Told, for one call, of what goes on behind an engine that is several providers as one. It must not wait, nor throw but where it says so. */
export interface ProviderObserver {
  /** What was `from`'s to do, `to` is asked for now. */
  failedOver(from: string, to: string, code: FailoverCode): void;
  /**
   * The LLM `provider` refused a prompt as longer than its model's context: `tokensMax`, estimated, is half of what was refused.
   * `retried` when the same question is asked again at once, within that.
   */
  contextExceeded(provider: string, tokensMax: number, retried: boolean): void;
  /** `provider` has begun to give what it was asked for, or went on with it. */
  responded(provider: string): void;
  /**
   * `provider` is about to be asked for something that comes to about `estimate`, each try of it. The one that may throw, with
   * `spend_limit`: then it must not be asked, and nobody else instead.
   */
  requesting(provider: string, estimate: Usage): void;
  /** `provider` did so much, which is what it is paid for; `estimate` is the object that `requesting` was given for it. */
  used(provider: string, usage: Usage, estimate?: Usage): void;
}

/**
 * What an ear hears. `text` is everything since the last final, never a difference. `language` is what it takes that to be, in
 * BCP 47, of an ear that can tell: only where it is sure, for the call goes on in it.
 */
export interface SttEvent {
  kind: "interim" | "final";
  text: string;
  language?: string;
}

/** What a listening stream is opened with. */
export interface SttStreamOptions {
  language: string;
  /** The call stays in `language` whatever is heard, so no other is listened for. False where absent. */
  languagePinned?: boolean;
  rateHz: number;
  /** Told when the provider has taken the stream, by ears that can tell. */
  onOpened?: () => void;
}

/** One listening stream: it lives as long as the call does. */
export interface SttStream {
  /**
   * Takes one frame of samples at the opened rate; the frame is only valid until this returns. Never throws, never waits.
   * `voiced`: our own detector heard somebody speak in it. Ears that cannot tell by themselves where speech ends go by that,
   * and hear nothing of a writer who never says so.
   */
  write(frame: Int16Array, voiced?: boolean): void;
  /** The call goes on in `language`. Of several providers as one: the next that is opened is opened with it; what listens goes on. */
  setLanguage?(language: string): void;
  /** How much audio the provider was sent, ms, of an ear that does not send all that it is given. */
  readonly sentAudioMs?: number;
  /** One reader. Ends after an abort; throws when the engine fails. */
  readonly events: AsyncIterable<SttEvent>;
}

export interface Stt {
  /** A short name for logs, metrics and records, for example `reference`. */
  readonly provider: string;
  readonly capabilities: {
    /** Rates it takes as they are, in Hz; the bus resamples to the first where its own is not among them. */
    readonly ratesHz: readonly number[];
    /** It tells words before the utterance is over. Without them only sustained voice interrupts the agent. */
    readonly interimTranscripts: boolean;
    /** It hears whatever is spoken, so that it listens on where the language of its call changes. */
    readonly anyLanguage?: boolean;
    /**
     * Whether it detects `language`, a code, among others, where the call is not pinned: it then listens on while the call changes
     * between languages that it detects. None where absent.
     */
    readonly detectsLanguage?: (language: string) => boolean;
  };
  open(options: SttStreamOptions, signal: AbortSignal, watch?: ProviderObserver): SttStream;
}

/**
 * A tool that a model asks for. `argumentsJson` is what it wrote, which may not be JSON at all. In a conversation `id` is the call's
 * own name for it, and `theirId` what the model called it.
 */
export interface ToolCall {
  id: string;
  providerCallId?: string;
  name: string;
  argumentsJson: string;
}

/** One message of a conversation. Behind an assistant's message with tool calls stand their results, one for each, in order. */
export type Message =
  | { role: "system" | "user"; text: string }
  | { role: "assistant"; text: string; toolCalls?: readonly ToolCall[] }
  | { role: "tool"; toolCallId: string; name: string; text: string };

/** A function the model may call. `parameters` is a JSON Schema object. */
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
  /** Whose call asks; undefined where the service asks in its own name. What an LLM shares among calls it shares by accounts. */
  accountId?: string;
}

/** A text that is empty says nothing but that more of what is told whole, a tool's arguments, was written. */
export type LlmEvent =
  | { kind: "text"; text: string }
  | ({ kind: "tool-call" } & ToolCall)
  | { kind: "end"; inputTokens: number; outputTokens: number };

export interface Llm {
  readonly provider: string;
  /** The model's context: tokens of a prompt and its answer together. Absent where there is no bound. */
  readonly contextTokens?: number;
  /** Opens what the first question would wait for, as far as it can; returns at once, and its failure is nobody's. */
  prepare?(signal: AbortSignal): void;
  /** Yields text as it comes and tool calls whole; `end` is last, once, unless it fails or is aborted. */
  reply(request: LlmRequest, signal: AbortSignal, watch?: ProviderObserver): AsyncIterable<LlmEvent>;
}

export interface Voice {
  /** Unique over all providers and stable over restarts, for example `espeak/gmw/en-US`. */
  id: string;
  name: string;
  /** BCP 47, for example `en-US`. */
  language: string;
  provider: string;
  /** Languages that it speaks as well, though it is not offered in them: better than no voice at all. */
  alsoSpeaks?: readonly string[];
  /** Whether it speaks others than these is not known: no call is refused for its language. */
  otherLanguagesUnknown?: true;
}

/** A word of synthesised speech, placed by milliseconds from the first sample of its request. */
export interface TimedWord {
  /** As it stood in the text, punctuation included, so that joining by spaces gives the text again. */
  text: string;
  startMs: number;
  endMs: number;
}

export interface TtsChunk {
  /** Signed 16-bit mono at `rateHz`; the consumer's to keep. */
  samples: Int16Array;
  rateHz: number;
  /** Words that became known with this chunk; none from voices without word times. */
  words: readonly TimedWord[];
}

/** One piece of text to be spoken. */
export interface TtsRequest {
  text: string;
  voiceId: string;
  language: string;
  /** The rate that the audio goes on at, Hz: a voice that can answer at it saves resampling, any other answers at its own. */
  rateHz?: number;
}

export interface Tts {
  readonly provider: string;
  readonly capabilities: { readonly wordTimestamps: boolean };
  /** Asked again and again: an adapter keeps the list at hand. */
  voices(): Promise<readonly Voice[]>;
  /** Of several providers as one: those whose voices nobody knows yet. */
  unlistedProviders?(): readonly string[];
  /** Opens what the first piece would wait for, as far as it can; returns at once, and its failure is nobody's. */
  prepare?(voice: Omit<TtsRequest, "text">, signal: AbortSignal): void;
  /** Speaks one piece of text with the voice `voiceId`; yields audio as soon as there is some. */
  speak(request: TtsRequest, signal: AbortSignal, watch?: ProviderObserver): AsyncIterable<TtsChunk>;
  /** Of several providers as one: what speaks for one call, with `voiceId` as long as its provider can. */
  forVoice?(voiceId: string): Tts;
}

/** A voice that keeps programs or connections of its own until it is closed; after that it only fails. */
export interface ClosableTts extends Tts {
  close(): void;
}
