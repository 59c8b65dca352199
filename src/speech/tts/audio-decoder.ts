import { providerFailed } from "../../core/errors.ts";
import { TTS_AUDIO_BASE_MS_MAX, TTS_AUDIO_PER_CHAR_MS_MAX } from "../../core/limits/tts.ts";
import { mulawDecode } from "../../media/g711.ts";

/** How a provider's bytes are samples: signed 16-bit little-endian, or mu-law. */
export type AudioEncoding = "pcm_s16le" | "mulaw";

/** So many samples are looked at to tell noise from speech; fewer tell nothing. */
const NOISE_SAMPLES = 1_024;
const NOISE_SAMPLES_MIN = 256;
/** Speech is not as loud as this, root mean square, while each sample has nothing to do with the one before it. */
const NOISE_LEVEL = 8_000;
const NOISE_CORRELATION_MAX = 0.2;
/**
 * Audio and words may differ by so much: there is silence behind the words, and rates that are mistaken differ by a
 * third at least.
 */
const LENGTH_FACTOR_MAX = 1.3;
const LENGTH_SLACK_MS = 1_500;

/**
 * The audio of one request, from a provider's bytes to samples. What is no speech never gets through: another format
 * than was asked for, samples that have slipped by a byte, and more of it than any text of that length takes.
 */
export class TtsAudioDecoder {
  readonly rateHz: number;
  readonly #provider: string;
  readonly #encoding: AudioEncoding;
  readonly #samplesMax: number;
  /** What cannot be decoded yet: half a sample, or too little to tell what it is. */
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

  /** How much speech there has been. */
  get durationMs(): number {
    return (this.#sampleCount * 1_000) / this.rateHz;
  }

  /**
   * The samples in the next bytes, none where they are too few; they are the caller's to keep. Throws
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
    if (isNoise(samples)) throw this.#failed("sent noise: its audio is not in the format that was asked for");
    this.#sampleCount += samples.length;
    if (this.#sampleCount > this.#samplesMax) throw this.#failed("speaks far longer than its text");
    return samples;
  }

  /**
   * Nothing more comes; the speech was told to last `toldMs`, where that is known. Throws `provider_failed` when
   * nothing has come at all, and when it lasts much longer or shorter: it is at another rate than was asked for.
   */
  end(toldMs = this.durationMs): void {
    if (this.#sampleCount === 0) throw this.#failed("sent no audio");
    const [shorterMs, longerMs] = [Math.min(toldMs, this.durationMs), Math.max(toldMs, this.durationMs)];
    if (longerMs > LENGTH_FACTOR_MAX * shorterMs + LENGTH_SLACK_MS) {
      throw this.#failed(
        "sent audio of another length than its words have: its rate is not the one that was asked for",
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

/** The format that begins like `head`, undefined for samples. The head of MP3 is one that mu-law may have as well. */
function formatOf(head: Uint8Array, encoding: AudioEncoding): string | undefined {
  const text = Buffer.from(head.subarray(0, HEAD_BYTES)).toString("latin1");
  const named = MAGIC.find(([magic]) => text.startsWith(magic) && (magic.length > 1 || /^\{["\s]/.test(text)));
  if (named !== undefined) return named[1];
  return encoding === "pcm_s16le" && isMp3(head) ? "MP3" : undefined;
}

/** The head of an MPEG frame of layer III, whose bit rate and sample rate exist (ISO 11172-3, 2.4.2.3). */
function isMp3([first = 0, second = 0, third = 0]: Uint8Array): boolean {
  const bitRate = third >> 4;
  return first === 0xff && (second & 0xe6) === 0xe2 && bitRate !== 0 && bitRate !== 15 && (third & 0x0c) !== 0x0c;
}

/**
 * As loud as bytes that are no samples are, and without any likeness between one sample and the next, which every voice
 * has.
 */
function isNoise(samples: Int16Array): boolean {
  const count = Math.min(samples.length, NOISE_SAMPLES);
  if (count < NOISE_SAMPLES_MIN) return false;
  let power = 0;
  let likeness = 0;
  for (let i = 1; i < count; i += 1) {
    const sample = samples[i] as number;
    power += sample * sample;
    likeness += sample * (samples[i - 1] as number);
  }
  return power > NOISE_LEVEL * NOISE_LEVEL * count && Math.abs(likeness) < NOISE_CORRELATION_MAX * power;
}
