import type { EndReason, StreamRateHz, TurnLatency } from "../core/calls/spec.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { G711Codec } from "../media/g711.ts";

export type { G711Codec };

/** What one message of audio brought, after the dialect has been left behind. Made once per worker and reused. */
export interface InboundAudio {
  /** Of a leg in G.711, the audio as it came, `count` bytes; overwritten by the next decode. Of others nothing is here. */
  readonly bytes: Uint8Array;
  /** The audio as signed 16-bit samples at the wire's inbound rate, `count` of them. */
  readonly samples: Int16Array;
  count: number;
  /** The carrier's own media time in ms since its stream began; NaN where it gave none that can be read. */
  timestampMs: number;
  /** The message's place among the stream's audio messages, counted by the carrier; NaN where it gave none that can be read. */
  chunk: number;
}

/** The stream's identity, and what the audio that comes in is kept in. */
export interface StreamStarted {
  kind: "start";
  streamId: string;
  /**
   * The carrier's own id for the call: 1 to STREAM_ID_CHARS_MAX characters, any of them. Undefined where nobody but us has one. Of
   * carrier_b it is the `call_control_id`, by which its API knows the call.
   */
  carrierCallId: string | undefined;
  codec: FrameCodec;
}

/** What any peer can tell us. */
export type WireEvent =
  | { kind: "audio" }
  | StreamStarted
  /** A mark came back. Whether it was played or flushed by a clear is the ledger's to know. */
  | { kind: "mark"; name: string }
  /** `occurredAtMs`: when the key was pressed, by the carrier's own clock, where keys may come out of order; NaN elsewhere. */
  | { kind: "dtmf"; digit: string; occurredAtMs: number }
  /** The caller typed this. */
  | { kind: "text"; text: string }
  /**
   * What waited to be played is gone; of the marks before it none will come back. Only some dialects say so, and fewer how much
   * audio was played since the stream began: `playedMs`, NaN where it was not told.
   */
  | { kind: "cleared"; playedMs: number }
  /** What came of a tool that the peer was asked for: what it says, or why it `failed`. */
  | { kind: "tool-result"; id: string; result: string; failed: boolean }
  /** The carrier complains about us, with its own code. */
  | { kind: "carrier-error"; code: string }
  | { kind: "stop" }
  /** Legal or unknown, and of no use to us; `what` is a fixed word for the counter. */
  | { kind: "ignored"; what: "greeting" | "unknown_event" | "outbound_track" | "bad_digit" };

/** What a peer may be told beside audio, where its dialect has words for it. */
export type ClientMessage =
  /** The leg is open, and this is its call; the dialect adds what was negotiated. */
  | { kind: "ready"; callId: string }
  /** An answer that begins to be heard has its `latency`. */
  | { kind: "state"; state: "listening" | "thinking" | "speaking"; latency?: TurnLatency }
  /** All of a turn so far. The text of the agent is sent before it is heard; a `final` one is what was heard, and its end may be `approximate`. */
  | { kind: "transcript"; role: "agent" | "user"; text: string; final: boolean; turnId: number; approximate?: true }
  /** It is to carry out a tool of its own, and say what came of it by this `id`. */
  | { kind: "tool-call"; id: string; name: string; arguments: Readonly<Record<string, unknown>> }
  /** What the peer did wrong; it may go on. */
  | { kind: "error"; code: string; message: string }
  /** The call is over, and the socket closes. */
  | { kind: "ended"; reason: EndReason };

/**
 * Called before JSON is parsed, with the bytes that the message is charged: all of them on a raw WebSocket, those outside of the
 * audio on a carrier's stream (see `parseChargeBytes`). Where it throws, nothing is parsed.
 */
export type ParseCharge = (bytes: number) => void;

/**
 * One leg's end of one dialect. Pure: no I/O, no clock; its only state is what the dialect needs (the stream id, half a sample).
 * The peer's names and framing stop here.
 */
export interface Wire {
  /** The rate of the samples that `decode` gives, Hz. */
  readonly inboundRateHz: StreamRateHz;
  /** The rate of the audio that `encodeAudio` takes, Hz. */
  readonly outboundRateHz: StreamRateHz;
  /** What the frames that `encodeAudio` takes are in. */
  readonly outboundCodec: FrameCodec;
  /** Audio travels in binary messages, both ways; without that a binary message breaks the protocol. */
  readonly binaryAudio: boolean;
  /** Of a dialect without a message for it: its stream begins with the socket, as this. */
  readonly implicitStart?: StreamStarted;
  /** Audio may come out of order, and must be put in order by `chunk`. */
  readonly isUnordered: boolean;
  /** Its timestamps go by the clock on the wall, also while it sends nothing: audio that is old by them was held up. */
  readonly hasWallClockTimestamps: boolean;
  /**
   * Reads one message: a text unless told otherwise. Audio lands in `into` and is told by the event `audio`. Throws
   * TrunklineError: `wire_malformed`; `wire_too_large` and `wire_wrong_data`, for which a leg ends at once; and what `charge` throws.
   */
  decode(message: Uint8Array, into: InboundAudio, isBinary?: boolean, charge?: ParseCharge): WireEvent;
  /**
   * One frame, 20 ms in `outboundCodec`, as a message, of which kind `binaryAudio` tells. The frame is only read. The returned view
   * may be the frame itself, and is valid until the next call, of any wire of the process.
   */
  encodeAudio(frame: Uint8Array): Uint8Array;
  encodeMark(name: string): string;
  encodeClear(): string;
  /** Presses keys, 0-9, *, # and A-D, towards the far end of the line. Only of dialects that can. */
  encodeDtmf?(digits: string): string;
  /** Only of dialects that have words for it. */
  encodeClientMessage?(notice: ClientMessage): string;
  /** Gives back memory outside of the heap; neither `decode` nor `encodeAudio` may follow. Only of dialects that hold some. */
  close?(): void;
}
