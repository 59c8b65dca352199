import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processStat } from "../../core/child-processes/process-stat.ts";
import type { Roll } from "./supervisor.ts";

/** What a supervisor writes to its data directory, so that command-line tools can find and signal it. */
export interface SupervisorState {
  pid: number;
  /** The result of `processStartTime`: process ids are reused. */
  start: string;
  /** The latest roll; undefined before the first. */
  roll?: Roll;
}

/** The start time of a process in the format of the system; undefined when no process has this id. */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform !== "linux")
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    // The 22nd field.
    return processStat(pid)[19];
  } catch {
    return undefined;
  }
}

/** The file in which a running supervisor can be found. */
export class SupervisorFile {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, "supervisor.json");
  }

  /** Throws the error of the system. */
  write(state: SupervisorState): void {
    // The rename is atomic: readers see the old file or the new one, both complete.
    const path = `${this.#path}.new`;
    writeFileSync(path, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(path, this.#path);
  }

  /** Undefined when there is no file: no supervisor runs. Throws other errors of the system. */
  read(): SupervisorState | undefined {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8")) as SupervisorState;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
