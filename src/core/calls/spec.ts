import type { ToolId } from "../ids.ts";
import type { CallKnowledge } from "../knowledge/call-knowledge.ts";
import type { RedactionKind } from "../redaction/kinds.ts";
import type { AnalysisSettings } from "./analysis.ts";

/** A telephone carrier as the API names it; `carriers/list.ts` has those that exist. */
export type CarrierType = `carrier_${string}`;
/** How audio may reach a call. */
export type ConnectionType = CarrierType | "websocket" | "webrtc";
/** The connection type of a call that requests none. */
export const CONNECTION_TYPE_DEFAULT = "carrier_a" satisfies ConnectionType;

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
/** The LLM of a call that requests none. */
export const MODEL_DEFAULT: ModelName = "model_b";

/** The built-in tools of this build, which the service itself carries out. */
export const BUILT_IN_TOOLS = [
  "hang_up",
  "send_dtmf",
  "transfer",
  "hold_call",
  "pause_recording",
  "resume_recording",
  "query_corpus",
  "switch_language",
] as const;
export type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

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
  /** The saved tool that it comes from; absent for a definition of the call. */
  toolId?: ToolId;
  /** It changes nothing. Absent for a tool that may have effects. */
  readOnly?: true;
  /** It may be sent again where no answer came: twice is as once. Absent for no, unless it is `readOnly`. */
  idempotent?: true;
  /** What the agent says while it takes long, in place of the service phrase. */
  whileRunning?: string;
}

export const HTTP_TOOL_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A tool that is an HTTP request of the service. */
export interface HttpTool extends DescribedTool {
  kind: "http";
  method: (typeof HTTP_TOOL_METHODS)[number];
  /** `{name}` is replaced by an argument. Arguments without a place go into the query, or as JSON into the body. */
  url: string;
  /** `{{NAME}}` is replaced by a secret of the account or of the service's configuration, which the LLM never sees. */
  headers: Readonly<Record<string, string>>;
}

/** A tool of an MCP server, as the server listed it when the call was created. */
export interface McpTool extends DescribedTool {
  kind: "mcp";
  toolId: ToolId;
  /** The server's endpoint for Streamable HTTP. */
  url: string;
  /** As those of an HTTP tool. */
  headers: Readonly<Record<string, string>>;
}

/** A tool that the client of a raw WebSocket carries out. */
export interface ClientTool extends DescribedTool {
  kind: "client";
}

export interface BuiltInToolSpec extends Tool {
  kind: "built_in";
  name: BuiltInTool;
  /**
   * Of `switch_language`: the codes of the languages, without regions, that the service could speak and transcribe when the
   * call was created. It switches to any language where this is absent, as in older journals.
   */
  languages?: readonly string[];
  /** Of `query_corpus`. */
  knowledge?: CallKnowledge;
}

/** A tool that was selected for a call. */
export type ToolSpec = BuiltInToolSpec | HttpTool | ClientTool | McpTool;

/** The whole configuration of one call, validated and with all defaults. It is plain data and can be sent as JSON. */
export interface CallSpec {
  /** A live transcription: what is said is transcribed, and nothing is answered. Absent for a conversation, as in older calls. */
  mode?: "transcription";
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
  /** Audio of the call is stored. */
  recordingEnabled: boolean;
  /** Words of the call are stored. Absent in older calls: see `storesWords`. */
  transcriptEnabled?: boolean;
  /** The LLM is given the parameters of the carrier's `start`, as data. Absent for no, as in older calls. */
  useParameters?: true;
  connectionType: ConnectionType;
  /** Present exactly when `connectionType` is `websocket`. */
  websocket?: StreamFormat;
  tools: readonly ToolSpec[];
  /**
   * The service controls the telephone call: `transfer` is a request to the carrier, whose failure brings the caller back, and so are
   * digits where the stream has no message for them. Absent for no, as in older calls: `transfer` ends the call.
   */
  phoneControl?: true;
  /**
   * The agent's digits are tones in its audio: neither the stream nor the carrier's API takes them in another way. The gateway decides
   * it when the call starts. Absent for no, as in older calls.
   */
  dtmfInBand?: true;
  /** What of the call is stored with labels and silence in its place, once the call is over. Absent for nothing. */
  redact?: readonly RedactionKind[];
  /** What an LLM is to find out about the call once it is over. Absent for nothing, and in what workers get of a call. */
  analysis?: AnalysisSettings;
  /** For `variables` in `redact`: the values that are not kept; not stored once the call is over. */
  redactedValues?: readonly string[];
  /** The largest cost of the call, in the currency of PRICES; absent for no limit. */
  maxCost?: number;
  metadata?: Record<string, unknown>;
  /** The span of the client that asked for the call, as a W3C `traceparent` of version 00. The call's trace links to it. */
  traceparent?: string;
}

/** Whether words of the call are withheld until it is over and redacted. */
export const isRedacted = ({ redact }: Pick<CallSpec, "redact">): boolean => redact !== undefined && redact.length > 0;

/** Whether words of the call may be stored. Before `transcriptEnabled`, `recordingEnabled` was about words, too. */
export const storesWords = ({
  recordingEnabled,
  transcriptEnabled = recordingEnabled,
}: Pick<CallSpec, "recordingEnabled" | "transcriptEnabled">): boolean => transcriptEnabled;

/** What the call answers from; undefined where it has no corpora. */
export const knowledgeOf = ({ tools }: Pick<CallSpec, "tools">): CallKnowledge | undefined =>
  tools.flatMap((tool) => (tool.kind === "built_in" ? (tool.knowledge ?? []) : []))[0];
