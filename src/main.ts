import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, readConfig } from "./config.ts";
import { childModule } from "./core/child-module.ts";
import { systemClock } from "./core/clock.ts";
import { createLogger, type Logger } from "./core/log.ts";
import type { ChildArguments, FromChild, ServiceReady, ToChild } from "./processes.ts";

/** How long a child may take to say that it is ready, and to exit once it was told to stop. */
const START_MS_MAX = 15_000;
const STOP_MS_MAX = 5_000;
/** A child that dies again at once is not started again at once. */
const RESTART_MS_MIN = 100;
const RESTART_MS_MAX = 5_000;
const STABLE_MS = 10_000;

interface Watched {
  name: "control" | "worker";
  process: ChildProcess | undefined;
  port: number;
  restartMs: number;
  restarts: number;
}

/** The supervisor: starts the processes of the service, starts them again when they die, and drains them. Nothing else. */
class Supervisor {
  readonly #config: Config;
  readonly #log: Logger;
  readonly #folder = mkdtempSync(join(tmpdir(), "trunkline-"));
  readonly #worker: Watched;
  readonly #control: Watched;
  #stopping = false;

  constructor(config: Config, log: Logger) {
    this.#config = config;
    this.#log = log;
    this.#worker = {
      name: "worker",
      process: undefined,
      port: config.mediaPort,
      restartMs: RESTART_MS_MIN,
      restarts: 0,
    };
    this.#control = {
      name: "control",
      process: undefined,
      port: config.apiPort,
      restartMs: RESTART_MS_MIN,
      restarts: 0,
    };
  }

  /** Resolves when the service takes calls. */
  async start(): Promise<ServiceReady> {
    const { mediaHost, mediaPort } = this.#config;
    await assertFree("MEDIA_PORT", mediaHost, mediaPort);
    // The worker first: only it knows the port that calls are sent to when any free one may be taken.
    await this.#startChild(this.#worker);
    await this.#startChild(this.#control);
    return {
      kind: "ready",
      apiUrl: `http://${this.#config.apiHost}:${this.#control.port}`,
      mediaUrl: this.#mediaUrl(),
    };
  }

  /** Lets live calls end, within DRAIN_MS, and then everything. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#log.info("drain began");
    tell(this.#control, { kind: "drain" });
    tell(this.#worker, { kind: "drain" });
    await exited(this.#worker, this.#config.drainMs + STOP_MS_MAX);
    tell(this.#control, { kind: "stop" });
    await exited(this.#control, STOP_MS_MAX);
    rmSync(this.#folder, { recursive: true, force: true });
    this.#log.info("service stopped");
  }

  /** Ends everything without waiting; what was journaled is recovered at the next start. */
  kill(): void {
    this.#stopping = true;
    for (const watched of [this.#worker, this.#control]) watched.process?.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #mediaUrl(): string {
    const { publicMediaUrl, mediaTls, mediaHost } = this.#config;
    return publicMediaUrl ?? `${mediaTls ? "wss" : "ws"}://${hostInUrl(mediaHost)}:${this.#worker.port}`;
  }

  #startChild(watched: Watched): Promise<void> {
    const { path, execArgv } = childModule(import.meta.url, watched.name);
    const socketPath = join(this.#folder, "control.sock");
    const options: ChildArguments = {
      socketPath,
      port: watched.port,
      mediaUrl: this.#mediaUrl(),
      restarts: watched.restarts,
    };
    const child = fork(path, [JSON.stringify(options)], { execArgv });
    watched.process = child;
    const startedMs = systemClock.nowMs();
    return new Promise((resolve, reject) => {
      let ready = false;
      const cancelTimeout = systemClock.after(START_MS_MAX, () => child.kill("SIGKILL"));
      child.once("message", (message: FromChild) => {
        ready = true;
        cancelTimeout();
        watched.port = message.port;
        this.#log.info({ child: watched.name, pid: child.pid, port: message.port }, "process started");
        resolve();
      });
      child.on("error", (error) => {
        this.#log.warn({ child: watched.name, err: error }, "process had an error");
        // Never started: no `exit` will follow.
        if (child.pid !== undefined) return;
        cancelTimeout();
        watched.process = undefined;
        reject(error);
      });
      child.once("exit", (code, signal) => {
        cancelTimeout();
        watched.process = undefined;
        if (!ready) reject(new Error(`the ${watched.name} process could not be started: exit ${code ?? signal}`));
        if (this.#stopping) return;
        this.#log.error({ child: watched.name, exitCode: code, signal }, "process died");
        if (ready) this.#restart(watched, systemClock.nowMs() - startedMs);
      });
    });
  }

  #restart(watched: Watched, livedMs: number): void {
    const delayMs = livedMs > STABLE_MS ? RESTART_MS_MIN : watched.restartMs;
    watched.restartMs = Math.min(RESTART_MS_MAX, delayMs * 2);
    systemClock.after(delayMs, () => {
      if (this.#stopping) return;
      watched.restarts += 1;
      this.#startChild(watched).catch((error: unknown) => {
        this.#log.error({ child: watched.name, err: error }, "process could not be restarted");
        if (!this.#stopping) this.#restart(watched, 0);
      });
    });
  }
}

/** Workers share their port, so the kernel would let two services share it too, and their tokens would go astray. */
function assertFree(variable: string, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) =>
      reject(new Error(`${variable} ${port} on ${host} cannot be used: ${error.message}`)),
    );
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

function tell(watched: Watched, message: ToChild): void {
  if (watched.process?.connected === true) watched.process.send(message);
}

async function exited(watched: Watched, withinMs: number): Promise<void> {
  const child = watched.process;
  if (child === undefined) return;
  await new Promise<void>((resolve) => {
    const cancel = systemClock.after(withinMs, () => child.kill("SIGKILL"));
    child.once("exit", () => {
      cancel();
      resolve();
    });
  });
}

async function main(): Promise<void> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
    return;
  }
  const log = createLogger("supervisor", config.logLevel);
  const supervisor = new Supervisor(config, log);
  let signals = 0;
  const onSignal = (): void => {
    signals += 1;
    if (signals === 1) void supervisor.stop().then(() => process.exit(0));
    else {
      supervisor.kill();
      process.exit(1);
    }
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  process.on("disconnect", onSignal);
  try {
    const ready = await supervisor.start();
    if (signals > 0) return;
    log.info({ apiUrl: ready.apiUrl, mediaUrl: ready.mediaUrl }, "service ready");
    process.send?.(ready);
  } catch (error) {
    // Told to stop meanwhile: whoever said so waits for that, and not for this.
    if (signals > 0) return;
    log.fatal({ err: error }, "service could not be started");
    supervisor.kill();
    process.exit(1);
  }
}

await main();
