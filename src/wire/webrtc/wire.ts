import { strict as assert } from "node:assert";
import { mediaMs } from "../../core/clocks.ts";
import { wireMalformed } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { FRAME_MS, OPUS_PACKET_MS_MAX } from "../../core/limits/streams/media.ts";
import { RTP_CLOCK_HZ, RTP_LEAD_MS, RTP_RESTORED_MS_MAX } from "../../core/limits/streams/webrtc.ts";
import { BorrowedViews } from "../../media/borrowed-views.ts";
import { type LossyOpusDecoder, OPUS_STEP_MS, type RtpOpusCodecs } from "../../media/opus/codecs.ts";
import { timestampDistance } from "../../media/rtp/packet.ts";
import type { RtpSender } from "../../media/rtp/sender.ts";
import { encodeClientMessage, encodeText, readClientText } from "../client-texts.ts";
import { AUDIO } from "../events.ts";
import { createWriter, type FrameWriter } from "../websocket/audio.ts";
import type { ClientMessage, InboundAudio, ParseCharge, StreamStarted, Wire, WireEvent } from "../wire.ts";
import { ENVELOPE_BYTES, envelopeMissing, envelopeTimestamp } from "./envelope.ts";

// The wire of a WebRTC call while RTP carries its audio. Binary messages from the peer are RTP packets in order, in the
// envelope of ./envelope.ts; those to the peer are Opus packets, which the transport sends as RTP. Texts are those of
// every client of ours (../client-texts.ts), on the call's WebSocket; marks and clears name a place in the RTP stream.

const WIRE = "webrtc";
const INBOUND_RATE_HZ = 16_000;
const OUTBOUND_RATE_HZ = 24_000;
const TICKS_PER_MS = RTP_CLOCK_HZ / 1_000;
const TICKS_PER_SAMPLE = RTP_CLOCK_HZ / INBOUND_RATE_HZ;
/** The most samples that one packet gives. */
const SAMPLES_MAX = (INBOUND_RATE_HZ / 1_000) * (OPUS_PACKET_MS_MAX + RTP_RESTORED_MS_MAX);
/** RFC 7587, section 4.1: what every Opus stream of RTP says of itself. */
const FORMAT = { codec: "opus", sampleRate: RTP_CLOCK_HZ };
const READY = { transport: "rtp", input: FORMAT, output: FORMAT };

interface WebrtcWireOptions {
  /** The call's id, by which the client identifies its stream. */
  callId: CallId;
  /** One decoder and one encoder are opened; `close` closes them. */
  opus: RtpOpusCodecs;
  /** The stream to the peer, which the transport sends. */
  sender: Pick<RtpSender, "nextTimestamp" | "clear" | "playedMs">;
}

/** A wire that can also encode the silence after the end of speech. */
export interface WebrtcWire extends Wire {
  /** One frame of silence as an Opus packet: borrowed, as that of `encodeAudio`. */
  encodeSilence(): Uint8Array;
}

/** The wire of one call's RTP; `close` frees its codecs. Throws `unavailable` when there is no memory for Opus. */
export const createWebrtcWire = (options: WebrtcWireOptions): WebrtcWire => new OpusRtpWire(options);

/**
 * See `Wire`. Opus is decoded at the rate of the bus. Lost packets of up to RTP_RESTORED_MS_MAX are restored from the
 * packet after them, or concealed; longer losses and DTX are gaps of the timestamps, which follow the wall clock.
 */
class OpusRtpWire implements WebrtcWire {
  readonly inboundRateHz = INBOUND_RATE_HZ;
  readonly outboundRateHz = OUTBOUND_RATE_HZ;
  readonly outboundCodec = "pcm_s16le";
  readonly implicitStart: StreamStarted;
  readonly binaryAudio = true;
  readonly playout = { leadMs: RTP_LEAD_MS };
  /** Packets are put in order before they are decoded, because each depends on those before it. */
  readonly jitterBuffer = undefined;
  readonly hasWallClockTimestamps = true;
  readonly #sender: WebrtcWireOptions["sender"];
  readonly #decoder: LossyOpusDecoder;
  readonly #writer: FrameWriter;
  readonly #packetViews = new BorrowedViews();
  readonly #silence = new Uint8Array((OUTBOUND_RATE_HZ / 1_000) * FRAME_MS * Int16Array.BYTES_PER_ELEMENT);
  /** The timestamp of the last packet; NaN before the first. */
  #timestamp = Number.NaN;
  /** Where it began and ended, in ticks since the first packet. */
  #ticks = 0;
  #endTicks = 0;

  constructor({ callId, opus, sender }: WebrtcWireOptions) {
    this.implicitStart = { kind: "start", streamId: callId, carrierCallId: undefined, codec: "pcm_s16le" };
    this.#sender = sender;
    this.#decoder = opus.decoder(INBOUND_RATE_HZ);
    try {
      this.#writer = createWriter({ codec: "opus", outputRateHz: OUTBOUND_RATE_HZ }, opus);
    } catch (error) {
      this.#decoder.close();
      throw error;
    }
  }

  close(): void {
    this.#decoder.close();
    this.#writer.close?.();
  }

  decode(message: Uint8Array, into: InboundAudio, isBinary = false, charge?: ParseCharge): WireEvent {
    if (isBinary) return this.#audio(message, into);
    const event = readClientText(WIRE, message, charge);
    return event.kind === "cleared" ? { kind: "cleared", playedMs: this.#sender.playedMs(event.playedMs) } : event;
  }

  encodeAudio(frame: Uint8Array): Uint8Array {
    return this.#writer.write(frame);
  }

  encodeSilence(): Uint8Array {
    return this.#writer.write(this.#silence);
  }

  encodeMark(name: string): string {
    return encodeText("mark", { name, rtpTimestamp: this.#sender.nextTimestamp });
  }

  encodeClear(): string {
    return encodeText("clear", { rtpTimestamp: this.#sender.clear() });
  }

  encodeClientMessage(message: ClientMessage): string | undefined {
    return encodeClientMessage(message, READY);
  }

  #audio(envelope: Uint8Array, into: InboundAudio): WireEvent {
    if (envelope.length <= ENVELOPE_BYTES) throw wireMalformed(WIRE, "a packet must hold audio");
    const packet = this.#packetViews.of(envelope, ENVELOPE_BYTES, envelope.length);
    this.#moveTo(envelopeTimestamp(envelope));
    const lostMs = envelopeMissing(envelope) === 0 ? 0 : this.#restorableMs();
    const { samples } = into;
    if (samples.length < SAMPLES_MAX) assert.fail("room for the longest packet and what is restored before it");
    const restored = lostMs === 0 ? 0 : this.#decoder.decodeLost(packet, lostMs, samples);
    const decoded = this.#decoder.decode(packet, restored === 0 ? samples : samples.subarray(restored));
    into.count = restored + decoded;
    into.timestampMs = mediaMs(this.#ticks / TICKS_PER_MS - lostMs);
    into.isDtx = false;
    into.chunk = Number.NaN;
    this.#endTicks = this.#ticks + decoded * TICKS_PER_SAMPLE;
    return AUDIO;
  }

  #moveTo(timestamp: number): void {
    if (!Number.isNaN(this.#timestamp)) this.#ticks += timestampDistance(this.#timestamp, timestamp);
    this.#timestamp = timestamp;
  }

  /** How much of the audio between the last packet and this one can be made up for, ms. */
  #restorableMs(): number {
    const gapMs = (this.#ticks - this.#endTicks) / TICKS_PER_MS;
    return gapMs > RTP_RESTORED_MS_MAX ? 0 : Math.max(0, OPUS_STEP_MS * Math.floor(gapMs / OPUS_STEP_MS));
  }
}
