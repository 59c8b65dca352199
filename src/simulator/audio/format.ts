import { CARRIER_RATE_HZ, FRAME_MS } from "../../core/limits/streams/media.ts";
import { bytesPerSample, type FrameCodec, pcmBytes } from "../../media/frame-codec.ts";
import { G711_LAWS } from "../../media/g711.ts";

/** The audio format of one direction. */
export interface AudioFormat {
  codec: FrameCodec;
  rateHz: number;
}

/** Both directions, from the service's side: `inbound` is the caller's speech, `outbound` the agent's. */
export interface AudioFormats {
  inbound: AudioFormat;
  outbound: AudioFormat;
}

/** The format of every carrier unless another codec was agreed. */
export const TELEPHONE: AudioFormat = { codec: "mulaw", rateHz: CARRIER_RATE_HZ };

/** Samples in 20 ms. */
export const frameSamples = ({ rateHz }: AudioFormat): number => (rateHz / 1_000) * FRAME_MS;
/** Bytes in 20 ms. */
export const frameBytes = (format: AudioFormat): number => frameSamples(format) * bytesPerSample(format.codec);

/** The byte that encodes silence. */
export const silenceByte = ({ codec }: AudioFormat): number =>
  codec === "pcm_s16le" ? 0 : G711_LAWS[codec].silenceByte;

/** Encodes signed 16-bit samples into a new array. */
export function encodeSamples(samples: Int16Array, codec: FrameCodec): Uint8Array {
  if (codec === "pcm_s16le") return pcmBytes(samples).slice();
  const { encodeTable } = G711_LAWS[codec];
  return Uint8Array.from(samples, (sample) => encodeTable[sample & 0xffff] ?? 0);
}

/** Decodes whole samples into the beginning of `into`, which must be large enough; the bytes need no alignment. */
export function decodeSamples(bytes: Uint8Array, codec: FrameCodec, into: Int16Array): void {
  if (codec === "pcm_s16le") {
    pcmBytes(into).set(bytes);
    return;
  }
  const { decodeTable } = G711_LAWS[codec];
  for (let i = 0; i < bytes.length; i += 1) into[i] = decodeTable[bytes[i] as number] as number;
}
