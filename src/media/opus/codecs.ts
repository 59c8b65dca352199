import { strict as assert } from "node:assert";
import { STREAM_RATES_HZ, type StreamRateHz } from "../../core/calls/spec.ts";
import { FRAME_MS, OPUS_PACKET_MS_MAX } from "../../core/limits/media.ts";
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
  encoder(rateHz: StreamRateHz): OpusEncoder;
}

/** An Opus library. It gets only input that `opusCodecs` has checked. */
export interface OpusLibrary {
  readonly implementation: OpusImplementation;
  /** Throws `unavailable` when there is no memory for another stream. */
  openDecoder(rateHz: OpusDecoderRateHz): LibraryDecoder;
  /** Applies ENCODER_CONTROLS. Throws `unavailable` when there is no memory for another stream. */
  openEncoder(rateHz: StreamRateHz): LibraryEncoder;
}

export interface LibraryDecoder {
  /** Returns the count of samples written to `into`, or CORRUPTED. */
  decode(packet: Uint8Array, into: Int16Array): number;
  close(): void;
}

export interface LibraryEncoder {
  /** See `OpusEncoder.encode`. */
  encode(samples: Int16Array): Uint8Array;
  close(): void;
}

/** What a library's decoder returns for a packet that it cannot decode. */
export const CORRUPTED = -1;

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
export const ENCODER_CONTROLS: readonly (readonly [control: number, value: number])[] = [
  [SET_COMPLEXITY, 5],
  [SET_SIGNAL, SIGNAL_MUSIC],
  [SET_BITRATE, 48_000],
  [SET_INBAND_FEC, 0],
];

/** The codecs of a library, with checks of all input: clients' packets and our own calls. */
export const opusCodecs = (library: OpusLibrary): OpusCodecs => ({
  implementation: library.implementation,
  decoder: (rateHz) => new CheckedDecoder(library, rateHz),
  encoder: (rateHz) => new CheckedEncoder(library, rateHz),
});

class CheckedDecoder implements OpusDecoder {
  readonly #samplesMax: number;
  #decoder: LibraryDecoder | undefined;

  constructor(library: OpusLibrary, rateHz: OpusDecoderRateHz) {
    assert.ok(rateHz === 8_000 || rateHz === 16_000, "a rate of the bus");
    this.#samplesMax = (rateHz / 1_000) * OPUS_PACKET_MS_MAX;
    this.#decoder = library.openDecoder(rateHz);
  }

  decode(packet: Uint8Array, into: Int16Array): number {
    if (this.#decoder === undefined) assert.fail("the decoder is closed");
    if (into.length < this.#samplesMax) assert.fail("room for the longest packet");
    checkOpusPacket(packet);
    const count = this.#decoder.decode(packet, into);
    if (count === CORRUPTED) throw opusRefused("corrupted", "an Opus packet that cannot be decoded");
    return count;
  }

  close(): void {
    this.#decoder?.close();
    this.#decoder = undefined;
  }
}

class CheckedEncoder implements OpusEncoder {
  readonly #frameSamples: number;
  #encoder: LibraryEncoder | undefined;

  constructor(library: OpusLibrary, rateHz: StreamRateHz) {
    assert.ok(STREAM_RATES_HZ.includes(rateHz), "a rate that Opus has");
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#encoder = library.openEncoder(rateHz);
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
