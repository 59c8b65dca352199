import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import { monoWav, wavHeader } from "../../../src/media/wav.ts";
import { findFfmpeg } from "../../../src/transcription/audio/find-ffmpeg.ts";
import { type OpenAudioOptions, openAudio } from "../../../src/transcription/audio/open-audio.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const FFMPEG = "/usr/bin/ffmpeg";
const makeResampler = await loadResampler();
let folder = "";
beforeEach(() => {
  folder = temporaryDirectory();
});
const fileOf = (name: string, bytes: Uint8Array | string): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};

interface Opened {
  channels: Int16Array[];
  durations: number[];
}

async function read(path: string, options: Partial<OpenAudioOptions> = {}): Promise<Opened> {
  const durations: number[] = [];
  const parts: (readonly Int16Array[])[] = [];
  const audio = openAudio({
    path,
    channels: "separate",
    ffmpeg: undefined,
    makeResampler,
    clock: systemClock,
    signal: new AbortController().signal,
    onDuration: (ms) => durations.push(Math.round(ms)),
    ...options,
  });
  for await (const samples of audio) parts.push(samples);
  const channels = (parts[0] ?? []).map((_, index) => {
    const all = parts.map((samples) => samples[index] ?? new Int16Array(0));
    return Int16Array.from(all.flatMap((samples) => [...samples]));
  });
  return { channels, durations };
}

const tone = (seconds: number, rateHz: number, amplitude: number): Int16Array =>
  Int16Array.from({ length: seconds * rateHz }, (_, i) => amplitude * Math.sin((2 * Math.PI * 440 * i) / rateHz));
const rms = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);

/** One second of two tones, the second at half the amplitude, interleaved. */
function stereo(rateHz: number): Buffer {
  const [left, right] = [tone(1, rateHz, 8_000), tone(1, rateHz, 4_000)];
  const both = Int16Array.from({ length: 2 * rateHz }, (_, i) => (i % 2 === 0 ? left : right)[i >> 1] as number);
  return Buffer.concat([wavHeader(rateHz, rateHz, 2), Buffer.from(both.buffer)]);
}

describe("a WAV file", () => {
  test.each([8_000, 16_000, 44_100])("of %i Hz is read at 16,000 Hz, each channel for itself", async (rateHz) => {
    const { channels, durations } = await read(fileOf(`stereo-${rateHz}.wav`, stereo(rateHz)));
    expect(channels.map(({ length }) => length)).toEqual([16_000, 16_000]);
    expect(rms(channels[0] as Int16Array)).toBeCloseTo(8_000 / Math.SQRT2, -2);
    expect(rms(channels[1] as Int16Array)).toBeCloseTo(4_000 / Math.SQRT2, -2);
    expect(durations).toEqual([1_000]);
  });

  test("is mixed to one channel where that is asked for", async () => {
    const { channels } = await read(fileOf("mixed.wav", stereo(16_000)), { channels: "mix" });
    expect(channels).toHaveLength(1);
    expect(rms(channels[0] as Int16Array)).toBeCloseTo(6_000 / Math.SQRT2, -2);
  });
});

describe("a file that is no WAV file", () => {
  test("needs FFmpeg, and says what can be read without", async () => {
    const path = fileOf("song.mp3", Buffer.from("ID3 and so on"));
    await expect(read(path)).rejects.toMatchObject({
      code: "unsupported_audio",
      message: expect.stringMatching(/WAV.*FFmpeg/),
    });
  });

  test("that is empty is refused", async () => {
    await expect(read(fileOf("empty", ""))).rejects.toMatchObject({
      code: "audio_unreadable",
      message: "the file is empty",
    });
  });
});

test("FFmpeg is found by its name in the folders of PATH, and by its path", () => {
  expect(findFfmpeg({ program: "sh", searchPath: "/nowhere:/bin" })).toBe("/bin/sh");
  expect(findFfmpeg({ program: "/bin/sh", searchPath: "" })).toBe("/bin/sh");
  expect(findFfmpeg({ program: "no-such-program", searchPath: "/bin" })).toBeUndefined();
});

describe.skipIf(!existsSync(FFMPEG))("with FFmpeg", () => {
  const convert = (source: string, name: string, ...args: string[]): string => {
    const path = join(folder, name);
    const { status, stderr } = spawnSync(FFMPEG, ["-loglevel", "error", "-y", "-i", source, ...args, path]);
    expect(stderr.toString()).toBe("");
    expect(status).toBe(0);
    return path;
  };
  let source = "";
  beforeEach(() => {
    source = fileOf("source.wav", stereo(44_100));
  });

  test.each(["opus", "mp3", "flac", "m4a", "webm"])("a .%s file is decoded, both channels", async (extension) => {
    const { channels, durations } = await read(convert(source, `a.${extension}`), { ffmpeg: FFMPEG });
    expect(channels).toHaveLength(2);
    // Codecs add some silence at the ends.
    expect((channels[0] as Int16Array).length / 16_000).toBeCloseTo(1, 0);
    expect(rms(channels[0] as Int16Array) / rms(channels[1] as Int16Array)).toBeCloseTo(2, 0);
    expect((durations[0] as number) / 1_000).toBeCloseTo(1, 0);
  });

  test("a WAV file in a codec of its own is decoded", async () => {
    const path = convert(source, "adpcm.wav", "-c:a", "adpcm_ms");
    expect((await read(path, { ffmpeg: FFMPEG })).channels).toHaveLength(2);
  });

  test("a file with pictures and no sound, a text and a damaged file are refused with what they are", async () => {
    const video = join(folder, "silent.mp4");
    spawnSync(FFMPEG, ["-loglevel", "error", "-f", "lavfi", "-i", "color=red:d=0.2:s=64x64", "-y", video]);
    await expect(read(video, { ffmpeg: FFMPEG })).rejects.toMatchObject({
      code: "audio_unreadable",
      message: "the file has no audio",
    });
    const text = fileOf("text.wav", "to be or not to be, that is the question. ".repeat(100));
    await expect(read(text, { ffmpeg: FFMPEG })).rejects.toMatchObject({ code: "audio_unreadable" });
    const damaged = fileOf("damaged.flac", Buffer.alloc(5_000, 0x7e));
    await expect(read(damaged, { ffmpeg: FFMPEG })).rejects.toMatchObject({ code: "audio_unreadable" });
  });

  test("a playlist and a list of files are not followed", async () => {
    const playlist = fileOf(
      "list.m3u8",
      `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile://${source}\n#EXT-X-ENDLIST\n`,
    );
    const list = fileOf("list.ffconcat", `ffconcat version 1.0\nfile '${source}'\n`);
    for (const path of [playlist, list]) {
      await expect(read(path, { ffmpeg: FFMPEG })).rejects.toMatchObject({ code: "audio_unreadable" });
    }
  });

  test("an abort ends FFmpeg, and is the reason", async () => {
    const long = convert(fileOf("long.wav", monoWav(new Int16Array(16_000 * 120), 16_000)), "long.flac");
    const abort = new AbortController();
    const audio = openAudio({
      path: long,
      channels: "mix",
      ffmpeg: FFMPEG,
      makeResampler,
      clock: systemClock,
      signal: abort.signal,
      onDuration: () => abort.abort(new Error("not wanted any more")),
    });
    await expect(
      (async () => {
        for await (const _ of audio);
      })(),
    ).rejects.toThrow("not wanted any more");
  });
});
