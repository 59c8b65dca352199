import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

export interface Finished {
  /** Of the command; -1 where a signal or its deadline ended it. */
  code: number;
  /** Everything it wrote, both streams in the order they were written. */
  output: string;
  tookMs: number;
}

/** Where a program runs, and where everything goes that it writes. */
export interface Surroundings {
  directory: string;
  environment?: Readonly<Record<string, string>>;
  logFile: string;
}

/** The leaders of the process groups that run now. */
const running = new Set<ChildProcess>();

/** Starts a program as the leader of a process group of its own, so that it can be ended with everything that it started. */
export function startGroup(
  argv: readonly string[],
  { directory, environment = {}, logFile }: Surroundings,
): ChildProcess {
  const log = openSync(logFile, "w");
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...environment },
    stdio: ["ignore", log, log],
    detached: true,
  });
  closeSync(log);
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
}

/** Ends a group at once. */
export function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined && running.has(child)) process.kill(-child.pid, "SIGKILL");
}

/** Ends all of them: a terminal's signal does not reach groups of their own. */
export function killAllGroups(): void {
  for (const child of running) killGroup(child);
}

/** The exit code; -1 where a signal ended it. Rejects where it could not be started. */
export const exitCode = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? -1));
  });

/** Runs a program to its end, or to the deadline, at which its whole group is killed. */
export async function finished(
  argv: readonly string[],
  { timeoutMs, ...surroundings }: Surroundings & { timeoutMs: number },
): Promise<Finished> {
  const startedAt = performance.now();
  const child = startGroup(argv, surroundings);
  const deadline = setTimeout(() => killGroup(child), timeoutMs);
  try {
    const code = await exitCode(child);
    return { code, output: readFileSync(surroundings.logFile, "utf8"), tookMs: performance.now() - startedAt };
  } finally {
    clearTimeout(deadline);
  }
}
