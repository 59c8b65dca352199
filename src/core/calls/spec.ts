/** The transports a call may be prepared for, as the API names them. */
export const CONNECTION_TYPES = ["carrier_a", "carrier_b", "carrier_c", "websocket", "webrtc"] as const;
export type ConnectionType = (typeof CONNECTION_TYPES)[number];

/** How audio may travel over a leg of connectionType `websocket`, and at which rates, Hz. */
export const STREAM_CODECS = ["pcm_s16le", "mulaw", "alaw", "opus"] as const;
export type StreamCodec = (typeof STREAM_CODECS)[number];
export const STREAM_RATES_HZ = [8_000, 16_000, 24_000, 48_000] as const;
export type StreamRateHz = (typeof STREAM_RATES_HZ)[number];

/** What was negotiated for a leg of connectionType `websocket`: one codec both ways, a rate for each. */
export interface StreamFormat {
  codec: StreamCodec;
  /** Of the audio that the client sends. */
  inputRateHz: StreamRateHz;
  /** Of the audio that we send. */
  outputRateHz: StreamRateHz;
}

export const MODEL_NAMES = ["model_a", "model_b", "model_c"] as const;
export type ModelName = (typeof MODEL_NAMES)[number];
/** What a call has that names none. */
export const MODEL_DEFAULT: ModelName = "model_b";

/** Tools that the service itself carries out and that this build has. */
export const BUILT_IN_TOOLS = ["hang_up", "send_dtmf", "transfer", "switch_language"] as const;
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

/**
 * Why a reply was cut. `words`, `voice`, `key` and `typed`: the caller barged in. `silence`: it hung, and the caller is asked
 * whether anybody is there. `llm_failed`, `spend_limit`: words of our own take its place.
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
 * Why the service itself says something, and not the model: `greeting`, the first message as it was given; `inactivity`, nobody was
 * heard for too long; `filler`, the answer takes long; `apology`, the model failed; `goodbye`, the service ends the call; `limit`, the
 * call may spend no more.
 */
export const SPEAK_REASONS = ["greeting", "inactivity", "filler", "apology", "goodbye", "limit"] as const;
export type SpeakReason = (typeof SPEAK_REASONS)[number];

/** Why a paused reply goes on: the voice ended without a word, was a back-channel, or goes on and tells no word. */
export const RESUME_REASONS = ["no_words", "back_channel", "pause_timeout"] as const;
export type ResumeReason = (typeof RESUME_REASONS)[number];

/** What every tool has, whoever carries it out. */
interface Tool {
  name: string;
  /** What the model does not choose: these arguments are always so, and it never sees them. */
  fixedArguments: Readonly<Record<string, unknown>>;
}

interface DescribedTool extends Tool {
  /** For the model: what it is for. */
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
  /** `{name}` stands for an argument. Those that stand nowhere go into the query, or as JSON into the body. */
  url: string;
  /** `{{NAME}}` stands for a secret of the service's configuration, which the model never sees. */
  headers: Readonly<Record<string, string>>;
}

/** A tool that the client of a raw WebSocket carries out. */
export interface ClientTool extends DescribedTool {
  kind: "client";
}

/** A tool of a call, as it was selected for it. */
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

/** The whole configuration of one call, checked and with every default filled in. Plain data: it travels as JSON. */
export interface CallSpec {
  systemPrompt: string;
  /** The id of a voice of the configured provider, as `GET /voices` lists it. */
  voiceId: string;
  /** A code from `GET /languages`: what the call begins in. */
  language: string;
  /** The call stays in `language`, whatever is spoken. */
  languagePinned: boolean;
  model: ModelName;
  temperature: number;
  /** Absent when the model opens, or when the user speaks first. */
  greeting?: string;
  firstSpeaker: "agent" | "user";
  /** Governs the agent's first message only. */
  interruptible: boolean;
  maxDurationMs: number;
  inactivityTimeoutMs: number;
  inactivityAction: "hang_up" | "prompt";
  recordingEnabled: boolean;
  connectionType: ConnectionType;
  /** Present exactly when `connectionType` is `websocket`. */
  websocket?: StreamFormat;
  tools: readonly ToolSpec[];
  /** What the call may cost, in the currency of the prices that the service is configured with; absent for no bound. */
  maxCost?: number;
  metadata?: Record<string, unknown>;
}

/** One side's uninterrupted contribution, as it was heard. Times are milliseconds since redemption. */
export interface TranscriptTurn {
  role: "agent" | "user";
  /** What the caller heard, or what the ear understood of the caller. Empty when the call is not recorded. */
  text: string;
  startMs: number;
  endMs: number;
  /** The turn was cut short, by the other side or by the end of the call; `text` ends at the last word that was heard. */
  interrupted: boolean;
  /**
   * Where `text` ends is an estimate: the voice gave no word timestamps, by as much as a sentence at most; or more may have been heard
   * than the line confirmed.
   */
  approximate?: true;
  /** Agent turns that answer somebody: milliseconds since the caller's last voiced frame. */
  latency?: TurnLatency;
}

/**
 * Where the time between the caller's last voiced frame and the agent's first sample went; each is since that frame, in whole ms.
 * What `stagesOf` makes of it is how long each step took.
 */
export interface TurnLatency {
  /** The ear's final text; 0 where it came before that frame. Absent where none came before the answer was begun. */
  finalTranscriptMs?: number;
  /** Turn taking decided that it is the agent's turn. */
  endOfTurnMs: number;
  /** The model was asked what its first text answers: with the turn, or again when its tools were done. */
  llmRequestedMs?: number;
  /** First text of the LLM. Absent for replies without an LLM. */
  firstTextMs?: number;
  /** The first piece was given to the voice: the model's first clause, or words of our own that came before it. */
  firstSegmentMs?: number;
  /** The first synthesised sample reached us. */
  firstAudioMs: number;
  /** The first frame of the reply was sent. */
  firstFrameMs: number;
}
