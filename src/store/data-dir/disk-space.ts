import { statfs } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { DISK_FREE_AGAIN_FACTOR, DISK_POLL_MS } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";

export interface DiskSpaceOptions {
  /** Folders that the service writes to, which may be separate mounts. Those that do not exist yet are skipped. */
  folders: readonly string[];
  /** Below this free space on any of the disks, space is low; 0 for never. */
  minFreeBytes: number;
  clock: Clock;
  log: Logger;
  /** The free bytes of a folder's disk that this user may use. Rejects with the system's error. */
  freeBytesOf?: (folder: string) => Promise<number>;
}

const statfsFreeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Reads the free space of the service's disks every DISK_POLL_MS, without blocking the event loop. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  readonly #freeBytesOf: (folder: string) => Promise<number>;
  #freeBytes = Number.NaN;
  #isLow = false;
  /** The last error that was logged, so that a lasting one is logged once. */
  #failure: string | undefined;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
    this.#freeBytesOf = options.freeBytesOf ?? statfsFreeBytes;
  }

  /** Free space is below the minimum: new calls are refused. False until the first reading. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Free bytes of the fullest disk; NaN until the first reading. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** Resolves after the first reading. The space is then read as long as the process lives. Never rejects. */
  async monitor(): Promise<void> {
    await this.#read();
    // The next reading starts after this one.
    this.#options.clock.after(DISK_POLL_MS, () => void this.monitor());
  }

  async #read(): Promise<void> {
    const { folders, log } = this.#options;
    try {
      const readings = [];
      // One after another, because a disk that hangs occupies one of Node's few file threads.
      for (const folder of folders) readings.push(await this.#readFolder(folder));
      this.#failure = undefined;
      this.#update(Math.min(...readings));
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      if (failure !== this.#failure) {
        log.error({ err: error, code: codeOf(error) }, "free disk space could not be read");
      }
      this.#failure = failure;
    }
  }

  async #readFolder(folder: string): Promise<number> {
    try {
      return await this.#freeBytesOf(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return Number.POSITIVE_INFINITY;
      throw error;
    }
  }

  #update(freeBytes: number): void {
    const { minFreeBytes, log } = this.#options;
    this.#freeBytes = freeBytes;
    const isLow = freeBytes < minFreeBytes * (this.#isLow ? DISK_FREE_AGAIN_FACTOR : 1);
    if (isLow === this.#isLow) return;
    this.#isLow = isLow;
    if (isLow) log.error({ freeBytes, minFreeBytes }, "disk space is low: new calls are refused, live calls continue");
    else log.info({ freeBytes, minFreeBytes }, "disk space is sufficient: new calls are accepted");
  }
}
