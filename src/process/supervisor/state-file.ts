import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Roll } from "./supervisor.ts";

/** What a supervisor tells of itself in its data directory, for whoever has a word for it. */
export interface SupervisorState {
  pid: number;
  /** As `processStart` tells it: process ids are given again. */
  start: string;
  /** The latest; undefined before the first. */
  roll?: Roll;
}

/** When a process began, in whatever way the system tells it; undefined when there is none of this id. */
export function processStartTime(pid: number): string | undefined {
  try {
    if (process.platform !== "linux")
      return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
    // proc_pid_stat(5): the 22nd field; the second, a name in parentheses, may hold anything.
    return readFileSync(`/proc/${pid}/stat`, "latin1")
      .replace(/^.*\) /s, "")
      .split(" ")[19];
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

  /** Throws what the system says. */
  write(state: SupervisorState): void {
    // Whoever reads it meanwhile finds the one before, whole.
    const path = `${this.#path}.new`;
    writeFileSync(path, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(path, this.#path);
  }

  /** Undefined where no supervisor has written one, or has removed it. Throws what the system says. */
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
