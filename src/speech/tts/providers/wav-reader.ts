import { WAV_HEAD_BYTES_MAX } from "../../../core/limits/tts.ts";

/** In the head of a WAV file. */
const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const PCM = 1;
const EXTENSIBLE = 0xfffe;
/** Who streams does not know how long it gets, and writes a length like these. */
const isUnknownLength = (bytes: number): boolean => bytes === 0 || bytes >= 0x7fff_0000;

/**
 * Reads a WAV file as it comes: of 16 bits and one channel, at any rate, of a length that may not be known. Throws
 * WavProblem for everything else.
 */
export class WavReader {
  #head: Buffer = Buffer.alloc(0);
  #rateHz: number | undefined;
  /** How much of the samples is to come. */
  #leftBytes = Number.POSITIVE_INFINITY;
  #inSamples = false;

  /** Hz; undefined until it is known. */
  get rateHz(): number | undefined {
    return this.#rateHz;
  }

  /** The bytes of samples among the next bytes; what stands behind the samples is left out. */
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

  /** Where the samples begin; undefined while that has not come. */
  #findSamples(): number | undefined {
    const head = this.#head;
    if (head.length < RIFF_BYTES) return undefined;
    if (head.toString("latin1", 0, 4) !== "RIFF" || head.toString("latin1", 8, 12) !== "WAVE") {
      throw new WavProblem("no WAV file");
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
    if (rateHz < 8_000 || rateHz > 48_000) throw new WavProblem("a WAV file at a rate that no voice has");
    this.#rateHz = rateHz;
  }
}

/** What is wrong with a file; the message names it as `a WAV file without samples`. */
export class WavProblem extends Error {}
