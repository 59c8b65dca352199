import alawmulaw from "alawmulaw";
import type { FrameCodec } from "../../../src/media/frame-codec.ts";

/** The samples of audio that is kept as bytes, by codecs that are not ours. */
export function samplesOf(codec: FrameCodec, bytes: Uint8Array): Int16Array {
  if (codec !== "pcm_s16le") return alawmulaw[codec].decode(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Int16Array.from({ length: Math.floor(bytes.length / 2) }, (_, i) => view.getInt16(2 * i, true));
}
