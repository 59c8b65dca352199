import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** Whether the writes of this process can be made to fail. */
export const canFailWrites =
  spawnSync("strace", ["-V"]).status === 0 &&
  spawnSync("sh", ["-c", `timeout 5 strace -o /dev/null -e trace=none -p ${process.pid} & sleep 0.3; kill -0 $!`])
    .status === 0;

/** From now on every write at a position of a file, by which SQLite writes, fails with this error of the system. */
export class FailingWrites {
  readonly #strace: ChildProcess;

  private constructor(strace: ChildProcess) {
    this.#strace = strace;
  }

  static async begin(error: "EROFS" | "EIO"): Promise<FailingWrites> {
    const inject = `inject=pwrite64:error=${error}`;
    const args = ["-f", "-o", "/dev/null", "-e", "trace=pwrite64", "-e", inject, "-p", String(process.pid)];
    const strace = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
    // It says so when it has attached.
    await once(strace.stderr, "data");
    return new FailingWrites(strace);
  }

  async end(): Promise<void> {
    const exited = once(this.#strace, "exit");
    this.#strace.kill("SIGINT");
    await exited;
  }
}
