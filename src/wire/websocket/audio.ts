import { strict as assert } from "node:assert";
import type { StreamFormat } from "../../core/calls/spec.ts";
import { wireTooLarge } from "../../core/errors.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { STREAM_MESSAGE_MS_MAX } from "../../core/limits/streams/messages.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import { bytesPerSample, pcmBytes } from "../../media/frame-codec.ts";
import { G711_LAWS, type G711Codec } from "../../media/g711.ts";
import type { OpusCodecs, OpusDecoder, OpusEncoder } from "../../media/opus/codecs.ts";
import type { InboundAudio } from "../wire.ts";

// The binary messages of the raw WebSocket protocol, with one reader and one writer for each codec. Messages cause no
// allocation, with one exception: for Opus, the native library returns Buffers of its own, and the WebAssembly one a
// view for each packet.

/** Reads one client's audio in one codec. */
export interface AudioReader {
  /**
   * Writes the audio of one message to `into`: `samples`, `count`, and `bytes` for G.711. Throws as `Wire.decode` does.
   */
  read(message: Uint8Array, into: InboundAudio): void;
  /** Frees memory outside the heap; only of readers that have some. */
  close?(): void;
}

/** Writes the audio for one client in one codec. */
export interface FrameWriter {
  /** See `Wire.encodeAudio`. */
  write(frame: Uint8Array): Uint8Array;
  /** Frees memory outside the heap; only of writers that have some. */
  close?(): void;
}

/**
 * The reader of one client's audio; its owner must call `close` if it has one. `wire` names the protocol in errors.
 * Throws `unavailable` when there is no memory for an Opus decoder.
 */
export function createReader(wire: string, { codec, inputRateHz }: StreamFormat, opus: OpusCodecs): AudioReader {
  const samplesMax = (inputRateHz / 1_000) * STREAM_MESSAGE_MS_MAX;
  if (codec === "pcm_s16le") return new PcmReader(wire, samplesMax);
  // Opus is decoded at the bus rate, whatever rate the client records at.
  if (codec === "opus") return new OpusReader(opus.decoder(busRateHz(inputRateHz)));
  return new G711Reader(wire, samplesMax, codec);
}

/** As `createReader`, for the audio to the client. */
export function createWriter(
  { codec, outputRateHz }: Pick<StreamFormat, "codec" | "outputRateHz">,
  opus: Pick<OpusCodecs, "encoder">,
): FrameWriter {
  const frameSamples = (outputRateHz / 1_000) * FRAME_MS;
  if (codec === "opus") return new OpusWriter(frameSamples, opus.encoder(outputRateHz));
  return new PlainWriter(frameSamples * bytesPerSample(codec));
}

class PcmReader implements AudioReader {
  readonly #wire: string;
  readonly #samplesMax: number;
  /** The first byte of a sample whose second byte has not arrived; NaN where there is none. */
  #pendingByte = Number.NaN;
  /** The last target buffer, and its memory as bytes: a worker has one buffer for all messages. */
  #samples: Int16Array = new Int16Array();
  #bytes = pcmBytes(this.#samples);

  constructor(wire: string, samplesMax: number) {
    this.#wire = wire;
    this.#samplesMax = samplesMax;
  }

  read(message: Uint8Array, into: InboundAudio): void {
    checkSize(this.#wire, message, 2 * this.#samplesMax);
    if (into.samples !== this.#samples) this.#readInto(into.samples);
    const carried = Number.isNaN(this.#pendingByte) ? 0 : 1;
    if (carried === 1) this.#bytes[0] = this.#pendingByte;
    this.#bytes.set(message, carried);
    const length = carried + message.length;
    into.count = length >> 1;
    this.#pendingByte = length % 2 === 1 ? (this.#bytes[length - 1] as number) : Number.NaN;
  }

  #readInto(samples: Int16Array): void {
    if (samples.length <= this.#samplesMax) assert.fail("no room for the longest message and half a sample");
    this.#samples = samples;
    this.#bytes = pcmBytes(samples);
  }
}

class G711Reader implements AudioReader {
  readonly #wire: string;
  readonly #samplesMax: number;
  readonly #decodeTable: Int16Array;

  constructor(wire: string, samplesMax: number, codec: G711Codec) {
    this.#wire = wire;
    this.#samplesMax = samplesMax;
    this.#decodeTable = G711_LAWS[codec].decodeTable;
  }

  read(message: Uint8Array, into: InboundAudio): void {
    checkSize(this.#wire, message, this.#samplesMax);
    const { bytes, samples } = into;
    if (Math.min(bytes.length, samples.length) < this.#samplesMax) assert.fail("no room for the longest message");
    const table = this.#decodeTable;
    for (let i = 0; i < message.length; i += 1) {
      const byte = message[i] as number;
      bytes[i] = byte;
      samples[i] = table[byte] as number;
    }
    into.count = message.length;
  }
}

class OpusReader implements AudioReader {
  readonly #decoder: OpusDecoder;

  constructor(decoder: OpusDecoder) {
    this.#decoder = decoder;
  }

  read(message: Uint8Array, into: InboundAudio): void {
    into.count = this.#decoder.decode(message, into.samples);
  }

  close(): void {
    this.#decoder.close();
  }
}

/** For PCM and G.711 the frame itself is the message. */
class PlainWriter implements FrameWriter {
  readonly #frameBytes: number;

  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
  }

  write(frame: Uint8Array): Uint8Array {
    if (frame.length !== this.#frameBytes) assert.fail("one frame at a time");
    return frame;
  }
}

class OpusWriter implements FrameWriter {
  readonly #samples: Int16Array;
  readonly #bytes: Uint8Array;
  readonly #encoder: OpusEncoder;

  constructor(frameSamples: number, encoder: OpusEncoder) {
    this.#samples = new Int16Array(frameSamples);
    this.#bytes = pcmBytes(this.#samples);
    this.#encoder = encoder;
  }

  write(frame: Uint8Array): Uint8Array {
    if (frame.length !== this.#bytes.length) assert.fail("one frame at a time");
    // The frame may start at an odd address, where samples cannot be read.
    this.#bytes.set(frame);
    return this.#encoder.encode(this.#samples);
  }

  close(): void {
    this.#encoder.close();
  }
}

function checkSize(wire: string, message: Uint8Array, bytesMax: number): void {
  if (message.length > bytesMax) {
    throw wireTooLarge(wire, `audio must come in messages of at most ${STREAM_MESSAGE_MS_MAX} ms (${bytesMax} bytes)`);
  }
}
