import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../../core/clock.ts";
import {
  FFMPEG_CPU_S_MAX,
  FFMPEG_MEMORY_KB_MAX,
  FFMPEG_SILENCE_MS_MAX,
} from "../../core/limits/transcriptions/transcriptions.ts";
import { BATCH_RATE_HZ } from "../../speech/stt/batch/contract.ts";
import { audioUnreadable } from "./errors.ts";

/** The containers that FFmpeg may read. None of them is a playlist, or names other files. */
const CONTAINERS = [
  "aac",
  "ac3",
  "aiff",
  "amr",
  "amrnb",
  "amrwb",
  "ape",
  "asf",
  "au",
  "avi",
  "caf",
  "dsf",
  "flac",
  "flv",
  "gsm",
  "loas",
  "matroska",
  "webm",
  "mov",
  "mp4",
  "m4a",
  "3gp",
  "3g2",
  "mj2",
  "mp3",
  "mpeg",
  "mpegts",
  "ogg",
  "rm",
  "tta",
  "voc",
  "w64",
  "wav",
  "wv",
];

/** Its messages for files that people send, and what they mean. Anything else is quoted without the file's name. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/matches no streams|does not contain any stream/i, "the file has no audio"],
  [/not on whitelist/i, "the file is a playlist or of a kind that is not read; send the audio itself"],
  [/moov atom not found|End of file|Truncated/i, "the file is incomplete"],
  [/Invalid data found/i, "the file is no audio of a known kind, or it is damaged"],
];
const MESSAGE_CHARS_MAX = 8_192;
const DURATION = /Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/;

export interface FfmpegOptions {
  /** The program. */
  ffmpeg: string;
  /** The file, by a name of the service. */
  path: string;
  clock: Pick<Clock, "after">;
  signal: AbortSignal;
  /** Called when the length of the audio is known, ms. */
  onDuration: (durationMs: number) => void;
}

/**
 * The first audio stream of a file as a WAV file of 16-bit samples at BATCH_RATE_HZ, while FFmpeg decodes it. FFmpeg gets no network
 * protocol, no environment, a low priority, and limits of memory and of processor time. Throws `audio_unreadable`.
 */
export async function* decodeWithFfmpeg(options: FfmpegOptions): AsyncGenerator<Buffer> {
  const { clock, signal } = options;
  signal.throwIfAborted();
  const child = start(options);
  const errors = readErrors(child, options.onDuration);
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  exited.catch(() => {});
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  let hangs = false;
  let cancel = (): void => {};
  const watch = (): void => {
    cancel();
    cancel = clock.after(FFMPEG_SILENCE_MS_MAX, () => {
      hangs = true;
      kill();
    });
  };
  try {
    watch();
    for await (const chunk of child.stdout) {
      cancel();
      yield chunk as Buffer;
      watch();
    }
    const code = await exited;
    signal.throwIfAborted();
    if (hangs) throw audioUnreadable("the file takes too long to decode");
    if (code !== 0) throw audioUnreadable(meaningOf(errors()));
  } finally {
    cancel();
    signal.removeEventListener("abort", kill);
    kill();
  }
}

type FfmpegProcess = ChildProcessByStdio<null, Readable, Readable>;

function start({ ffmpeg, path }: FfmpegOptions): FfmpegProcess {
  const args = [
    "-hide_banner",
    "-nostdin",
    "-loglevel",
    "info",
    "-nostats",
    "-threads",
    "1",
    "-protocol_whitelist",
    "file",
    "-format_whitelist",
    CONTAINERS.join(","),
    "-i",
    `file:${path}`,
    "-map",
    "0:a:0",
    "-vn",
    "-sn",
    "-dn",
    "-map_metadata",
    "-1",
    "-c:a",
    "pcm_s16le",
    "-ar",
    String(BATCH_RATE_HZ),
    "-f",
    "wav",
    "pipe:1",
  ];
  const limits = `ulimit -v ${FFMPEG_MEMORY_KB_MAX} -t ${FFMPEG_CPU_S_MAX}; exec nice -n 19 "$0" "$@"`;
  return spawn("/bin/sh", ["-c", limits, ffmpeg, ...args], { stdio: ["ignore", "pipe", "pipe"], env: {} });
}

/** What FFmpeg says, of which the end is kept. */
function readErrors(child: FfmpegProcess, onDuration: (durationMs: number) => void): () => string {
  let text = "";
  let hasDuration = false;
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (chunk: string) => {
    text = (text + chunk).slice(-MESSAGE_CHARS_MAX);
    const found = hasDuration ? null : DURATION.exec(text);
    if (found === null) return;
    hasDuration = true;
    onDuration((Number(found[1]) * 3_600 + Number(found[2]) * 60 + Number(found[3])) * 1_000);
  });
  return () => text;
}

const meaningOf = (message: string): string =>
  MEANINGS.find(([pattern]) => pattern.test(message))?.[1] ?? "the file cannot be decoded";
