import { rmSync } from "node:fs";
import { codeOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { SupervisorFile } from "./state-file.ts";
import type { Supervisor } from "./supervisor.ts";

export interface ServiceSignalsOptions {
  supervisor: Pick<Supervisor, "stop" | "kill" | "roll">;
  exit: (code: number) => void;
}

/** The source of the signals: the process. `disconnect` comes when the parent that forked it has died. */
export interface SignalSource {
  on(event: "SIGTERM" | "SIGINT" | "SIGHUP" | "SIGUSR2" | "disconnect", listener: () => void): unknown;
}

/**
 * The first signal to end lets the calls end, the second one kills all processes. SIGUSR2 and a request let them end too, and are no
 * signal to end: one that follows, as of a service manager, kills nothing. SIGHUP replaces the workers one by one.
 */
export class ServiceSignals {
  readonly #options: ServiceSignalsOptions;
  #isStopping = false;
  #wasSignalled = false;

  constructor(options: ServiceSignalsOptions) {
    this.#options = options;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  listen(source: SignalSource): void {
    const onSignal = (): void => this.#onSignal();
    source.on("SIGTERM", onSignal);
    source.on("SIGINT", onSignal);
    source.on("disconnect", onSignal);
    source.on("SIGUSR2", () => this.drain());
    source.on("SIGHUP", () => this.#options.supervisor.roll());
  }

  #onSignal(): void {
    const { supervisor, exit } = this.#options;
    if (this.#wasSignalled) {
      supervisor.kill();
      exit(1);
      return;
    }
    this.#wasSignalled = true;
    this.drain();
  }

  /** Lets the calls end, and exits; asking again does no harm. */
  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { supervisor, exit } = this.#options;
    void supervisor.stop().then(() => exit(0));
  }
}

export interface ServiceFilesOptions {
  socketPaths: readonly string[];
  stateFile: Pick<SupervisorFile, "remove">;
  log: Logger;
}

/** The files that the supervisor removes when it exits. */
export class ServiceFiles {
  readonly #options: ServiceFilesOptions;
  #ownsStateFile = false;

  constructor(options: ServiceFilesOptions) {
    this.#options = options;
  }

  /** The service is up. Until then the state file may be that of another service in the same data directory. */
  ownStateFile(): void {
    this.#ownsStateFile = true;
  }

  remove(): void {
    const { socketPaths, stateFile, log } = this.#options;
    try {
      for (const path of socketPaths) rmSync(path, { force: true });
      if (this.#ownsStateFile) stateFile.remove();
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "service file could not be removed");
    }
  }
}
