import { strict as assert } from "node:assert";
import { bytesPerSample, type FrameCodec } from "../frame-codec.ts";
import { G711_LAWS } from "../g711.ts";
import { ECHO_FRAME_SAMPLES, ECHO_RATE_HZ } from "./band-levels.ts";

/** What all readers write to: it holds a frame only until the next is read. */
const frame = new Int16Array(ECHO_FRAME_SAMPLES);

/** Reads frames in one codec and at one rate as samples at ECHO_RATE_HZ. */
export class FrameReader {
  /** Undefined for `pcm_s16le`. */
  readonly #decodeTable: Int16Array | undefined;
  /** So many samples become one: their mean. What that leaves above 4 kHz is weak in speech. */
  readonly #factor: number;
  readonly #byteLength: number;

  constructor(codec: FrameCodec, rateHz: number) {
    this.#decodeTable = codec === "pcm_s16le" ? undefined : G711_LAWS[codec].decodeTable;
    this.#factor = rateHz / ECHO_RATE_HZ;
    assert.ok(Number.isInteger(this.#factor) && this.#factor > 0, "a multiple of the echo check's rate");
    this.#byteLength = ECHO_FRAME_SAMPLES * this.#factor * bytesPerSample(codec);
  }

  /** The samples of one frame, borrowed: valid until any reader's next `read`. */
  read(bytes: Uint8Array): Int16Array {
    if (bytes.length !== this.#byteLength) assert.fail("one frame in the reader's codec");
    const factor = this.#factor;
    for (let i = 0; i < ECHO_FRAME_SAMPLES; i += 1) {
      let sum = 0;
      for (let k = i * factor; k < (i + 1) * factor; k += 1) sum += this.#sample(bytes, k);
      frame[i] = sum / factor;
    }
    return frame;
  }

  #sample(bytes: Uint8Array, i: number): number {
    const table = this.#decodeTable;
    if (table !== undefined) return table[bytes[i] as number] as number;
    return (bytes[2 * i] as number) | (((bytes[2 * i + 1] as number) << 24) >> 16);
  }
}
