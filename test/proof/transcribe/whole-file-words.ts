import { spawn } from "node:child_process";
import { WatermarkDecoder } from "../../../src/speech/reference/watermark/decoder.ts";

const RATE_HZ = 16_000;
const BYTES_PER_PAIR = 4;
/** The decoder decides on a word some time after its last sample. */
const DECISION_SAMPLES = RATE_HZ;

/**
 * The words that the reference STT has of a file of two channels which is decoded as a whole and not cut, both channels added. A lossy
 * codec may spoil the watermark of one.
 */
export async function wordsOfWholeFile(ffmpeg: string, path: string): Promise<number> {
  let words = 0;
  const onWord = (): void => {
    words += 1;
  };
  const decoders = [0, 1].map(
    () => new WatermarkDecoder(RATE_HZ, Number.POSITIVE_INFINITY, { onWord, onQuiet: () => {} }),
  );
  const format = ["-f", "s16le", "-ac", "2", "-ar", String(RATE_HZ)];
  const decoding = spawn(ffmpeg, ["-loglevel", "error", "-threads", "1", "-i", path, ...format, "pipe:1"]);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of decoding.stdout) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const pairs = Math.floor(bytes.length / BYTES_PER_PAIR);
    rest = bytes.subarray(pairs * BYTES_PER_PAIR);
    for (const [channel, decoder] of decoders.entries()) {
      decoder.write(Int16Array.from({ length: pairs }, (_, i) => bytes.readInt16LE(BYTES_PER_PAIR * i + 2 * channel)));
    }
  }
  for (const decoder of decoders) decoder.write(new Int16Array(DECISION_SAMPLES));
  return words;
}
