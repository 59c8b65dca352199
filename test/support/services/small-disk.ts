import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FILLER_BYTES = 64 * 1_024;

/** A disk of its own with little room, at `path`. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), "trunkline-small-disk-"));

  constructor(sizeMb: number) {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "tmpfs", this.path], { stdio: "ignore" });
    } catch (error) {
      rmSync(this.path, { recursive: true });
      throw error;
    }
  }

  /** Leaves no byte free. */
  fill(): void {
    for (let bytes = FILLER_BYTES, file = 0; this.#freeBytes > 0; file += 1) {
      try {
        writeFileSync(join(this.path, `filler-${file}`), new Uint8Array(Math.min(bytes, this.#freeBytes)));
      } catch {
        bytes = Math.max(1, bytes / 2);
      }
    }
  }

  /** Makes room again. */
  empty(): void {
    spawnSync("sh", ["-c", `rm -f ${this.path}/filler-*`]);
  }

  /** No file of it may be open for writing. */
  setReadOnly(isReadOnly: boolean): void {
    execFileSync("mount", ["-o", `remount,${isReadOnly ? "ro" : "rw"}`, this.path], { stdio: "ignore" });
  }

  remove(): void {
    execFileSync("umount", ["-l", this.path], { stdio: "ignore" });
    rmSync(this.path, { recursive: true });
  }

  get #freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.path);
    return bavail * bsize;
  }
}

/** Whether small disks can be mounted here: that needs root, and a system that allows it. */
export const canMount = ((): boolean => {
  if (process.getuid?.() !== 0) return false;
  try {
    new SmallDisk(1).remove();
    return true;
  } catch {
    return false;
  }
})();
