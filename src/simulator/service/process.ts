import { type ChildProcess, fork } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildModule } from "../../core/child-processes/child-module.ts";
import type { ServiceReady } from "../../core/child-processes/service-ready.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";

/** The whole service, running as a child of this process. */
export interface RunningService {
  /** For example `http://127.0.0.1:40123`. */
  apiUrl: string;
  /** Stops it with SIGTERM, as an operator would, and waits; kills it if it does not exit. */
  stop(): Promise<void>;
}

const READY_MS_MAX = 20_000;
const STOP_MS_MAX = 5_000;
const LOG_TAIL_LINES = 12;

export interface ServiceOptions {
  /** The service's `main` module. */
  program: ChildModule;
  /** Created if necessary. It holds all data of the service, and its log as `service.log`. */
  dataDir: string;
  clock: Clock;
  /** Further environment variables of the service. */
  env?: Readonly<Record<string, string>>;
  /** How long it may take until it is ready. */
  readyMsMax?: number;
}

/**
 * Starts the service on free ports of this machine, with the reference STT and TTS. Its environment is exactly what is given
 * here: nothing of this process's environment reaches it. Rejects with `unavailable`, with the end of the log, when it exits
 * before it is ready or is not ready in time. An abort of `signal` before that stops it and rejects with the abort's reason.
 */
export async function startService(
  { program, dataDir, clock, env: further = {}, readyMsMax = READY_MS_MAX }: ServiceOptions,
  signal: AbortSignal,
): Promise<RunningService> {
  mkdirSync(dataDir, { recursive: true });
  const logPath = join(dataDir, "service.log");
  const log = openSync(logPath, "a");
  const env = {
    API_PORT: "0",
    MEDIA_PORT: "0",
    METRICS_PORT: "off",
    DATA_DIR: dataDir,
    STT: "reference",
    TTS: "reference",
    TMPDIR: tmpdir(),
    ...further,
  };
  // In a process group of its own: Ctrl-C reaches only this process, which then stops the service in an orderly way.
  const child = fork(program.path, [], {
    execArgv: program.execArgv,
    env,
    stdio: ["ignore", log, log, "ipc"],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    // A program that could not be started never exits.
    child.once("error", () => resolve());
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const cancel = clock.after(STOP_MS_MAX, () => child.kill("SIGKILL"));
    await exited;
    cancel();
  };
  try {
    return { apiUrl: await ready(child, clock, signal, readyMsMax), stop };
  } catch (error) {
    await stop();
    signal.throwIfAborted();
    const tail = readFileSync(logPath, "utf8").trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n");
    throw unavailable(`the service did not start; the end of ${logPath}:\n${tail}`, error);
  }
}

/** The address of the API, once the service reports that it accepts calls. */
function ready(child: ChildProcess, clock: Clock, signal: AbortSignal, msMax: number): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    const cancel = clock.after(msMax, () => reject(unavailable("not ready in time")));
    child.once("message", (message: ServiceReady) => {
      cancel();
      resolve(message.apiUrl);
    });
    child.once("error", (error) => {
      cancel();
      reject(error);
    });
    child.once("exit", (code, killedBy) => {
      cancel();
      reject(unavailable(`ended with ${killedBy ?? `code ${code}`}`));
    });
  });
}
