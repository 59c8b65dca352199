import { providerFailed } from "../../core/errors.ts";
import { TTS_AUDIO_BASE_MS_MAX, TTS_AUDIO_PER_CHAR_MS_MAX } from "../../core/limits/speech-providers/tts.ts";
import { mulawDecode } from "../../media/g711.ts";

/** How a provider encodes samples: signed 16-bit little-endian, or mu-law. */
export type AudioEncoding = "pcm_s16le" | "mulaw";

/** The check for noise looks at up to NOISE_SAMPLES. Fewer than NOISE_SAMPLES_MIN are not enough to decide. */
const NOISE_SAMPLES = 1_024;
const NOISE_SAMPLES_MIN = 256;
/** Audio is noise if its root mean square exceeds NOISE_LEVEL and neighbouring samples correlate less than this. */
const NOISE_LEVEL = 8_000;
const NOISE_CORRELATION_MAX = 0.2;
/**
 * How much the durations of audio and words may differ. Silence may follow the words; a wrong sample rate differs by a
 * third at least.
 */
const LENGTH_FACTOR_MAX = 1.3;
const LENGTH_SLACK_MS = 1_500;

/**
 * Decodes the audio of one request from a provider's bytes to samples. It rejects audio that is not speech: a format
 * other than the requested one, samples that are shifted by a byte, and more audio than any text of that length takes.
 */
export class TtsAudioDecoder {
  readonly rateHz: number;
  readonly #provider: string;
  readonly #encoding: AudioEncoding;
  readonly #samplesMax: number;
  /** Bytes that cannot be decoded yet: half a sample, or too few to recognise the format. */
  #undecoded: Uint8Array = new Uint8Array(0);
  #isFormatChecked = false;
  #sampleCount = 0;

  constructor(options: { provider: string; text: string; rateHz: number; encoding: AudioEncoding }) {
    this.rateHz = options.rateHz;
    this.#provider = options.provider;
    this.#encoding = options.encoding;
    const msMax = TTS_AUDIO_BASE_MS_MAX + options.text.length * TTS_AUDIO_PER_CHAR_MS_MAX;
    this.#samplesMax = (msMax * options.rateHz) / 1_000;
  }

  /** Duration of the audio decoded so far. */
  get durationMs(): number {
    return (this.#sampleCount * 1_000) / this.rateHz;
  }

  /**
   * Returns the samples in the next bytes, none if the bytes are too few. The array belongs to the caller. Throws
   * `provider_failed`.
   */
  decode(bytes: Uint8Array): Int16Array {
    const all = this.#undecoded.length === 0 ? bytes : Buffer.concat([this.#undecoded, bytes]);
    if (!this.#isFormatChecked && all.length < HEAD_BYTES) {
      this.#undecoded = Uint8Array.from(all);
      return new Int16Array(0);
    }
    if (!this.#isFormatChecked) this.#rejectOtherFormats(all);
    const samples = this.#samplesOf(all);
    if (isNoise(samples)) throw this.#failed("sent noise: the audio is not in the requested format");
    this.#sampleCount += samples.length;
    if (this.#sampleCount > this.#samplesMax) throw this.#failed("sent more audio than its text can take");
    return samples;
  }

  /**
   * Checks the audio when it is complete. `alignedMs` is its duration by the word timestamps, if the provider sent any.
   * Throws `provider_failed` if there was no audio, or if it is much longer or shorter than its words: then its rate is
   * not the requested one.
   */
  end(alignedMs = this.durationMs): void {
    if (this.#sampleCount === 0) throw this.#failed("sent no audio");
    const shorterMs = Math.min(alignedMs, this.durationMs);
    const longerMs = Math.max(alignedMs, this.durationMs);
    if (longerMs > LENGTH_FACTOR_MAX * shorterMs + LENGTH_SLACK_MS) {
      throw this.#failed(
        "sent audio whose length does not match its word timestamps: the sample rate is not the requested one",
      );
    }
  }

  #rejectOtherFormats(head: Uint8Array): void {
    this.#isFormatChecked = true;
    const format = formatOf(head, this.#encoding);
    if (format !== undefined) throw this.#failed(`sent ${format} instead of samples`);
  }

  #samplesOf(bytes: Uint8Array): Int16Array {
    if (this.#encoding === "mulaw") {
      this.#undecoded = new Uint8Array(0);
      const samples = new Int16Array(bytes.length);
      mulawDecode(bytes, samples);
      return samples;
    }
    const count = Math.floor(bytes.length / 2);
    const samples = new Int16Array(count);
    new Uint8Array(samples.buffer).set(bytes.subarray(0, 2 * count));
    this.#undecoded = Uint8Array.from(bytes.subarray(2 * count));
    return samples;
  }

  #failed(what: string): Error {
    return providerFailed(this.#provider, what);
  }
}

const HEAD_BYTES = 4;
const MAGIC: readonly (readonly [string, string])[] = [
  ["RIFF", "a WAV file"],
  ["ID3", "MP3"],
  ["OggS", "Ogg"],
  ["fLaC", "FLAC"],
  ["{", "JSON"],
];

/** The file format that `head` begins, undefined for samples. Mu-law audio may begin like MP3, so it is not checked. */
function formatOf(head: Uint8Array, encoding: AudioEncoding): string | undefined {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString("latin1");
  const named = MAGIC.find(([magic]) => text.startsWith(magic) && (magic.length > 1 || /^\{["\s]/.test(text)));
  if (named !== undefined) return named[1];
  return encoding === "pcm_s16le" && isMp3(head) ? "MP3" : undefined;
}

/** Whether it is an MPEG layer III frame header with valid bit rate and sample rate (ISO 11172-3, 2.4.2.3). */
function isMp3([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const bitRate = third >> 4;
  return first === 0xff && (second & 0xe6) === 0xe2 && bitRate !== 0 && bitRate !== 15 && (third & 0x0c) !== 0x0c;
}

/**
 * Whether the samples are as loud as arbitrary bytes and do not correlate with their neighbours. Speech always
 * correlates.
 */
function isNoise(samples: Int16Array): boolean {
  const count = Math.min(samples.length, NOISE_SAMPLES);
  if (count < NOISE_SAMPLES_MIN) return false;
  let power = 0;
  let correlation = 0;
  for (let i = 1; i < count; i += 1) {
    const sample = samples[i] as number;
    power += sample * sample;
    correlation += sample * (samples[i - 1] as number);
  }
  return power > NOISE_LEVEL * NOISE_LEVEL * count && Math.abs(correlation) < NOISE_CORRELATION_MAX * power;
}
