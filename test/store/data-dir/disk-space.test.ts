import { describe, expect, test } from "vitest";
import { DiskSpace } from "../../../src/store/data-dir/disk-space.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** Levels of pino. */
const ERROR = 50;
const INFO = 30;

const MIN_FREE_BYTES = 1_000;

/** Two folders, on disks whose free space the test sets. */
function scene(minFreeBytes = MIN_FREE_BYTES) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const free: Record<string, number | Error> = { data: 5_000, recordings: 5_000 };
  let readings = 0;
  const disk = new DiskSpace({
    folders: ["data", "recordings"],
    minFreeBytes,
    clock,
    log,
    async freeBytesOf(folder) {
      readings += 1;
      const bytes = free[folder];
      if (typeof bytes !== "number") throw bytes;
      return bytes;
    },
  });
  const logged = (): number[] => lines.map((line) => (JSON.parse(line) as { level: number }).level);
  return { clock, disk, free, logged, readings: () => readings };
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

describe("ADV-M4: disk space", () => {
  test("is low below the minimum on any of the disks, and recovers by itself above it and a margin", async () => {
    const { clock, disk, free, logged } = scene();
    await disk.monitor();
    expect([disk.isLow, disk.freeBytes]).toEqual([false, 5_000]);
    free.recordings = MIN_FREE_BYTES - 1;
    await clock.play(1_000);
    expect([disk.isLow, disk.freeBytes]).toEqual([true, MIN_FREE_BYTES - 1]);
    free.recordings = MIN_FREE_BYTES * 1.05;
    await clock.play(5_000);
    expect(disk.isLow).toBe(true);
    free.recordings = MIN_FREE_BYTES * 1.1;
    await clock.play(1_000);
    expect(disk.isLow).toBe(false);
    expect(logged()).toEqual([ERROR, INFO]);
  });

  test("is never low without a minimum, but is still read", async () => {
    const { disk, free } = scene(0);
    free.data = 0;
    await disk.monitor();
    expect([disk.isLow, disk.freeBytes]).toEqual([false, 0]);
  });

  test("keeps its last value where it cannot be read, which is logged once, and skips a missing folder", async () => {
    const { clock, disk, free, logged } = scene();
    free.data = 10;
    free.recordings = systemError("ENOENT");
    await disk.monitor();
    expect([disk.isLow, disk.freeBytes]).toEqual([true, 10]);
    free.data = systemError("EIO");
    await clock.play(5_000);
    expect([disk.isLow, disk.freeBytes]).toEqual([true, 10]);
    expect(logged()).toEqual([ERROR, ERROR]);
  });

  test("is read one folder after another: disks that hang occupy one of Node's file threads", async () => {
    const [clock, asked, answer] = [new ManualClock(), [] as string[], [] as ((bytes: number) => void)[]];
    const freeBytesOf = (folder: string): Promise<number> => {
      asked.push(folder);
      return new Promise((resolve) => answer.push(resolve));
    };
    const disk = new DiskSpace({ folders: ["a", "b"], minFreeBytes: 1, clock, log: memoryLog().log, freeBytesOf });
    const read = disk.monitor();
    await clock.play(10_000);
    expect(asked).toEqual(["a"]);
    answer[0]?.(9);
    await clock.play(0);
    expect(asked).toEqual(["a", "b"]);
    answer[1]?.(7);
    await read;
    expect(disk.freeBytes).toBe(7);
  });

  test("is read once a second and never twice at a time", async () => {
    const { clock, disk, readings } = scene();
    await disk.monitor();
    await clock.play(3_000);
    expect(readings()).toBe(8);
    expect(clock.pending).toBe(1);
  });

  test("is the system's value for a real folder", async () => {
    const { log } = memoryLog();
    const disk = new DiskSpace({ folders: [temporaryDirectory()], minFreeBytes: 1, clock: new ManualClock(), log });
    await disk.monitor();
    expect(disk.freeBytes).toBeGreaterThan(0);
    expect(disk.isLow).toBe(false);
  });
});
