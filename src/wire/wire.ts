import type { EndReason } from "../core/calls/reasons.ts";
import type { CallSpec, StreamRateHz } from "../core/calls/spec.ts";
import type { StartParameters } from "../core/calls/start-parameters.ts";
import type { InterimUpdate, TranscriptUpdate, TurnLatency, UtteranceUpdate } from "../core/calls/transcript.ts";
import type { EpochMs, MediaMs } from "../core/clocks.ts";
import type { CallId } from "../core/ids.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { G711Codec } from "../media/g711.ts";
import type { ClientErrorCode } from "./client-errors.ts";

export type { G711Codec };

/** The audio of one message, independent of the wire. Allocated once per worker and reused. */
export interface InboundAudio {
  /** On a G.711 leg the audio as received, `count` bytes; overwritten by the next decode. Unused on other legs. */
  readonly bytes: Uint8Array;
  /** The audio as signed 16-bit samples at the wire's inbound rate, `count` of them. */
  readonly samples: Int16Array;
  count: number;
  /** The carrier's media time in ms since the stream started; NaN where it is absent or unreadable. */
  timestampMs: MediaMs;
  /** The message says that silence follows. Only of wires with `hasDtx`; of others it is arbitrary. */
  isDtx: boolean;
  /** The carrier's number of the message among the stream's audio messages; NaN where it is absent or unreadable. */
  chunk: number;
}

/** The parameters of a start, and how many of them were left out because they are unusable or exceed a limit. */
export interface ReceivedParameters {
  values: StartParameters;
  droppedCount: number;
}

/** The stream's id, and the codec of inbound audio. */
export interface StreamStarted {
  kind: "start";
  streamId: string;
  /** The carrier's id of the call: 1 to STREAM_ID_CHARS_MAX arbitrary characters. Undefined where only we have an id. */
  carrierCallId: string | undefined;
  codec: FrameCodec;
  /** Absent where the start has none. */
  parameters?: ReceivedParameters;
}

/** Everything that a peer can send. */
export type WireEvent =
  | { kind: "audio" }
  | StreamStarted
  /** A mark was returned. The ledger knows whether its audio was played or flushed by a clear. */
  | { kind: "mark"; name: string }
  /**
   * `occurredAtMs`: when the digit was pressed, by the carrier's clock, where digits may arrive out of order; NaN
   * elsewhere.
   */
  | { kind: "dtmf"; digit: string; occurredAtMs: EpochMs }
  /** The caller typed this. */
  | { kind: "text"; text: string }
  /**
   * The audio that awaited playout was dropped; marks before it are not returned. Only some peers report this, and
   * fewer report how much audio was played since the stream started: `playedMs`, NaN where unknown.
   */
  | { kind: "cleared"; playedMs: number }
  /** The result of a tool that the peer was asked to run: what it returned, or why it `failed`. */
  | { kind: "tool-result"; id: string; result: string; failed: boolean }
  /** The carrier reports an error of ours, with its own code. */
  | { kind: "carrier-error"; code: string }
  | { kind: "stop" }
  /** Only of live transcriptions: a final is wanted of what was said until now; with `isLast` nothing follows. */
  | { kind: "finalize"; isLast: boolean }
  /** Only of live transcriptions: the client is there, although it sends no audio. */
  | { kind: "keep-alive" }
  /** Valid or unknown, and without effect; `what` is a constant word for the counter. */
  | { kind: "ignored"; what: "greeting" | "unknown_event" | "outbound_track" | "bad_digit" | "empty_audio" };

/** Its number among the utterances, from 0: one that is sent again has the same. */
export type NumberedUtterance = UtteranceUpdate & { readonly index: number };

/** What a peer may be sent in addition to audio, where its protocol has a message for it. */
export type ClientMessage =
  /** The leg is open, and this is its call; the wire adds what was negotiated. */
  | {
      kind: "ready";
      callId: CallId;
      /** Where the client may connect again, once, when this connection is lost; absent where it has not asked for it. */
      resumeUrl?: string | undefined;
      /** How much audio a live transcription has had, ms. */
      audioMs?: number | undefined;
    }
  /** The first audio of an answer comes with its `latency`. */
  | { kind: "state"; state: "listening" | "thinking" | "speaking" | "held"; latency?: TurnLatency }
  | TranscriptUpdate
  /** Only to clients of live transcriptions, as the call's commands. */
  | InterimUpdate
  | NumberedUtterance
  /** The peer is to run one of its own tools and return the result with this `id`. */
  | { kind: "tool-call"; id: string; name: string; arguments: Readonly<Record<string, unknown>> }
  /** The peer's error; the stream may continue. */
  | { kind: "error"; code: ClientErrorCode; message: string }
  /** The call has ended, and the socket closes. `audioMs`: how much audio a live transcription has had. */
  | { kind: "ended"; reason: EndReason; audioMs?: number | undefined };

/**
 * Called before JSON is parsed, with the bytes for which the message is charged: all of them on a raw WebSocket, those
 * outside the audio on a carrier's stream (see `parseChargeBytes`). Where it throws, nothing is parsed.
 */
export type ParseCharge = (bytes: number) => void;

/** How outbound audio is paced. */
export interface Playout {
  /** The peer is kept this far ahead of its playback at least, ms: a stall of this length is not heard. */
  readonly leadMs: number;
}

/** How inbound audio is put in order. */
interface JitterBufferPolicy {
  /** How long early audio waits for the audio before it, ms. */
  readonly waitMs: number;
}

/**
 * The encoder and decoder of one leg for one protocol. Pure: no I/O, no clock. Its only state is what the protocol
 * needs (the stream id, half a sample). The peer's names and framing are not visible outside it.
 */
export interface Wire {
  /** The rate of the samples from `decode`, Hz. */
  readonly inboundRateHz: StreamRateHz;
  /** The rate of the audio for `encodeAudio`, Hz. */
  readonly outboundRateHz: StreamRateHz;
  /** The codec of the frames for `encodeAudio`. */
  readonly outboundCodec: FrameCodec;
  /** Audio is sent in binary messages, both ways. Without this a binary message violates the protocol. */
  readonly binaryAudio: boolean;
  /** For a protocol without a start message: the stream starts with the socket, with these values. */
  readonly implicitStart?: StreamStarted;
  /** How far ahead of the peer's playback audio is sent. */
  readonly playout: Playout;
  /** Set where audio may arrive out of order: it is ordered by `chunk`. */
  readonly jitterBuffer: JitterBufferPolicy | undefined;
  /**
   * Timestamps advance with the wall clock, also while the peer sends nothing: audio with an old timestamp was delayed.
   */
  readonly hasWallClockTimestamps: boolean;
  /**
   * The codec has DTX (discontinuous transmission): its peers may send nothing while nothing is said, and the audio has
   * no timestamps that would show it.
   */
  readonly hasDtx?: boolean;
  /** Audio without timestamps that is late by this much was not sent, ms, where the peer sends silence, too: it was only delayed before. */
  readonly pauseMsMin?: number | undefined;
  /**
   * Decodes one message: text unless `isBinary`. Audio is written to `into` and reported by the event `audio`. Throws
   * TrunklineError: `wire_malformed`; `wire_too_large` and `wire_wrong_data`, which end the leg at once; and whatever
   * `charge` throws.
   */
  decode(message: Uint8Array, into: InboundAudio, isBinary?: boolean, charge?: ParseCharge): WireEvent;
  /**
   * Encodes one frame, 20 ms in `outboundCodec`, as a binary or text message (`binaryAudio`). The frame is only read.
   * The returned view may be the frame itself; it is valid until the next call of any wire of the process.
   */
  encodeAudio(frame: Uint8Array): Uint8Array;
  encodeMark(name: string): string;
  encodeClear(): string;
  /** Sends DTMF, 0-9, *, # and A-D, to the telephone line. Only of wires that support it. */
  encodeDtmf?(digits: string): string;
  /** Only of wires that have such messages; undefined for one that they lack. */
  encodeClientMessage?(message: ClientMessage): string | undefined;
  /** Frees memory outside the heap; neither `decode` nor `encodeAudio` may follow. Only of wires that have some. */
  close?(): void;
}

/** Makes the wire of a call's connection type. Throws for a type without one: calls are not created for it. */
export type WireFactory = (
  callId: CallId,
  spec: Pick<CallSpec, "connectionType" | "websocket"> & Partial<Pick<CallSpec, "mode" | "language">>,
) => Wire;
