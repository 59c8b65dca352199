import { existsSync, statfsSync } from "node:fs";

/** Linux's file system in memory. */
const MEMORY = "/dev/shm";
/** What a run of all tests may have there at one time, with room to spare. */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Has this process and those that it starts keep temporary files in memory, where there is room and `TMPDIR` names no other place.
 * Tests open thousands of databases, and a disk that many share takes seconds to sync one.
 */
export function useMemoryForTemporaryFiles(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize >= FREE_BYTES_MIN) process.env.TMPDIR = MEMORY;
}
