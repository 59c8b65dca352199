import { isObject } from "../../core/json.ts";

// The texts that only a WebRTC call has on its WebSocket, besides those of every client of ours (../client-texts.ts):
// they arrange how its audio travels.

/** A server that helps a browser to reach the service, as an `RTCIceServer` of the browser. */
export interface IceServer {
  urls: readonly string[];
  username: string;
  credential: string;
}

/** A text message, in Markdown for docs/webrtc.md. */
interface SignalDescription {
  fields: string;
  meaning: string;
}

/** What the service sends, by `type`. */
export const SERVICE_SIGNALS = {
  hello: {
    fields: "`iceServers`; `resumeUrl`",
    meaning: "the first message: make an `RTCPeerConnection` with these servers",
  },
  answer: { fields: "`sdp`", meaning: "the answer to `offer`" },
  fallback: {
    fields: "",
    meaning: "no RTP arrives any more, or the peer connection is closed: send `fallback`, or the call ends 5 s later",
  },
} as const satisfies Readonly<Record<string, SignalDescription>>;

/** What a client sends, by `type`. */
export const CLIENT_SIGNALS = {
  offer: {
    fields: "`sdp`: at most 16 KiB, one audio section with Opus, no video, no data channel",
    meaning: "begins WebRTC. Candidates are not read: the service learns the client's addresses from its checks",
  },
  fallback: {
    fields: "`codec`: `pcm_s16le` (default) or `opus`",
    meaning: "from now on audio travels as binary messages on this socket",
  },
} as const satisfies Readonly<Record<string, SignalDescription>>;

/** The codecs of audio on the socket. */
export const FALLBACK_CODECS = ["pcm_s16le", "opus"] as const;
export type FallbackCodec = (typeof FALLBACK_CODECS)[number];

export type Signal =
  | { kind: "offer"; sdp: string }
  | { kind: "fallback"; codec: FallbackCodec }
  /** One of the two with a field that is missing or wrong; `message` says what is right. */
  | { kind: "malformed"; message: string };

/** `resumeUrl`: where the client may connect again before `ready` has named another address. */
export const encodeHello = (iceServers: readonly IceServer[], resumeUrl?: string): string =>
  JSON.stringify({ type: "hello", iceServers, resumeUrl });

export const encodeAnswer = (sdp: string): string => JSON.stringify({ type: "answer", sdp });

/** Asks the client to send its audio on the socket. */
export const FALLBACK_REQUEST = JSON.stringify({ type: "fallback" });

const UTF8 = new TextDecoder();

/** The text of a client's message that may be one of these and must be parsed to know; undefined for any other. */
export function signalTextIn(message: Uint8Array): string | undefined {
  const text = UTF8.decode(message);
  return /"(?:offer|fallback)"/.test(text) ? text : undefined;
}

/** Reads the text of `signalTextIn`; undefined for one that is none of these, whatever it is. */
export function readSignal(text: string): Signal | undefined {
  const fields = parsed(text);
  if (fields?.type === "offer") {
    const { sdp } = fields;
    return typeof sdp === "string" ? { kind: "offer", sdp } : { kind: "malformed", message: "sdp must be a string" };
  }
  if (fields?.type !== "fallback") return undefined;
  const { codec = "pcm_s16le" } = fields;
  const known = FALLBACK_CODECS.find((each) => each === codec);
  return known === undefined
    ? { kind: "malformed", message: `codec must be one of ${FALLBACK_CODECS.join(", ")}` }
    : { kind: "fallback", codec: known };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
