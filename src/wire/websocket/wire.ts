import { strict as assert } from "node:assert";
import { STREAM_RATES_HZ, type StreamFormat, type StreamRateHz } from "../../core/calls/spec.ts";
import { mediaMs } from "../../core/clocks.ts";
import { wireMalformed } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { CARRIER_RATE_HZ, OPUS_DTX_BYTES_MAX, OUTPUT_LEAD_MS } from "../../core/limits/streams/media.ts";
import { LIVE_PAUSE_MS_MIN } from "../../core/limits/transcriptions/transcriptions.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import type { OpusCodecs } from "../../media/opus/codecs.ts";
import { encodeClientMessage, encodeText, readClientText } from "../client-texts.ts";
import { AUDIO } from "../events.ts";
import { encodeTranscriptionMessage, readTranscriptionText } from "../transcription-texts.ts";
import type { ClientMessage, InboundAudio, ParseCharge, StreamStarted, Wire, WireEvent } from "../wire.ts";
import { type AudioReader, createReader, createWriter, type FrameWriter } from "./audio.ts";

// The raw WebSocket protocol, our own, for any client: see docs/stream-protocol.md. Binary messages are audio in the
// codec of the call, with one rate for each direction; text messages are in ../client-texts.ts.

const WIRE = "websocket";

interface WebsocketOptions {
  format: StreamFormat;
  /** The call's id, by which the client identifies its stream. */
  callId: CallId;
  /** Opens one decoder and one encoder for an Opus format; `close` closes them. */
  opus: OpusCodecs;
  /** It carries the audio of a `webrtc` call whose RTP does not get through. */
  isFallback?: boolean;
  /** The language of a live transcription, whose texts are in ../transcription-texts.ts; absent for a conversation. */
  transcribes?: string | undefined;
}

/** The wire of one client's stream; `close` frees its codecs. Throws `unavailable` when there is no memory for Opus. */
export const createWebsocketWire = (options: WebsocketOptions): Wire => new WebsocketWire(options);

/**
 * See `Wire`. Its only state is half a PCM sample, or that of the Opus codecs.
 *
 * Audio has neither a time nor a number: messages are in order. An outbound frame is one message and, for Opus, one
 * packet.
 */
class WebsocketWire implements Wire {
  readonly inboundRateHz: StreamRateHz;
  readonly outboundRateHz: StreamRateHz;
  readonly outboundCodec: FrameCodec;
  readonly implicitStart: StreamStarted;
  readonly binaryAudio = true;
  readonly playout = { leadMs: OUTPUT_LEAD_MS };
  readonly jitterBuffer = undefined;
  readonly hasWallClockTimestamps = false;
  readonly hasDtx: boolean;
  readonly pauseMsMin: number | undefined;
  readonly #format: StreamFormat;
  readonly #isFallback: boolean;
  readonly #transcribes: string | undefined;
  readonly #reader: AudioReader;
  readonly #writer: FrameWriter;

  constructor({ format, callId, opus, isFallback = false, transcribes }: WebsocketOptions) {
    checkFormat(format);
    const keptIn = format.codec === "opus" ? "pcm_s16le" : format.codec;
    this.inboundRateHz = format.codec === "opus" ? busRateHz(format.inputRateHz) : format.inputRateHz;
    this.outboundRateHz = format.outputRateHz;
    this.outboundCodec = keptIn;
    this.implicitStart = { kind: "start", streamId: callId, carrierCallId: undefined, codec: keptIn };
    this.hasDtx = format.codec === "opus";
    this.#format = format;
    this.#isFallback = isFallback;
    this.#transcribes = transcribes;
    this.pauseMsMin = transcribes === undefined ? undefined : LIVE_PAUSE_MS_MIN;
    this.#reader = createReader(WIRE, format, opus);
    try {
      this.#writer = createWriter(format, opus);
    } catch (error) {
      this.#reader.close?.();
      throw error;
    }
  }

  close(): void {
    this.#reader.close?.();
    this.#writer.close?.();
  }

  decode(message: Uint8Array, into: InboundAudio, isBinary = false, charge?: ParseCharge): WireEvent {
    if (isBinary) return this.#audio(message, into);
    return this.#transcribes === undefined
      ? readClientText(WIRE, message, charge)
      : readTranscriptionText(WIRE, message, charge);
  }

  encodeAudio(frame: Uint8Array): Uint8Array {
    return this.#writer.write(frame);
  }

  encodeMark(name: string): string {
    return encodeText("mark", { name });
  }

  encodeClear(): string {
    return encodeText("clear");
  }

  encodeClientMessage(message: ClientMessage): string | undefined {
    const language = this.#transcribes;
    if (language === undefined) return encodeClientMessage(message, this.#negotiated());
    const { codec, inputRateHz } = this.#format;
    return encodeTranscriptionMessage(message, { language, input: { codec, sampleRate: inputRateHz } });
  }

  /** In the terms of the API, as the client requested it. */
  #negotiated(): object {
    const { codec, inputRateHz, outputRateHz } = this.#format;
    const negotiated = { input: { codec, sampleRate: inputRateHz }, output: { codec, sampleRate: outputRateHz } };
    return this.#isFallback ? { transport: "websocket", ...negotiated } : negotiated;
  }

  #audio(message: Uint8Array, into: InboundAudio): WireEvent {
    if (message.length === 0) throw wireMalformed(WIRE, "a binary message must hold audio");
    this.#reader.read(message, into);
    into.isDtx = this.hasDtx && message.length <= OPUS_DTX_BYTES_MAX;
    into.timestampMs = mediaMs(Number.NaN);
    into.chunk = Number.NaN;
    return AUDIO;
  }
}

/** Other formats are refused when a call is created. */
function checkFormat({ codec, inputRateHz, outputRateHz }: StreamFormat): void {
  for (const rateHz of [inputRateHz, outputRateHz]) {
    assert.ok(STREAM_RATES_HZ.includes(rateHz), `no stream has ${rateHz} Hz`);
    if (codec === "mulaw" || codec === "alaw") assert.equal(rateHz, CARRIER_RATE_HZ, "G.711 is at 8,000 Hz");
  }
}
