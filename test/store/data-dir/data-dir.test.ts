import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { codeOf } from "../../../src/core/errors.ts";
import { openDataDir } from "../../../src/store/data-dir/data-dir.ts";
import { builtProgram } from "../../support/services/build.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const isRoot = process.getuid?.() === 0;
const UNPRIVILEGED_ID = 65_534;

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

/** The error messages for these folders in a process without root's rights, because root may do everything. */
function unprivilegedRefusals(dataDirs: readonly string[]): string[] {
  const child = `
    const { openDataDir } = await import(process.argv[1]);
    process.setgroups([]);
    process.setgid(${UNPRIVILEGED_ID});
    process.setuid(${UNPRIVILEGED_ID});
    const refusalOf = (dataDir) => {
      try {
        return openDataDir(dataDir) ?? "was taken";
      } catch (error) {
        return error.message;
      }
    };
    console.log(JSON.stringify(process.argv.slice(2).map(refusalOf)));`;
  const args = [
    "--input-type=module",
    "--eval",
    child,
    pathToFileURL(builtProgram("store/data-dir/data-dir")).href,
    ...dataDirs,
  ];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as string[];
}

describe("the data directory", () => {
  test("is created with its parents, for its owner alone, and no file is left in it", () => {
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

  test("is refused where a file is at its path, or above it", () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(refusalOf(file).message).toMatch(/cannot be used: EEXIST: /);
    expect(refusalOf(join(file, "data")).message).toMatch(/cannot be used: ENOTDIR: /);
  });

  test("is refused where its link is dangling", () => {
    const link = join(temporaryDirectory(), "link");
    symlinkSync(join(link, "..", "nowhere"), link);
    expect(refusalOf(link).message).toContain(JSON.stringify(link));
  });

  test("is refused on a disk that is full or read-only, also where it already exists", (context) => {
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

  test.each([
    "service.lock",
    "token-keys.json",
    "trunkline.db",
  ])("is refused where %s in it is a folder, and creates no such file", (name) => {
    const dataDir = temporaryDirectory();
    openDataDir(dataDir);
    expect(readdirSync(dataDir)).toEqual([]);
    mkdirSync(join(dataDir, name));
    expect(refusalOf(dataDir).message).toContain(`cannot be used: ${join(dataDir, name)} is a folder. `);
  });

  test("is refused where the folder of its sockets is a file or a dangling link", () => {
    const dataDir = temporaryDirectory();
    const run = join(dataDir, "run");
    writeFileSync(run, "");
    expect(refusalOf(dataDir).message).toContain(`cannot be used: ${run} is no folder. `);
    rmSync(run);
    symlinkSync(join(dataDir, "nowhere"), run);
    expect(refusalOf(dataDir).message).toMatch(/cannot be used: ENOENT: .*run/);
    rmSync(run);
    mkdirSync(run);
    openDataDir(dataDir);
  });

  test("is refused where this user may not write, also to one of the files in it", () => {
    const above = temporaryDirectory();
    const folders = ["folder", "service.lock", "token-keys.json", "trunkline.db", "run"].map((name) => ({
      name,
      dataDir: join(above, name),
    }));
    for (const { name, dataDir } of folders) {
      mkdirSync(dataDir);
      const path = join(dataDir, name);
      if (name === "run") mkdirSync(path);
      else writeFileSync(path, "");
      // Other users may not, and neither may the owner, who need not be root.
      chmodSync(path, name === "run" ? 0o500 : 0o400);
      chmodSync(dataDir, name === "folder" ? 0o555 : 0o777);
    }
    chmodSync(above, 0o755);
    const refusals = isRoot
      ? unprivilegedRefusals(folders.map(({ dataDir }) => dataDir))
      : folders.map(({ dataDir }) => refusalOf(dataDir).message);
    for (const [at, { name, dataDir }] of folders.entries()) {
      expect(refusals[at]).toContain(`DATA_DIR ${JSON.stringify(dataDir)} cannot be used: EACCES: `);
      if (name !== "folder") expect(refusals[at]).toContain(join(dataDir, name));
      expect(refusals[at]).not.toContain("\n");
    }
  });
});
