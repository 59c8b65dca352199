/** Of every Opus stream on the socket, whatever the rate of its sound. */
export const OPUS_HZ = 48_000;
/** The browser's own choice for speech in WebRTC. */
const BITRATE = 32_000;
export const OPUS_BYTES_PER_S = BITRATE / 8;
const MESSAGE_MS = 20;
const MESSAGE_US = MESSAGE_MS * 1_000;

const ENCODING: AudioEncoderConfig = {
  codec: "opus",
  sampleRate: OPUS_HZ,
  numberOfChannels: 1,
  bitrate: BITRATE,
  opus: { frameDuration: MESSAGE_US },
};
const DECODING: AudioDecoderConfig = { codec: "opus", sampleRate: OPUS_HZ, numberOfChannels: 1 };

/** Whether this browser encodes and decodes Opus. Never rejects. */
export async function hasOpus(): Promise<boolean> {
  if (typeof AudioEncoder === "undefined" || typeof AudioDecoder === "undefined") return false;
  try {
    const [encoder, decoder] = await Promise.all([
      AudioEncoder.isConfigSupported(ENCODING),
      AudioDecoder.isConfigSupported(DECODING),
    ]);
    return encoder.supported === true && decoder.supported === true;
  } catch {
    return false;
  }
}

export interface OpusStreamListener {
  /** 20 ms of the microphone, encoded. */
  onPacket(packet: ArrayBuffer): void;
  /** Decoded audio of the agent: signed 16-bit samples at OPUS_HZ. */
  onSamples(samples: ArrayBuffer): void;
  /** All audio before this mark was passed to `onSamples`. */
  onMark(name: string): void;
  /** The browser's codec has failed, and does nothing any more. Once. */
  onFailed(error: unknown): void;
}

/** Opus in both directions of one stream. The browser codes in the background, so marks and clears keep their place in it. */
export class OpusStream {
  readonly #listener: OpusStreamListener;
  readonly #encoder: AudioEncoder;
  readonly #decoder: AudioDecoder;
  /** Messages that were given to the codecs. */
  #encoded = 0;
  #decoded = 0;
  /** Messages of the agent whose audio was passed on or dropped; those before `#firstKept` are dropped. */
  #done = 0;
  #firstKept = 0;
  /** Marks whose audio is not decoded yet, each with the number of messages before it. */
  readonly #marks: { name: string; after: number }[] = [];

  /** Throws where the browser has no codec: see `hasOpus`. */
  constructor(listener: OpusStreamListener) {
    this.#listener = listener;
    const error = (cause: DOMException): void => this.#fail(cause);
    this.#encoder = new AudioEncoder({ output: (chunk) => this.#sendPacket(chunk), error });
    this.#encoder.configure(ENCODING);
    this.#decoder = new AudioDecoder({ output: (data) => this.#play(data), error });
    this.#decoder.configure(DECODING);
  }

  /** Encodes 20 ms of the microphone: signed 16-bit samples at OPUS_HZ. */
  encode(samples: ArrayBuffer): void {
    if (this.#encoder.state !== "configured") return;
    const data = new AudioData({
      format: "s16",
      sampleRate: OPUS_HZ,
      numberOfFrames: samples.byteLength >> 1,
      numberOfChannels: 1,
      timestamp: this.#encoded * MESSAGE_US,
      data: samples,
    });
    this.#encoded += 1;
    this.#encoder.encode(data);
    data.close();
  }

  /** Decodes a message of the agent. */
  decode(packet: ArrayBuffer): void {
    if (this.#decoder.state !== "configured") return;
    const timestamp = this.#decoded * MESSAGE_US;
    this.#decoded += 1;
    this.#decoder.decode(new EncodedAudioChunk({ type: "key", timestamp, duration: MESSAGE_US, data: packet }));
  }

  /** A mark after all audio so far. */
  mark(name: string): void {
    if (this.#done === this.#decoded) this.#listener.onMark(name);
    else this.#marks.push({ name, after: this.#decoded });
  }

  /** Drops the audio so far that is not decoded, with its marks. */
  clear(): void {
    this.#firstKept = this.#decoded;
    this.#marks.length = 0;
  }

  close(): void {
    for (const codec of [this.#encoder, this.#decoder]) if (codec.state !== "closed") codec.close();
  }

  #sendPacket(chunk: EncodedAudioChunk): void {
    const packet = new ArrayBuffer(chunk.byteLength);
    chunk.copyTo(packet);
    this.#listener.onPacket(packet);
  }

  #play(data: AudioData): void {
    const index = Math.round(data.timestamp / MESSAGE_US);
    if (index >= this.#firstKept) this.#listener.onSamples(samplesOf(data));
    data.close();
    this.#done = index + 1;
    for (let mark = this.#marks[0]; mark !== undefined && mark.after <= this.#done; mark = this.#marks[0]) {
      this.#marks.shift();
      this.#listener.onMark(mark.name);
    }
  }

  /** The codec that has failed is closed already. */
  #fail(error: unknown): void {
    this.close();
    this.#listener.onFailed(error);
  }
}

/** Browsers decode to floats, or to what they please: the first channel as signed 16-bit samples. */
function samplesOf(data: AudioData): ArrayBuffer {
  const floats = new Float32Array(data.numberOfFrames);
  data.copyTo(floats, { planeIndex: 0, format: "f32-planar" });
  const samples = new Int16Array(floats.length);
  for (let k = 0; k < floats.length; k += 1) {
    samples[k] = Math.max(-32_768, Math.min(32_767, Math.round((floats[k] as number) * 32_768)));
  }
  return samples.buffer;
}
