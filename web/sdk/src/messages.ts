import type { AudioPath, TranscriptDetail, TurnLatency } from "./types.ts";

// The messages of the stream protocol (docs/stream-protocol.md), with those that a `webrtc` call adds.

/** What the service takes of a typed text. */
export const TEXT_CHARS_MAX = 16_384;

/** A STUN or TURN server. */
export interface IceServer {
  urls: string | string[];
  username?: string;
  credential?: string;
}

/** The audio of one direction. */
export interface AudioFormat {
  codec: string;
  sampleRate: number;
}

/** What audio on the socket of a `webrtc` call may be. */
export type StreamCodec = "opus" | "pcm_s16le";

export interface Ready {
  type: "ready";
  callId: string;
  /** Absent: `websocket`. */
  transport?: AudioPath;
  input: AudioFormat;
  output: AudioFormat;
  /** A new address for one more connection to this call, where the page asked for it. */
  resumeUrl?: string;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

export type ServiceMessage =
  | { type: "hello"; iceServers: IceServer[]; resumeUrl?: string }
  | { type: "answer"; sdp: string }
  | Ready
  | { type: "state"; state: "listening" | "thinking" | "speaking" | "held"; latency?: TurnLatency }
  | ({ type: "transcript" } & TranscriptDetail)
  | { type: "mark"; name: string; rtpTimestamp?: number }
  | { type: "clear"; rtpTimestamp?: number }
  | { type: "fallback" }
  | { type: "error"; code: string; message: string }
  | ToolCall
  | { type: "ended"; reason: string };

export type ClientMessage =
  | { type: "offer"; sdp: string }
  | { type: "fallback"; codec: StreamCodec }
  | { type: "mark"; name: string }
  | { type: "cleared"; playedMs: number }
  | { type: "dtmf"; digit: string }
  | { type: "text"; text: string }
  | { type: "toolResult"; id: string; result?: unknown; error?: string }
  | { type: "end" };

/** The message in a text; undefined for what is no message. Its fields are as the service of the same version sends them. */
export function readMessage(text: string): ServiceMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "type" in value ? (value as ServiceMessage) : undefined;
  } catch {
    return undefined;
  }
}
