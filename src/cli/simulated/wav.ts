import { unavailable } from "../../core/errors.ts";

export interface WavFormat {
  channels: number;
  sampleRateHz: number;
  durationMs: number;
}

/**
 * Reads the format of a RIFF WAVE file: the chunks `fmt ` and `data`, wherever they stand. Throws `unavailable` for
 * anything else.
 */
export function readWavFormat(file: Uint8Array): WavFormat {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const nameAt = (offset: number): string => Buffer.from(file.subarray(offset, offset + 4)).toString("latin1");
  if (file.length < 12 || nameAt(0) !== "RIFF" || nameAt(8) !== "WAVE") throw unavailable("not a WAVE file");
  let format: { channels: number; sampleRateHz: number; bytesPerSecond: number } | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const bytes = view.getUint32(at + 4, true);
    const body = at + 8;
    if (nameAt(at) === "fmt " && body + 16 <= file.length) {
      const channels = view.getUint16(body + 2, true);
      format = {
        channels,
        sampleRateHz: view.getUint32(body + 4, true),
        bytesPerSecond: view.getUint32(body + 8, true),
      };
    }
    if (nameAt(at) === "data" && format !== undefined) {
      const { channels, sampleRateHz, bytesPerSecond } = format;
      const presentBytes = Math.min(bytes, file.length - body);
      return { channels, sampleRateHz, durationMs: Math.round((presentBytes * 1_000) / bytesPerSecond) };
    }
    at = body + bytes + (bytes % 2);
  }
  throw unavailable("a WAVE file without audio");
}
