import { WAV_HEAD_BYTES_MAX } from "../../../core/limits/tts.ts";

/** Sizes and format codes of a WAV file's header. */
const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const PCM = 1;
const EXTENSIBLE = 0xfffe;
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
  #inSamples = false;

  /** Hz; undefined until it is known. */
  get rateHz(): number | undefined {
    return this.#rateHz;
  }

  /** Returns the bytes of samples among the next bytes. Chunks after the samples are left out. */
  read(bytes: Buffer): Buffer {
    if (this.#inSamples) return this.#take(bytes);
    this.#head = Buffer.concat([this.#head, bytes]);
    const at = this.#findSamples();
    if (at !== undefined) {
      this.#inSamples = true;
      return this.#take(this.#head.subarray(at));
    }
    if (this.#head.length > WAV_HEAD_BYTES_MAX) throw new WavProblem("a WAV file without samples");
    return Buffer.alloc(0);
  }

  #take(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#leftBytes);
    this.#leftBytes -= taken.length;
    return taken;
  }

  /** The offset of the samples; undefined while it is not known. */
  #findSamples(): number | undefined {
    const head = this.#head;
    if (head.length < RIFF_BYTES) return undefined;
    if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") {
      throw new WavProblem("something that is not a WAV file");
    }
    for (let at = RIFF_BYTES; at + CHUNK_HEAD_BYTES <= head.length; ) {
      const kind = head.toString("latin1", at, at + 4);
      const bytes = head.readUInt32LE(at + 4);
      at += CHUNK_HEAD_BYTES;
      if (kind === "data") {
        if (this.#rateHz === undefined) throw new WavProblem("a WAV file without a format");
        if (!isUnknownLength(bytes)) this.#leftBytes = bytes;
        return at;
      }
      if (kind === "fmt ") {
        if (at + 16 > head.length) return undefined;
        this.#readFormat(at);
      }
      at += bytes + (bytes % 2);
    }
    return undefined;
  }

  #readFormat(at: number): void {
    const format = this.#head.readUInt16LE(at);
    const channels = this.#head.readUInt16LE(at + 2);
    const rateHz = this.#head.readUInt32LE(at + 4);
    const bits = this.#head.readUInt16LE(at + 14);
    if ((format !== PCM && format !== EXTENSIBLE) || channels !== 1 || bits !== 16) {
      throw new WavProblem("a WAV file that is not of 16-bit samples in one channel");
    }
    if (rateHz < 8_000 || rateHz > 48_000) throw new WavProblem("a WAV file with an unsupported sample rate");
    this.#rateHz = rateHz;
  }
}

/** What is wrong with a file; the message reads on from "sent", such as `a WAV file without samples`. */
export class WavProblem extends Error {}
