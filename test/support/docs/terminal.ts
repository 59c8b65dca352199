import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const STOP_MS_MAX = 15_000;

export interface TerminalOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/**
 * One bash, in a process group of its own, as a reader's terminal: variables that one block exports are there for the next. The first
 * command that fails ends it (`set -euo pipefail`).
 */
export class Terminal {
  /** All that was written to it, by commands and by programs, to standard output and standard error. */
  output = "";
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #isClosed = false;
  #blocks = 0;
  /** Of all that wait for a condition at a time. */
  readonly #waiting = new Set<() => void>();

  constructor({ cwd, env }: TerminalOptions) {
    this.#child = spawn("bash", ["-s"], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        this.#wake();
      });
    }
    this.#child.stdin?.on("error", () => {});
    this.#closed = once(this.#child, "close").then(() => {
      this.#isClosed = true;
      this.#wake();
    });
    this.#child.stdin?.write("exec 2>&1\nset -euo pipefail\n");
  }

  /** Types commands and waits until they are done. Resolves with what they wrote; throws with that when one fails. */
  async run(commands: string, withinMs: number): Promise<string> {
    this.#blocks += 1;
    const mark = `== block ${this.#blocks} is done ==\n`;
    const from = this.output.length;
    this.#child.stdin?.write(`{\n${commands}\n} </dev/null\necho -n '${mark}'\n`);
    await this.#until((output) => output.includes(mark, from), withinMs, commands);
    return this.output.slice(from, this.output.indexOf(mark, from));
  }

  /** Types commands whose last one stays in the foreground, as a service does, and waits for what it writes. */
  async start(commands: string, ready: RegExp, withinMs: number): Promise<void> {
    this.#child.stdin?.end(`{\n${commands}\n} </dev/null\n`);
    await this.#until((output) => ready.test(output), withinMs, commands);
  }

  /** Waits until `condition` is true of what was written. Resolves with whether it is, within the time and before it ends. */
  async reaches(condition: (output: string) => boolean, withinMs: number): Promise<boolean> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, withinMs);
    while (!condition(this.output) && !this.#isClosed && !isLate) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
    clearTimeout(timer);
    return condition(this.output);
  }

  /** Presses Ctrl-C and waits until everything in it has ended. Throws when something does not. */
  async stop(): Promise<void> {
    this.#child.stdin?.end();
    this.#signal("SIGINT");
    await Promise.race([this.#closed, delay(STOP_MS_MAX, undefined, { ref: false })]);
    const hasStopped = this.#isClosed;
    this.#signal("SIGKILL");
    if (!hasStopped) throw new Error(`Ctrl-C did not end it within ${STOP_MS_MAX} ms:\n${this.output}`);
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #until(condition: (output: string) => boolean, withinMs: number, commands: string): Promise<void> {
    if (await this.reaches(condition, withinMs)) return;
    const problem = this.#isClosed ? "failed" : `not done within ${withinMs} ms`;
    this.#signal("SIGKILL");
    throw new Error(`${problem}:\n${commands}\nIt wrote:\n${this.output}`);
  }

  #signal(name: NodeJS.Signals): void {
    try {
      process.kill(-(this.#child.pid as number), name);
    } catch {
      // Everything in it has ended.
    }
  }
}
