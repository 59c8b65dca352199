import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../src/core/errors.ts";
import { openDataDir } from "../../src/store/data-dir.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const isRoot = process.getuid?.() === 0;

/** The error that `openDataDir` throws. */
function refusalOf(dataDir: string): Error {
  try {
    openDataDir(dataDir);
  } catch (error) {
    expect(codeOf(error)).toBe("bad_configuration");
    return error as Error;
  }
  throw new Error(`${dataDir} was taken`);
}

describe("the data directory", () => {
  test("is made with the folders above it, for its owner alone, and nothing is left in it", () => {
    const dataDir = join(temporaryDirectory(), "a", "b");
    openDataDir(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(dataDir)).toEqual([]);
    openDataDir(dataDir);
  });

  test("is refused below /proc, where no folder can be made, in one line that names the variable and the path", {
    skip: !existsSync("/proc/self"),
  }, () => {
    const { message } = refusalOf("/proc/nope/data");
    expect(message).toMatch(/^DATA_DIR "\/proc\/nope\/data" cannot be used: ENOENT: [^\n]*'\/proc\/nope'/);
    expect(message).toContain("It must be a folder that this user can write to");
    expect(message).not.toContain("\n");
  });

  test("is refused where a file stands in its place, or above it", () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(refusalOf(file).message).toMatch(/cannot be used: EEXIST: /);
    expect(refusalOf(join(file, "data")).message).toMatch(/cannot be used: ENOTDIR: /);
  });

  test("is refused where its link leads nowhere", () => {
    const link = join(temporaryDirectory(), "link");
    symlinkSync(join(link, "..", "nowhere"), link);
    expect(refusalOf(link).message).toContain(JSON.stringify(link));
  });

  test("is refused on a disk that is full or read-only, also where it is there already", (context) => {
    const path = temporaryDirectory();
    const mount = (...args: string[]) => spawnSync("mount", [...args, path]).status === 0;
    if (!mount("-t", "tmpfs", "-o", "size=8k", "tmpfs"))
      return context.skip("no file system can be mounted by this user");
    try {
      openDataDir(path);
      mount("-o", "remount,ro");
      expect(refusalOf(path).message).toMatch(/cannot be used: EROFS: /);
      mount("-o", "remount,rw");
      writeFileSync(join(path, "filler"), new Uint8Array(8_192));
      expect(refusalOf(path).message).toMatch(/cannot be used: ENOSPC: /);
      expect(readdirSync(path)).toEqual(["filler"]);
    } finally {
      spawnSync("umount", [path]);
    }
  });

  test("is refused where this user may not write", { skip: isRoot }, () => {
    const dataDir = join(temporaryDirectory(), "data");
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o500);
    expect(refusalOf(dataDir).message).toMatch(/cannot be used: EACCES: /);
  });
});
