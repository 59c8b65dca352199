import { strict as assert } from "node:assert";
import { A_LAW, type G711Codec, MU_LAW } from "./g711.ts";

/** What the audio of a frame is kept in: as it went over the wire where that was G.711, as signed 16-bit samples otherwise. */
export type FrameCodec = G711Codec | "pcm_s16le";

export const bytesPerSample = (codec: FrameCodec): 1 | 2 => (codec === "pcm_s16le" ? 2 : 1);

/** The bytes of samples as `pcm_s16le`: a view of the same memory, good as long as the samples are. */
export const pcmBytes = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

// The table of mu-law and behind it that of A-law, as a constant of this module, with an index whose range can be seen: then the
// compiler leaves the bounds checks out.
const A_LAW_OFFSET = MU_LAW.encodeTable.length;
const ENCODE = new Uint8Array(2 * A_LAW_OFFSET);
ENCODE.set(MU_LAW.encodeTable);
ENCODE.set(A_LAW.encodeTable, A_LAW_OFFSET);

/**
 * The memory of one frame that goes out, filled as samples and read in its codec. Allocates nothing after the constructor: PCM is the
 * same memory, and G.711 is encoded into its own.
 */
export class FrameEncoder {
  readonly samples: Int16Array;
  readonly #codec: FrameCodec;
  readonly #bytes: Uint8Array;

  constructor(codec: FrameCodec, frameSamples: number) {
    this.samples = new Int16Array(frameSamples);
    this.#codec = codec;
    this.#bytes = codec === "pcm_s16le" ? pcmBytes(this.samples) : new Uint8Array(frameSamples);
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** The frame as its samples are now: lent until they change. */
  encode(): Uint8Array {
    if (this.#codec !== "pcm_s16le") encodeG711(this.#codec, this.samples, this.#bytes);
    return this.#bytes;
  }
}

function encodeG711(codec: G711Codec, samples: Int16Array, into: Uint8Array): void {
  const law = codec === "alaw" ? A_LAW_OFFSET : 0;
  const whole = samples.length - (samples.length % 4);
  // By fours: half of what a plain loop takes is the loop.
  for (let i = 0; i < whole; i += 4) {
    const a = ENCODE[law + ((samples[i] as number) & 0xffff)] as number;
    const b = ENCODE[law + ((samples[i + 1] as number) & 0xffff)] as number;
    const c = ENCODE[law + ((samples[i + 2] as number) & 0xffff)] as number;
    const d = ENCODE[law + ((samples[i + 3] as number) & 0xffff)] as number;
    into[i] = a;
    into[i + 1] = b;
    into[i + 2] = c;
    into[i + 3] = d;
  }
  for (let i = whole; i < samples.length; i += 1) into[i] = ENCODE[law + ((samples[i] as number) & 0xffff)] as number;
}

assert.equal(pcmBytes(Int16Array.of(1))[0], 1, "samples lie in memory as they are sent: little-endian");
