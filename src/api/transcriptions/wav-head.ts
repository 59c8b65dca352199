import { ApiError } from "../http/errors.ts";
import type { FileHead } from "../uploads/receive.ts";

/** Without FFmpeg, files other than WAV are refused: a WAV file begins with `RIFF`, its length and `WAVE`. */
export const WAV_ONLY: FileHead = {
  bytes: 12,
  check(head) {
    if (!isWavHead(head)) throw withoutFfmpeg();
  },
};

const isWavHead = (head: Buffer): boolean =>
  head.toString("latin1", 0, 4) === "RIFF" && head.toString("latin1", 8) === "WAVE";

const withoutFfmpeg = (): ApiError =>
  new ApiError(
    "unsupported_media_type",
    "the file must be a WAV file (PCM, floating point or G.711): FFmpeg, which reads others, is not installed where the service runs",
  );
