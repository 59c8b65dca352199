import { basename } from "node:path";
import { expect, test, vi } from "vitest";
import { openTokenKeys } from "../../../src/store/data-dir/token-keys.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const done = vi.hoisted((): string[] => []);
vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  const paths = new Map<number, string>();
  return {
    ...fs,
    openSync(path: string, flags?: string, mode?: number) {
      const descriptor = fs.openSync(path, flags ?? "r", mode);
      paths.set(descriptor, path);
      return descriptor;
    },
    fsyncSync(descriptor: number) {
      fs.fsyncSync(descriptor);
      done.push(`force ${paths.get(descriptor)}`);
    },
    renameSync(from: string, to: string) {
      fs.renameSync(from, to);
      done.push(`rename ${from}`);
    },
  };
});

test("ADV-L9: a new token key is on the disk before it gets its name, and its name before it is used", () => {
  const dataDir = temporaryDirectory();
  openTokenKeys(dataDir);
  const temporary = `${dataDir}/token-keys.json.${process.pid}`;
  expect(done).toEqual([`force ${temporary}`, `rename ${temporary}`, `force ${dataDir}`]);
  expect(basename(temporary)).toContain("token-keys.json");
});
