import { G711_LAWS, type G711Codec } from "../../../src/media/g711.ts";

/** A sample this far from silence belongs to speech. */
const SPEECH_SAMPLE_MIN = 500;

/** Whether someone speaks in a frame of the codec. */
export function isSpeech(frame: Uint8Array, codec: G711Codec): boolean {
  const { decodeTable } = G711_LAWS[codec];
  return frame.some((code) => Math.abs(decodeTable[code] ?? 0) >= SPEECH_SAMPLE_MIN);
}

/** A frame of 20 ms without speech. */
export const silenceOf = (codec: G711Codec): Uint8Array => new Uint8Array(160).fill(G711_LAWS[codec].silenceByte);
