import { type ChildProcess, fork } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Random } from "../../../support/random.ts";
import type { RunnerPlace } from "./runner.ts";

const PROGRAM = fileURLToPath(new URL("./runner.ts", import.meta.url));

/** Processes that run the jobs of one store, of which any may be killed. */
export class RunnerProcesses {
  readonly #place: RunnerPlace;
  readonly #logPath: string;
  readonly #running = new Set<ChildProcess>();
  /** How many ended without being killed. */
  unexpectedEnds = 0;

  /** All of them write their log to one file. */
  constructor(place: RunnerPlace, logPath: string) {
    this.#place = place;
    this.#logPath = logPath;
  }

  /** Starts as many as are missing, and resolves when they take jobs. */
  async ensure(count: number): Promise<void> {
    while (this.#running.size < count) await this.#start();
  }

  /** Kills one of them, at once. */
  async killOne(random: Random): Promise<void> {
    await this.#kill(random.pick([...this.#running]));
  }

  async killAll(): Promise<void> {
    for (const child of this.#running) await this.#kill(child);
  }

  async #start(): Promise<void> {
    const log = openSync(this.#logPath, "a");
    const child = fork(PROGRAM, [JSON.stringify(this.#place)], {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    this.#running.add(child);
    child.once("exit", () => {
      if (this.#running.delete(child)) this.unexpectedEnds += 1;
    });
    await new Promise<void>((resolve, reject) => {
      child.once("message", () => resolve());
      child.once("exit", (code) => reject(new Error(`a runner ended with ${code} before it took jobs`)));
    });
  }

  async #kill(child: ChildProcess): Promise<void> {
    this.#running.delete(child);
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
  }
}
