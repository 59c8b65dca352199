import type { G711Codec } from "../media/g711.ts";

export type { G711Codec };

/** What one media message brought, after the carrier's own JSON has been left behind. Made once per worker and reused. */
export interface InboundAudio {
  /** The leg's own codec, `count` bytes of it; overwritten by the next decode. */
  readonly bytes: Uint8Array;
  /** The same audio as signed 16-bit samples, `count` of them. */
  readonly samples: Int16Array;
  count: number;
  /** The carrier's own media time in ms since its stream began; NaN where it gave none that can be read. */
  timestampMs: number;
  /** The message's place among the stream's audio messages, counted by the carrier; NaN where it gave none that can be read. */
  chunk: number;
}

/** What any carrier can tell us. */
export type WireEvent =
  | { kind: "audio" }
  /** The stream's identity, and the codec of the audio that comes in. */
  | { kind: "start"; streamId: string; carrierCallId: string; codec: G711Codec }
  /** A mark came back. Whether it was played or flushed by a clear is the ledger's to know. */
  | { kind: "mark"; name: string }
  /** `occurredAtMs`: when the key was pressed, by the carrier's own clock, where keys may come out of order; NaN elsewhere. */
  | { kind: "dtmf"; digit: string; occurredAtMs: number }
  /** What waited to be played is gone; of the marks before it none will come back. Only some dialects say so. */
  | { kind: "cleared" }
  /** The carrier complains about us, with its own code. */
  | { kind: "carrier-error"; code: string }
  | { kind: "stop" }
  /** Legal or unknown, and of no use to us; `what` is a fixed word for the counter. */
  | { kind: "ignored"; what: "greeting" | "unknown_event" | "outbound_track" | "bad_digit" };

/**
 * One leg's end of one carrier dialect. Pure: no I/O, no clock; its only state is what the dialect needs (the stream id).
 * Carrier names and JSON stop here.
 */
export interface Wire {
  /** The rate of its audio, Hz. */
  readonly rateHz: 8_000 | 16_000;
  /** The codec of the audio that goes out. */
  readonly outboundCodec: G711Codec;
  /** Audio may come out of order, and must be put in order by `chunk`. */
  readonly reorders: boolean;
  /** Its timestamps go by the clock on the wall, also while it sends nothing: audio that is old by them was held up. */
  readonly datesAudio: boolean;
  /** Reads one text message. Audio lands in `into` and is told by the event `audio`. Throws TrunklineError `wire_malformed`. */
  decode(message: Uint8Array, into: InboundAudio): WireEvent;
  /**
   * One 20 ms frame as a text message. `bytes` receives the frame in the leg's own codec.
   * The returned view is the wire's own buffer: send it before the next call.
   */
  encodeAudio(samples: Int16Array, bytes: Uint8Array): Uint8Array;
  encodeMark(name: string): string;
  encodeClear(): string;
}
