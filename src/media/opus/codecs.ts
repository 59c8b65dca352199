import { strict as assert } from "node:assert";
import { STREAM_RATES_HZ, type StreamRateHz } from "../../core/calls/spec.ts";
import { FRAME_MS, OPUS_PACKET_MS_MAX } from "../../core/limits/streams/media.ts";
import { checkOpusPacket, opusRefused } from "./packet.ts";

/** Decodes the Opus packets of one stream. One per stream: each packet depends on the packets before it. */
export interface OpusDecoder {
  /**
   * Decodes one packet, mono or stereo, into the first samples of `into` and returns their number: 2.5 ms to
   * OPUS_PACKET_MS_MAX. `into` must have room for the maximum. Does not retain the packet. Throws `wire_malformed`,
   * after which the stream may continue.
   */
  decode(packet: Uint8Array, into: Int16Array): number;
  /** Frees its memory; it must not be used afterwards. Closing twice has no effect. */
  close(): void;
}

/** Decodes a stream that loses packets, as RTP does. Only libopus-wasm can; the native library has no such call. */
export interface LossyOpusDecoder extends OpusDecoder {
  /**
   * Makes up for lost audio: `lostMs`, a multiple of 2.5 ms up to OPUS_PACKET_MS_MAX, directly before the packet
   * `next`, which must be decoded after it. As much as one packet holds comes from the redundancy of the speech coder in
   * `next` (in-band FEC, RFC 6716, section 2.1.7), where its sender adds it; the rest is concealed. Writes to `into` and
   * returns the number of samples, as `decode`. Throws `wire_malformed` for a packet that `decode` refuses.
   */
  decodeLost(next: Uint8Array, lostMs: number, into: Int16Array): number;
}

/** Encodes the frames of one stream as Opus packets. One per stream: each packet depends on the frames before it. */
export interface OpusEncoder {
  /**
   * Encodes one frame of FRAME_MS at the encoder's rate; does not retain it. Returns its packet, a TOC byte and
   * one Opus frame of at most OPUS_FRAME_BYTES_MAX bytes, borrowed: valid until the next call of any codec of the process.
   */
  encode(samples: Int16Array): Uint8Array;
  /** Frees its memory; it must not be used afterwards. Closing twice has no effect. */
  close(): void;
}

/** The rates of the bus, Hz. Opus decodes to them whatever the rate of its packets. */
export type OpusDecoderRateHz = 8_000 | 16_000;

/** `native` is the compiled package @discordjs/opus; `wasm` is libopus-wasm, which runs everywhere. */
export type OpusImplementation = "native" | "wasm";

/** Opens decoders and encoders, which their owner must close. Throws `unavailable` when there is no memory for one. */
export interface OpusCodecs {
  readonly implementation: OpusImplementation;
  decoder(rateHz: OpusDecoderRateHz): OpusDecoder;
  /** `complexity` is that of libopus: 0 to 10. */
  encoder(rateHz: StreamRateHz, complexity?: number): OpusEncoder;
}

/** The codecs of RTP streams, as `OpusCodecs`. */
export interface RtpOpusCodecs {
  decoder(rateHz: OpusDecoderRateHz): LossyOpusDecoder;
  encoder(rateHz: StreamRateHz): OpusEncoder;
}

/** An Opus library. It gets only input that `opusCodecs` has checked. */
export interface OpusLibrary {
  readonly implementation: OpusImplementation;
  /** Throws `unavailable` when there is no memory for another stream. */
  openDecoder(rateHz: OpusDecoderRateHz): LibraryDecoder;
  /** Applies `encoderControls`. Throws `unavailable` when there is no memory for another stream. */
  openEncoder(rateHz: StreamRateHz, complexity: number): LibraryEncoder;
}

export interface LibraryDecoder {
  /** Returns the count of samples written to `into`, or CORRUPTED. */
  decode(packet: Uint8Array, into: Int16Array): number;
  close(): void;
}

export interface LossyLibraryDecoder extends LibraryDecoder {
  /** As `decode`, of `lostSamples` lost samples before `next`. */
  decodeLost(next: Uint8Array, lostSamples: number, into: Int16Array): number;
}

/** A library that can decode streams that lose packets. */
export interface LossyOpusLibrary extends OpusLibrary {
  openDecoder(rateHz: OpusDecoderRateHz): LossyLibraryDecoder;
}

export interface LibraryEncoder {
  /** See `OpusEncoder.encode`. */
  encode(samples: Int16Array): Uint8Array;
  close(): void;
}

/** What a library's decoder returns for a packet that it cannot decode. */
export const CORRUPTED = -1;

/** RFC 6716, section 2.1.4: the shortest frame, of which every length is a multiple. */
export const OPUS_STEP_MS = 2.5;

// `opus_defines.h`: controls that set a value, and their values.
export const APPLICATION_VOIP = 2_048;
const SET_BITRATE = 4_002;
const SET_COMPLEXITY = 4_010;
const SET_INBAND_FEC = 4_012;
const SET_SIGNAL = 4_024;
const SIGNAL_MUSIC = 3_002;

/**
 * The encoder settings of every library, in addition to APPLICATION_VOIP. Opus has two coders. With the music signal
 * type it uses the waveform coder (CELT). Above 8 kHz that costs half as much and, at this bit rate, keeps
 * every word of the reference TTS at every rate; at 8 kHz the speech coder lost one word in 200 at any bit rate. RFC
 * 6716, section 2.1.1, recommends this bit rate for music, and less for speech. TCP loses nothing, so no redundancy
 * (FEC) is sent.
 */
export const encoderControls = (complexity: number): readonly (readonly [control: number, value: number])[] => [
  [SET_COMPLEXITY, complexity],
  [SET_SIGNAL, SIGNAL_MUSIC],
  [SET_BITRATE, 48_000],
  [SET_INBAND_FEC, 0],
];

const COMPLEXITY = 5;
/**
 * From 7 on libopus analyses the tonality of the sound: at 24,000 Hz a steady tone has 9 dB less noise, for some 20 µs more a frame.
 */
const RTP_COMPLEXITY = 7;

/** The codecs of a library, with checks of all input: clients' packets and our own calls. */
export const opusCodecs = (library: OpusLibrary): OpusCodecs => ({
  implementation: library.implementation,
  decoder: (rateHz) => new CheckedDecoder(library, rateHz),
  encoder: (rateHz, complexity = COMPLEXITY) => new CheckedEncoder(library, rateHz, complexity),
});

/** The decoders of a library that copes with loss, and the encoders of any, as `opusCodecs`. */
export const rtpOpusCodecs = (decoders: LossyOpusLibrary, encoders: Pick<OpusCodecs, "encoder">): RtpOpusCodecs => ({
  decoder: (rateHz) => new CheckedLossyDecoder(decoders, rateHz),
  encoder: (rateHz) => encoders.encoder(rateHz, RTP_COMPLEXITY),
});

class CheckedDecoder<Library extends LibraryDecoder> implements OpusDecoder {
  protected readonly samplesPerMs: number;
  #decoder: Library | undefined;

  constructor(library: { openDecoder(rateHz: OpusDecoderRateHz): Library }, rateHz: OpusDecoderRateHz) {
    assert.ok(rateHz === 8_000 || rateHz === 16_000, "a rate of the bus");
    this.samplesPerMs = rateHz / 1_000;
    this.#decoder = library.openDecoder(rateHz);
  }

  decode(packet: Uint8Array, into: Int16Array): number {
    return intact(this.checked(packet, into).decode(packet, into));
  }

  close(): void {
    this.#decoder?.close();
    this.#decoder = undefined;
  }

  /** The library's decoder, for a packet that it may get. */
  protected checked(packet: Uint8Array, into: Int16Array): Library {
    if (this.#decoder === undefined) assert.fail("the decoder is closed");
    if (into.length < this.samplesPerMs * OPUS_PACKET_MS_MAX) assert.fail("room for the longest packet");
    checkOpusPacket(packet);
    return this.#decoder;
  }
}

class CheckedLossyDecoder extends CheckedDecoder<LossyLibraryDecoder> implements LossyOpusDecoder {
  decodeLost(next: Uint8Array, lostMs: number, into: Int16Array): number {
    if (lostMs <= 0 || lostMs > OPUS_PACKET_MS_MAX || lostMs % OPUS_STEP_MS !== 0) assert.fail("steps of 2.5 ms");
    return intact(this.checked(next, into).decodeLost(next, lostMs * this.samplesPerMs, into));
  }
}

/** What a library's decoder returned, unless the packet is corrupted. */
function intact(count: number): number {
  if (count === CORRUPTED) throw opusRefused("corrupted", "an Opus packet that cannot be decoded");
  return count;
}

class CheckedEncoder implements OpusEncoder {
  readonly #frameSamples: number;
  #encoder: LibraryEncoder | undefined;

  constructor(library: OpusLibrary, rateHz: StreamRateHz, complexity: number) {
    assert.ok(STREAM_RATES_HZ.includes(rateHz), "a rate that Opus has");
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#encoder = library.openEncoder(rateHz, complexity);
  }

  encode(samples: Int16Array): Uint8Array {
    if (this.#encoder === undefined) assert.fail("the encoder is closed");
    // The native library ends the process for any other length, including that of a transferred buffer (0).
    if (samples.length !== this.#frameSamples) assert.fail("one frame at the encoder's own rate");
    return this.#encoder.encode(samples);
  }

  close(): void {
    this.#encoder?.close();
    this.#encoder = undefined;
  }
}
