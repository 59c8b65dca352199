import { strict as assert } from "node:assert";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import { HANDSHAKE_MS_MAX } from "../../core/limits/connections.ts";
import {
  DRAIN_EXIT_MS_MAX,
  DRAIN_RECORDS_MS,
  HEARTBEAT_MS,
  PROCESS_STABLE_MS,
  PROCESS_START_MS_MAX,
  RESTART_MS_MAX,
  RESTART_MS_MIN,
  SPARE_START_DELAY_MS,
} from "../../core/limits/processes.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ServiceReady } from "../../core/service-ready.ts";
import type { MediaServerChoice } from "../../gateway/server/choice.ts";
import type { ChildKind, FromChild, ToChild } from "../supervisor-protocol.ts";
import type { MediaPort } from "./media-port.ts";
import { type StartChild, SupervisedProcess } from "./supervised-process.ts";

/** What of the configuration concerns the processes. */
export type SupervisorConfig = Pick<
  Config,
  "apiHost" | "apiPort" | "mediaHost" | "mediaPort" | "mediaTls" | "publicMediaUrl" | "workers" | "drainMs"
>;

export interface SupervisorOptions {
  config: SupervisorConfig;
  startChild: StartChild;
  /** The Unix socket over which workers and control process meet. */
  socketPath: string;
  mediaServer: MediaServerChoice;
  /** Where the supervisor accepts for the workers; undefined where they listen on the port themselves. */
  mediaPort: MediaPort | undefined;
  clock: Clock;
  log: Logger;
  /** Told at every step of a roll. */
  onRoll: (roll: Roll) => void;
}

/** A roll: every worker is replaced, one after the other. */
export interface Roll {
  /** Its number, counted from the start of the service. */
  number: number;
  state: "running" | "done" | "failed";
  /** How many are to be replaced. */
  workers: number;
  /** Those that were, in order, by process ids. The old ones may have calls yet. */
  replaced: readonly { pid: number | undefined; byPid: number | undefined }[];
}

/** A place that a process takes, and another one when that has died or is replaced. */
interface ProcessSlot {
  readonly kind: ChildKind;
  /** As configured at first, then the one that was taken. */
  port: number;
  /** Undefined between a death and the next start. */
  process: SupervisedProcess | undefined;
  /** Started by a roll, to take the place when it is up. */
  replacement: SupervisedProcess | undefined;
  /** How long the next restart waits. */
  restartMs: number;
}

const emptySlot = (kind: ChildKind, port: number): ProcessSlot => ({
  kind,
  port,
  process: undefined,
  replacement: undefined,
  restartMs: RESTART_MS_MIN,
});

/** Starts the processes of the service, starts them again when they die, replaces them, and drains them. Nothing else. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #control: ProcessSlot;
  readonly #workers: readonly ProcessSlot[];
  /** Every process that lives, those too that a place has no more, or not yet. */
  readonly #liveProcesses = new Set<SupervisedProcess>();
  /** One of each kind that has loaded its code and waits for a place: who dies is replaced by it at once. */
  readonly #spares = new Map<ChildKind, SupervisedProcess>();
  readonly #restarts: Record<ChildKind, number> = { control: 0, worker: 0 };
  /** In `draining` calls still end, and need a control process; in `ending` nothing is started again. */
  #state: "running" | "draining" | "ending" = "running";
  #isUp = false;
  #rolls = 0;
  #rolling = false;
  #rollRequested = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { apiPort, mediaPort, workers } = options.config;
    this.#control = emptySlot("control", apiPort);
    this.#workers = Array.from({ length: workers }, () => emptySlot("worker", mediaPort));
  }

  /** Resolves when the service takes calls. Rejects with `unavailable` when one of its processes cannot be started. */
  async start(): Promise<ServiceReady> {
    // One worker first: only it knows the port that calls are sent to when any free one may be taken.
    const [first, ...others] = this.#workers;
    assert.ok(first !== undefined, "there is at least one worker");
    const { mediaPort, config } = this.#options;
    if (mediaPort !== undefined) first.port = await mediaPort.listen(config.mediaHost, config.mediaPort);
    await this.#launch(first);
    this.#assertRunning();
    for (const place of others) place.port = first.port;
    await Promise.all([this.#control, ...others].map((place) => this.#launch(place)));
    this.#assertRunning();
    this.#isUp = true;
    this.#scheduleSpares(SPARE_START_DELAY_MS);
    const { apiHost } = config;
    return { kind: "ready", apiUrl: `http://${hostInUrl(apiHost)}:${this.#control.port}`, mediaUrl: this.#mediaUrl() };
  }

  /** Lets live calls end, within DRAIN_MS, and then everything; whatever hangs is killed within DRAIN_EXIT_MS_MAX more. */
  async stop(): Promise<void> {
    if (this.#state !== "running") return;
    this.#state = "draining";
    const { clock, log, config } = this.#options;
    const endMs = clock.nowMs() + config.drainMs + DRAIN_EXIT_MS_MAX;
    log.info("drain started");
    this.#dropSpares();
    this.#control.process?.send({ kind: "drain" });
    const workers = [...this.#liveProcesses].filter(({ kind }) => kind === "worker");
    await Promise.all(
      workers.map((worker) => {
        worker.send({ kind: "drain" });
        return worker.exitWithin(config.drainMs + DRAIN_EXIT_MS_MAX - DRAIN_RECORDS_MS);
      }),
    );
    this.#state = "ending";
    const control = this.#control.process;
    control?.send({ kind: "stop" });
    await control?.exitWithin(Math.min(DRAIN_EXIT_MS_MAX, endMs - clock.nowMs()));
    log.info("service stopped");
  }

  /** Ends everything without waiting; what was journaled is recovered at the next start. */
  kill(): void {
    this.#state = "ending";
    for (const process of this.#liveProcesses) process.kill();
  }

  /** Replaces the workers one by one; once more, if one roll is going on already, when that is over. */
  roll(): void {
    const { log } = this.#options;
    if (this.#state !== "running" || !this.#isUp) {
      log.warn("worker roll refused: the service is starting or stopping");
      return;
    }
    this.#rollRequested = true;
    if (this.#rolling) log.info("worker roll queued");
    else void this.#rollWhileRequested();
  }

  async #rollWhileRequested(): Promise<void> {
    this.#rolling = true;
    // What takes the places from now on is to have read its code from now on.
    this.#dropSpares();
    while (this.#rollRequested && this.#state === "running") {
      this.#rollRequested = false;
      await this.#rollOnce();
    }
    this.#rolling = false;
    this.#scheduleSpares(SPARE_START_DELAY_MS);
  }

  async #rollOnce(): Promise<void> {
    const { log, onRoll } = this.#options;
    this.#rolls += 1;
    let roll: Roll = { number: this.#rolls, state: "running", workers: this.#workers.length, replaced: [] };
    log.info({ roll: roll.number }, "worker roll started");
    onRoll(roll);
    try {
      for (const place of this.#workers) {
        const replaced = await this.#replace(place);
        roll = { ...roll, replaced: [...roll.replaced, replaced] };
        onRoll(roll);
      }
      roll = { ...roll, state: "done" };
      log.info({ roll: roll.number }, "worker roll finished");
    } catch (error) {
      roll = { ...roll, state: "failed" };
      log.error({ roll: roll.number, err: error, code: codeOf(error) }, "worker roll aborted");
    }
    onRoll(roll);
  }

  /**
   * Starts another worker in the place of one, which retires when the other listens and has the control process: at no moment
   * is there none. Rejects with `unavailable`, and leaves everything as it was, when that cannot be.
   */
  async #replace(place: ProcessSlot): Promise<Roll["replaced"][number]> {
    const { config, log } = this.#options;
    await this.#waitUntilAllUp();
    const next = this.#assigned(place, this.#newProcess(place.kind));
    place.replacement = next;
    try {
      await next.ready;
    } finally {
      place.replacement = undefined;
      // It died meanwhile, and the one that was to replace it did not get ready.
      if (!next.isUp && place.process === undefined) this.#scheduleLaunch(place, RESTART_MS_MIN);
    }
    this.#assertRunning();
    if (!next.isUp) throw unavailable("a worker died as soon as it was up");
    const old = place.process;
    this.#occupySlot(place, next);
    log.info({ child: place.kind, pid: old?.pid, byPid: next.pid }, "process replaced");
    old?.send({ kind: "retire" });
    void old?.exitWithin(HANDSHAKE_MS_MAX + config.drainMs + DRAIN_EXIT_MS_MAX);
    return { pid: old?.pid, byPid: next.pid };
  }

  /** A worker is only replaced when all others are there, and a control process: its replacement could take no call. */
  async #waitUntilAllUp(): Promise<void> {
    const { clock } = this.#options;
    const untilMs = clock.nowMs() + PROCESS_START_MS_MAX;
    for (;;) {
      this.#assertRunning();
      if ([this.#control, ...this.#workers].every(({ process }) => process?.isUp === true)) return;
      if (clock.nowMs() >= untilMs) throw unavailable("not all processes of the service are up");
      await new Promise<void>((resolve) => {
        clock.after(HEARTBEAT_MS, resolve);
      });
    }
  }

  /** Whoever has waited may find that the service is to end. */
  #assertRunning(): void {
    if (this.#state !== "running") throw unavailable("the service ends");
  }

  #mediaUrl(): string {
    const { publicMediaUrl, mediaTls, mediaHost } = this.#options.config;
    return publicMediaUrl ?? `${mediaTls ? "wss" : "ws"}://${hostInUrl(mediaHost)}:${this.#workers[0]?.port}`;
  }

  /** Throws what `startChild` throws. */
  #newProcess(kind: ChildKind): SupervisedProcess {
    const process = new SupervisedProcess(kind, {
      ...this.#options,
      onMessage: (message) => this.#onMessage(process, message),
    });
    this.#liveProcesses.add(process);
    void process.exited.then(() => {
      this.#liveProcesses.delete(process);
      this.#options.mediaPort?.setAccepting(process, false);
    });
    return process;
  }

  #onMessage(process: SupervisedProcess, message: FromChild): void {
    const { mediaPort } = this.#options;
    if (message.kind === "connection-taken") mediaPort?.onConnectionTaken(process);
    if (message.kind !== "connections") return;
    mediaPort?.setAccepting(process, message.accepting);
    if (!message.accepting) process.send({ kind: "connections-stopped" });
  }

  #assigned(place: ProcessSlot, process: SupervisedProcess): SupervisedProcess {
    const { socketPath, mediaServer } = this.#options;
    const isFirst = !this.#isUp && place === this.#workers[0];
    const restarts = { ...this.#restarts };
    process.assign({ socketPath, port: place.port, mediaUrl: this.#mediaUrl(), restarts, mediaServer, isFirst });
    return process;
  }

  /** Behind whatever has just been started: what waits for nothing takes no time from what serves. */
  #scheduleSpares(delayMs: number): void {
    this.#options.clock.after(delayMs, () => {
      if (this.#state !== "running" || !this.#isUp || this.#rolling) return;
      for (const kind of ["worker", "control"] as const) if (!this.#spares.has(kind)) this.#startSpare(kind);
    });
  }

  #startSpare(kind: ChildKind): void {
    const { log } = this.#options;
    const failed = (told: object): void => {
      log.warn({ child: kind, ...told }, "spare process exited or could not be started");
      this.#scheduleSpares(RESTART_MS_MAX);
    };
    let spare: SupervisedProcess;
    try {
      spare = this.#newProcess(kind);
    } catch (error) {
      failed({ err: error, code: codeOf(error) });
      return;
    }
    this.#spares.set(kind, spare);
    void spare.exited.then((exit) => {
      if (this.#spares.get(kind) !== spare) return;
      this.#spares.delete(kind);
      failed({ pid: spare.pid, ...exit });
    });
  }

  #takeSpare(kind: ChildKind): SupervisedProcess | undefined {
    const spare = this.#spares.get(kind);
    this.#spares.delete(kind);
    return spare;
  }

  #dropSpares(): void {
    for (const kind of [...this.#spares.keys()]) this.#takeSpare(kind)?.kill();
  }

  /** Starts a process in a place that has none. Rejects with `unavailable` when it does not get ready. */
  async #launch(place: ProcessSlot): Promise<void> {
    const process = this.#assigned(place, this.#takeSpare(place.kind) ?? this.#newProcess(place.kind));
    place.process = process;
    try {
      place.port = await process.ready;
    } catch (error) {
      place.process = undefined;
      throw error;
    }
    this.#occupySlot(place, process);
    // It may have come too late to be told of the drain.
    if (this.#state === "draining") process.send({ kind: "drain" });
  }

  /** The place is this process's, which is up, until it dies or is replaced. */
  #occupySlot(place: ProcessSlot, process: SupervisedProcess): void {
    const { clock, log } = this.#options;
    const { kind, port } = place;
    const sinceMs = clock.nowMs();
    place.process = process;
    log.info({ child: kind, pid: process.pid, port }, "process started");
    if (this.#isUp) this.#scheduleSpares(SPARE_START_DELAY_MS);
    void process.exited.then((exit) => {
      const told = { child: kind, pid: process.pid, ...exit };
      const isReplaced = place.process !== process;
      if (!isReplaced) place.process = undefined;
      if (exit.exitCode === 0 && (isReplaced || !this.#isNeeded(place))) log.info(told, "process exited");
      else log.error(told, "process died");
      if (isReplaced || place.replacement !== undefined || !this.#isNeeded(place)) return;
      this.#scheduleLaunch(place, clock.nowMs() - sinceMs > PROCESS_STABLE_MS ? RESTART_MS_MIN : place.restartMs);
    });
  }

  /** While calls still end they need a control process, for their records; a new worker would find none to carry. */
  #isNeeded({ kind }: ProcessSlot): boolean {
    return this.#state === "running" || (this.#state === "draining" && kind === "control");
  }

  #scheduleLaunch(place: ProcessSlot, delayMs: number): void {
    const { clock, log } = this.#options;
    place.restartMs = Math.min(RESTART_MS_MAX, delayMs * 2);
    clock.after(delayMs, () => {
      if (!this.#isNeeded(place) || place.process !== undefined || place.replacement !== undefined) return;
      this.#restarts[place.kind] += 1;
      this.#sendRestarts();
      this.#launch(place).catch((error: unknown) => {
        if (!this.#isNeeded(place)) return;
        log.error({ child: place.kind, err: error, code: codeOf(error) }, "process could not be restarted");
        this.#scheduleLaunch(place, place.restartMs);
      });
    });
  }

  #sendRestarts(): void {
    const message: ToChild = { kind: "restarts", restarts: { ...this.#restarts } };
    this.#control.process?.send(message);
  }
}

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
