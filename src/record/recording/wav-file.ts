import { strict as assert } from "node:assert";
import { open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { type FileOutput, fileOutputOf } from "../../core/encryption/chunked-file.ts";
import type { MediaContent, MediaFile } from "../../core/encryption/chunks.ts";

export const WAV_CHANNELS = 2;

/** Interleaves two channels that arrive in blocks of different lengths, sample by sample, left first. */
export class StereoInterleaver {
  readonly #samples: Int16Array;
  readonly #put: [left: number, right: number] = [0, 0];
  /** Samples of each channel that have been taken. */
  #taken = 0;

  /** The capacity is `samplesMax` samples of each channel. */
  constructor(samplesMax: number) {
    this.#samples = new Int16Array(samplesMax * WAV_CHANNELS);
  }

  /** Samples of each channel that have been taken. */
  get taken(): number {
    return this.#taken;
  }

  put(channel: 0 | 1, samples: Int16Array): void {
    const at = this.#put[channel];
    assert.ok((at + samples.length) * WAV_CHANNELS <= this.#samples.length);
    for (let i = 0; i < samples.length; i += 1) {
      this.#samples[(at + i) * WAV_CHANNELS + channel] = samples[i] as number;
    }
    this.#put[channel] = at + samples.length;
  }

  /**
   * Passes what is available of both channels, at most `samplesMax` of each, to `use`. The view is borrowed until the promise of `use`
   * resolves.
   */
  async take(samplesMax: number, use: (samples: Int16Array) => Promise<void>): Promise<void> {
    const samples = Math.min(...this.#put, samplesMax);
    await use(this.#samples.subarray(0, samples * WAV_CHANNELS));
    this.#samples.copyWithin(0, samples * WAV_CHANNELS, Math.max(...this.#put) * WAV_CHANNELS);
    this.#put[0] -= samples;
    this.#put[1] -= samples;
    this.#taken += samples;
  }
}

const UNFINISHED = ".unfinished";

/**
 * The name under which this process writes a file until it is complete. Another process that makes the same file uses a
 * name of its own.
 */
const unfinishedPath = (path: string): string => `${path}.${process.pid}${UNFINISHED}`;

/**
 * Deletes incomplete files that earlier processes left in a folder. A process that is still running then fails to
 * rename its file. Call this before this process writes there. Rejects with the system's error.
 */
export async function deleteUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith(UNFINISHED)) await rm(join(folder, name), { force: true });
}

/**
 * Lets `fill` write a file that only its owner can read, encrypted where there is a key. The file gets its name only
 * once it is complete on the disk.
 */
export async function writeAtomically(
  target: string | MediaFile,
  fill: (file: FileOutput) => Promise<void>,
  content: MediaContent = "recording",
): Promise<void> {
  const { path, key } = typeof target === "string" ? { path: target, key: undefined } : target;
  const unfinished = unfinishedPath(path);
  try {
    const file = await open(unfinished, "w", 0o600);
    try {
      const output = fileOutputOf(file, content, key);
      await fill(output);
      await output.end();
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
