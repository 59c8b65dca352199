/** The kinds of audio that browsers play, by their media types, with the usual end of a file's name. */
export const AUDIO_TYPES = {
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp4": "m4a",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/webm": "webm",
  "application/octet-stream": "bin",
} as const;
export type AudioType = keyof typeof AUDIO_TYPES;

/** As many bytes of a file as `audioTypeOf` looks at. */
export const AUDIO_TYPE_BYTES = 12;

const WEBM = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** What a file is by its first bytes, whatever its name says; what is none of the others is a stream of bytes. */
export function audioTypeOf(head: Uint8Array): AudioType {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const text = (from: number, to: number): string => bytes.toString("latin1", from, to);
  if (text(0, 4) === "RIFF" && text(8, 12) === "WAVE") return "audio/wav";
  if (text(4, 8) === "ftyp") return "audio/mp4";
  if (text(0, 4) === "OggS") return "audio/ogg";
  if (text(0, 4) === "fLaC") return "audio/flac";
  if (bytes.subarray(0, 4).equals(WEBM)) return "audio/webm";
  // Tags before the first frame, or the 11 bits with which every frame begins.
  const isFrame = bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;
  return text(0, 3) === "ID3" || isFrame ? "audio/mpeg" : "application/octet-stream";
}
