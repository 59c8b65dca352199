import { WAV_HEAD_BYTES_MAX } from "../../../core/limits/speech-providers/tts.ts";
import { scanWav, WAV_EXTENSIBLE, WAV_PCM, type WavFormat } from "../../../media/wav.ts";

/** A server that streams does not know the length yet and writes one of these values. */
const isUnknownLength = (bytes: number): boolean => bytes === 0 || bytes >= 0x7fff_0000;

/**
 * Reads a streamed WAV file of 16-bit samples in one channel. The length may be unknown. Throws WavProblem for any
 * other format.
 */
export class WavReader {
  #head: Buffer = Buffer.alloc(0);
  #rateHz: number | undefined;
  /** How many bytes of samples remain. */
  #leftBytes = Number.POSITIVE_INFINITY;

  /** Hz; undefined until it is known. */
  get rateHz(): number | undefined {
    return this.#rateHz;
  }

  /** Returns the bytes of samples among the next bytes. Chunks after the samples are left out. */
  read(bytes: Buffer): Buffer {
    if (this.#rateHz !== undefined) return this.#take(bytes);
    this.#head = Buffer.concat([this.#head, bytes]);
    const found = scanWav(this.#head);
    if (found.kind === "not-wav") throw new WavProblem("something that is not a WAV file");
    if (found.kind === "samples") {
      this.#rateHz = rateOf(found.format);
      if (!isUnknownLength(found.byteLength)) this.#leftBytes = found.byteLength;
      return this.#take(this.#head.subarray(found.at));
    }
    if (this.#head.length > WAV_HEAD_BYTES_MAX) throw new WavProblem("a WAV file without samples");
    return Buffer.alloc(0);
  }

  #take(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#leftBytes);
    this.#leftBytes -= taken.length;
    return taken;
  }
}

function rateOf(format: WavFormat | undefined): number {
  if (format === undefined) throw new WavProblem("a WAV file without a format");
  const { encoding, channels, bitsPerSample, rateHz } = format;
  if ((encoding !== WAV_PCM && encoding !== WAV_EXTENSIBLE) || channels !== 1 || bitsPerSample !== 16) {
    throw new WavProblem("a WAV file that is not of 16-bit samples in one channel");
  }
  if (rateHz < 8_000 || rateHz > 48_000) throw new WavProblem("a WAV file with an unsupported sample rate");
  return rateHz;
}

/** What is wrong with a file; the message reads on from "sent", such as `a WAV file without samples`. */
export class WavProblem extends Error {}
