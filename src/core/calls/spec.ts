import type { CallMs } from "../clocks.ts";
/** The transports a call may be prepared for, as the API names them. */
export const CONNECTION_TYPES = ["carrier_a", "carrier_b", "carrier_c", "websocket", "webrtc"] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** The codecs of a leg of connectionType `websocket`, and their sample rates, Hz. */
export const STREAM_CODECS = ["pcm_s16le", "mulaw", "alaw", "opus"] as const;
export type StreamCodec = (typeof STREAM_CODECS)[number];
export const STREAM_RATES_HZ = [8_000, 16_000, 24_000, 48_000] as const;
export type StreamRateHz = (typeof STREAM_RATES_HZ)[number];

/** The negotiated format of a leg of connectionType `websocket`: one codec for both directions, a sample rate for each. */
export interface StreamFormat {
  codec: StreamCodec;
  /** Of inbound audio. */
  inputRateHz: StreamRateHz;
  /** Of outbound audio. */
  outputRateHz: StreamRateHz;
}

export const MODEL_NAMES = ["model_a", "model_b", "model_c"] as const;
export type ModelName = (typeof MODEL_NAMES)[number];
/** The format of a call that requests none. */
export const MODEL_DEFAULT: ModelName = "model_b";

/** The built-in tools of this build, which the service itself carries out. */
export const BUILT_IN_TOOLS = ["hang_up", "send_dtmf", "transfer", "switch_language"] as const;
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/**
 * Why a reply was interrupted or cancelled. `words`, `sustained_speech`, `dtmf` and `typed`: the caller barged in. `inactivity`: the
 * reply hangs, and the caller gets an inactivity prompt. `llm_failed`, `spend_limit`: a service phrase replaces it.
 */
export const CANCEL_REASONS = [
  "words",
  "sustained_speech",
  "dtmf",
  "typed",
  "inactivity",
  "llm_failed",
  "spend_limit",
  "call_ended",
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/**
 * Why the service says something without the LLM: `greeting`, the configured first message; `inactivity`, the caller was silent for
 * too long; `filler`, the reply takes long; `apology`, the LLM failed; `goodbye`, the service ends the call; `limit`, a spend limit
 * is reached.
 */
export const SPEAK_REASONS = ["greeting", "inactivity", "filler", "apology", "goodbye", "limit"] as const;
export type SpeakReason = (typeof SPEAK_REASONS)[number];

/** Why a paused reply resumes: the caller's speech ended without words, was a back-channel, or goes on without words. */
export const RESUME_REASONS = ["no_words", "back_channel", "pause_timeout"] as const;
export type ResumeReason = (typeof RESUME_REASONS)[number];

/** The part that all tools have in common. */
interface Tool {
  name: string;
  /** Arguments with fixed values, which the LLM neither chooses nor sees. */
  fixedArguments: Readonly<Record<string, unknown>>;
}

interface DescribedTool extends Tool {
  /** The purpose of the tool, for the LLM. */
  description: string;
  /** A JSON Schema object: the arguments that the LLM may choose. */
  parameters: Readonly<Record<string, unknown>>;
  timeoutMs: number;
}

export const HTTP_TOOL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A tool that is an HTTP request of the service. */
export interface HttpTool extends DescribedTool {
  kind: "http";
  method: (typeof HTTP_TOOL_METHODS)[number];
  /** `{name}` is replaced by an argument. Arguments without a place go into the query, or as JSON into the body. */
  url: string;
  /** `{{NAME}}` is replaced by a secret of the service's configuration, which the LLM never sees. */
  headers: Readonly<Record<string, string>>;
}

/** A tool that the client of a raw WebSocket carries out. */
export interface ClientTool extends DescribedTool {
  kind: "client";
}

/** A tool that was selected for a call. */
export type ToolSpec = (Tool & { kind: "built_in"; name: BuiltInTool }) | HttpTool | ClientTool;

/** Why a call ended; the first reason wins and never changes. */
export const END_REASONS = [
  "caller_hangup",
  "connection_lost",
  "agent_hangup",
  "api_hangup",
  "max_duration",
  "inactivity",
  "spend_limit",
  "transferred",
  "token_expired",
  "protocol_error",
  "audio_flood",
  "message_flood",
  "slow_consumer",
  "provider_error",
  "drain_timeout",
  "worker_lost",
] as const;
export type EndReason = (typeof END_REASONS)[number];

/** The whole configuration of one call, validated and with all defaults. It is plain data and can be sent as JSON. */
export interface CallSpec {
  systemPrompt: string;
  /** The id of a voice of the configured provider, as `GET /voices` lists it. */
  voiceId: string;
  /** A code from `GET /languages`: the language in which the call begins. */
  language: string;
  /** The call stays in `language`, whatever the caller speaks. */
  languagePinned: boolean;
  model: ModelName;
  temperature: number;
  /** Absent when the LLM opens the call, or when the user speaks first. */
  greeting?: string;
  firstSpeaker: "agent" | "user";
  /** Applies to the agent's first message only. */
  interruptible: boolean;
  maxDurationMs: number;
  inactivityTimeoutMs: number;
  inactivityAction: "hang_up" | "prompt";
  recordingEnabled: boolean;
  connectionType: ConnectionType;
  /** Present exactly when `connectionType` is `websocket`. */
  websocket?: StreamFormat;
  tools: readonly ToolSpec[];
  /** The largest cost of the call, in the currency of PRICES; absent for no limit. */
  maxCost?: number;
  metadata?: Record<string, unknown>;
}

/** One side's uninterrupted contribution, as it was heard. Times are milliseconds since redemption. */
export interface TranscriptTurn {
  role: "agent" | "user";
  /** What the caller heard, or the final transcript of the caller's speech. Empty when the call is not recorded. */
  text: string;
  startMs: CallMs;
  endMs: CallMs;
  /** The turn was interrupted, by the other side or by the end of the call; `text` ends at the last word that was heard. */
  interrupted: boolean;
  /**
   * The end of `text` is an estimate: without word timestamps of the TTS it may be wrong by up to a sentence, and more may have been
   * heard than the peer confirmed.
   */
  approximate?: true;
  /** Only in agent turns that reply to the caller: milliseconds since the caller's last voiced frame. */
  latency?: TurnLatency;
}

/**
 * The milestones between the caller's last voiced frame and the agent's first sample, in whole ms since that frame.
 * `stepDurations` computes the duration of each step.
 */
export interface TurnLatency {
  /** The final transcript; 0 if it came before that frame. Absent if none came before the reply was started. */
  finalTranscriptMs?: number;
  /** The end of the turn was decided. */
  endOfTurnMs: number;
  /** The LLM request that produced the first text: the first one of the turn, or the one after its tool results. */
  llmRequestedMs?: number;
  /** First text of the LLM. Absent for replies without an LLM. */
  firstTextMs?: number;
  /** The first segment was handed to the TTS: the first clause of the LLM, or a filler before it. */
  firstSegmentMs?: number;
  /** The first synthesized sample arrived. */
  firstAudioMs: number;
  /** The first frame of the reply was sent. */
  firstFrameMs: number;
}
