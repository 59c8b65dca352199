import { strict as assert } from "node:assert";
import type { Config } from "../../config/config.ts";
import type { ServiceReady } from "../../core/child-processes/service-ready.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs } from "../../core/clocks.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import { NODE_CLOSING_MS } from "../../core/limits/cluster/nodes.ts";
import {
  DRAIN_EXIT_MS_MAX,
  DRAIN_RECORDS_MS,
  HEARTBEAT_MS,
  PROCESS_STABLE_MS,
  PROCESS_START_MS_MAX,
  RESTART_MS_MAX,
  RESTART_MS_MIN,
  SPARE_START_DELAY_MS,
} from "../../core/limits/service/processes.ts";
import { HANDSHAKE_MS_MAX } from "../../core/limits/streams/connections.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { MediaUrls } from "../../core/network/media-urls.ts";
import { nodeTagOf } from "../../core/network/node-tags.ts";
import type { MediaServerChoice } from "../../gateway/server/choice.ts";
import type { WorkerRole } from "../../store/handoff/messages.ts";
import type { ChildKind, FromChild, RetrievalAssignment, SpeechAssignment, ToChild } from "../channel/protocol.ts";
import type { MediaPort } from "./media-port.ts";
import { emptySlot, type ProcessSlot } from "./process-slot.ts";
import { type StartChild, SupervisedProcess } from "./supervised-process.ts";

/** The part of the configuration that the supervisor uses. */
export type SupervisorConfig = Pick<
  Config,
  | "apiHost"
  | "apiPort"
  | "cluster"
  | "mediaHost"
  | "mediaPort"
  | "mediaTls"
  | "publicMediaUrl"
  | "workers"
  | "webrtc"
  | "drainMs"
  | "tokenTtlS"
>;

export interface SupervisorOptions {
  config: SupervisorConfig;
  startChild: StartChild;
  /** The Unix socket over which workers and control process meet. */
  socketPath: string;
  /** Undefined where no local speech model is configured: there is no speech process. */
  speech: SpeechAssignment | undefined;
  retrieval: RetrievalAssignment;
  mediaServer: MediaServerChoice;
  /** No worker of an earlier service on this data directory lives. */
  earlierWorkersAreGone: boolean;
  /** Accept connections for the workers of each role; undefined when workers listen on their port themselves. */
  mediaPorts: Readonly<Record<WorkerRole, MediaPort>> | undefined;
  clock: Clock;
  log: Logger;
  /** Called at every step of a roll. */
  onRoll: (roll: Roll) => void;
  /** The operator asks by a request that the service drains: the callback stops it, as a signal would. */
  onDrainRequested: () => void;
  /** Called before `start` resolves, where the service is new and has a terminal. The link must not be logged. */
  onOwnerLink: (url: string) => void;
}

/** A roll: every worker is replaced, one after the other. */
export interface Roll {
  /** Its number, counted from the start of the service. */
  number: number;
  state: "running" | "done" | "failed";
  /** How many workers are to be replaced. */
  workers: number;
  /** The replaced workers in order, by process ids. The old processes may still carry calls. */
  replaced: readonly { pid: number | undefined; byPid: number | undefined }[];
}

/** Starts the processes of the service, restarts them when they die, replaces them, and drains them. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #control: ProcessSlot;
  /** Those that carry WebRTC calls come last. */
  readonly #workers: readonly ProcessSlot[];
  /** Undefined where no speech process is needed. */
  readonly #speech: ProcessSlot | undefined;
  /** Empty until the control process asks for it. */
  readonly #retrieval = emptySlot("retrieval", 0);
  #isRetrievalNeeded = false;
  /** All live processes, also those that no longer fill a slot, or do not yet. */
  readonly #liveProcesses = new Set<SupervisedProcess>();
  /** Of the processes that have an assignment. */
  readonly #roles = new WeakMap<SupervisedProcess, WorkerRole>();
  /** One process of each kind that has loaded its code. It replaces one that dies without a delay. */
  readonly #spares = new Map<ChildKind, SupervisedProcess>();
  readonly #restarts: Record<ChildKind, number> = { control: 0, worker: 0, speech: 0, retrieval: 0 };
  /**
   * While `closing`, calls that were placed on this node still begin; while `draining`, calls still end and need a control process; while
   * `ending`, nothing is restarted.
   */
  #state: "running" | "closing" | "draining" | "ending" = "running";
  /** Ends `closing`. */
  #onNoCallWaits = (): void => {};
  #isUp = false;
  #rolls = 0;
  #rolling = false;
  #rollRequested = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    const { apiPort, mediaPort, workers, webrtc } = options.config;
    this.#control = emptySlot("control", apiPort);
    this.#workers = [
      ...Array.from({ length: workers }, () => emptySlot("worker", mediaPort)),
      ...Array.from({ length: webrtc?.workers ?? 0 }, () => emptySlot("worker", webrtc?.mediaPort ?? 0, "webrtc")),
    ];
    this.#speech = options.speech === undefined ? undefined : emptySlot("speech", 0);
  }

  /** Resolves when the service accepts calls. Rejects with `unavailable` when one of its processes cannot be started. */
  async start(): Promise<ServiceReady> {
    // One worker of each role starts first: with port 0 it chooses the port that all of them use and that is in
    // `websocketUrl`.
    const [first, ...others] = this.#slotsOf("media");
    assert.ok(first !== undefined, "there is at least one worker");
    const [firstWebrtc, ...otherWebrtc] = this.#slotsOf("webrtc");
    for (const slot of [first, ...(firstWebrtc === undefined ? [] : [firstWebrtc])]) await this.#listenFor(slot);
    const speech = this.#speech && this.#launch(this.#speech);
    await Promise.all([this.#launch(first), firstWebrtc && this.#launchWebrtc(firstWebrtc)]);
    this.#assertRunning();
    for (const slot of others) slot.port = first.port;
    for (const slot of otherWebrtc) slot.port = firstWebrtc?.port ?? 0;
    await Promise.all([
      speech,
      ...[this.#control, ...others].map((slot) => this.#launch(slot)),
      ...otherWebrtc.map((slot) => this.#launchWebrtc(slot)),
    ]);
    this.#assertRunning();
    this.#isUp = true;
    this.#scheduleSpares(SPARE_START_DELAY_MS);
    const { apiHost } = this.#options.config;
    const { media: mediaUrl, webrtc: webrtcUrl } = this.#mediaUrls();
    const apiUrl = `http://${hostInUrl(apiHost)}:${this.#control.port}`;
    return { kind: "ready", apiUrl, mediaUrl, ...(webrtcUrl !== undefined && { webrtcUrl }) };
  }

  #slotsOf(role: WorkerRole): ProcessSlot[] {
    return this.#workers.filter((slot) => slot.role === role);
  }

  /** Where the supervisor accepts connections for the workers of a role, it does from now on. */
  async #listenFor(slot: ProcessSlot): Promise<void> {
    const { mediaPorts, config } = this.#options;
    if (mediaPorts !== undefined) slot.port = await mediaPorts[slot.role].listen(config.mediaHost, slot.port);
  }

  /** A worker for WebRTC that cannot be started is tried again: the service starts without it. */
  async #launchWebrtc(slot: ProcessSlot): Promise<void> {
    try {
      await this.#launch(slot);
    } catch (error) {
      if (!this.#isNeeded(slot)) return;
      const { log } = this.#options;
      log.error(
        { kind: slot.kind, role: slot.role, err: error, code: codeOf(error) },
        "WebRTC worker could not be started",
      );
      this.#scheduleLaunch(slot, slot.restartMs);
    }
  }

  /** Lets live calls end within DRAIN_MS and then ends all processes. Those that hang are killed DRAIN_EXIT_MS_MAX later. */
  async stop(): Promise<void> {
    if (this.#state !== "running") return;
    this.#state = "closing";
    const { clock, log, config } = this.#options;
    const drainedMs = addMs(clock.nowMs(), config.drainMs);
    const endMs = addMs(drainedMs, DRAIN_EXIT_MS_MAX);
    log.info("drain started");
    this.#dropSpares();
    this.#control.process?.send({ kind: "drain", withinMs: config.drainMs });
    if (config.cluster !== undefined) await this.#placedCallsBegun();
    if (this.#state === "closing") this.#state = "draining";
    const withinMs = Math.max(0, elapsedMs(clock.nowMs(), drainedMs));
    const workers = [...this.#liveProcesses].filter(({ kind }) => kind === "worker");
    await Promise.all(
      workers.map((worker) => {
        worker.send({ kind: "drain", withinMs });
        return worker.exitWithin(withinMs + DRAIN_EXIT_MS_MAX - DRAIN_RECORDS_MS);
      }),
    );
    this.#state = "ending";
    await Promise.all(
      [this.#control, this.#speech, this.#retrieval].map((slot) => {
        slot?.process?.send({ kind: "stop" });
        return slot?.process?.exitWithin(Math.min(DRAIN_EXIT_MS_MAX, elapsedMs(clock.nowMs(), endMs)));
      }),
    );
    log.info("service stopped");
  }

  /**
   * Other nodes place calls on this one until they know that it drains, and only its workers can carry them where it has an address of its
   * own. Resolves when the control process says that none waits, at the latest when their tokens have expired.
   */
  #placedCallsBegun(): Promise<void> {
    const { clock, config } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(Math.min(config.drainMs, config.tokenTtlS * 1_000 + NODE_CLOSING_MS), () => resolve());
      this.#onNoCallWaits = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Kills all processes. Calls are recovered from their journals at the next start. */
  kill(): void {
    this.#state = "ending";
    this.#onNoCallWaits();
    for (const process of this.#liveProcesses) process.kill();
  }

  /** Replaces the workers one by one. During a roll it queues one more. */
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
    // Spare processes have loaded their code before the roll: replacements must load the current code.
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
      for (const slot of this.#workers) {
        const replaced = await this.#replace(slot);
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
   * Starts a second worker for a slot. The old one retires when the new one listens and is connected to the control process, so
   * the slot is never empty. Rejects with `unavailable` and changes nothing when the new worker cannot be started.
   */
  async #replace(slot: ProcessSlot): Promise<Roll["replaced"][number]> {
    const { config, log } = this.#options;
    await this.#waitUntilAllUp();
    const next = this.#assigned(slot, this.#newProcess(slot.kind));
    slot.replacement = next;
    try {
      await next.ready;
    } finally {
      slot.replacement = undefined;
      // The old worker has died meanwhile, and its replacement did not become ready.
      if (!next.isUp && slot.process === undefined) this.#scheduleLaunch(slot, RESTART_MS_MIN);
    }
    this.#assertRunning();
    if (!next.isUp) throw unavailable("a worker died as soon as it was up");
    const old = slot.process;
    this.#occupySlot(slot, next);
    log.info({ kind: slot.kind, pid: old?.pid, byPid: next.pid }, "process replaced");
    old?.send({ kind: "retire" });
    void old?.exitWithin(HANDSHAKE_MS_MAX + config.drainMs + DRAIN_EXIT_MS_MAX);
    return { pid: old?.pid, byPid: next.pid };
  }

  /** A worker is replaced only when all processes are up: without a control process its replacement could take no call. */
  async #waitUntilAllUp(): Promise<void> {
    const { clock } = this.#options;
    const untilMs = addMs(clock.nowMs(), PROCESS_START_MS_MAX);
    for (;;) {
      this.#assertRunning();
      if ([this.#control, ...this.#slotsOf("media")].every(({ process }) => process?.isUp === true)) return;
      if (clock.nowMs() >= untilMs) throw unavailable("not all processes of the service are up");
      await new Promise<void>((resolve) => {
        clock.after(HEARTBEAT_MS, resolve);
      });
    }
  }

  /** To be called after each wait: the service may have begun to stop meanwhile. */
  #assertRunning(): void {
    if (this.#state !== "running") throw unavailable("the service is stopping");
  }

  #mediaUrls(): MediaUrls {
    const { publicMediaUrl, mediaTls, mediaHost, webrtc } = this.#options.config;
    const [media, forWebrtc] = [this.#slotsOf("media")[0], this.#slotsOf("webrtc")[0]];
    const here = `${mediaTls ? "wss" : "ws"}://${hostInUrl(mediaHost)}`;
    return {
      media: publicMediaUrl ?? `${here}:${media?.port}`,
      webrtc: forWebrtc && (webrtc?.publicUrl ?? `${here}:${forWebrtc.port}`),
    };
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
      void this.#mediaPortOf(process)?.setAccepting(process, false);
    });
    return process;
  }

  #onMessage(process: SupervisedProcess, message: FromChild): void {
    const mediaPort = this.#mediaPortOf(process);
    if (message.kind === "no-call-waits") this.#onNoCallWaits();
    if (message.kind === "drain-requested") this.#options.onDrainRequested();
    if (message.kind === "owner-link") this.#options.onOwnerLink(message.url);
    if (message.kind === "retrieval-needed") this.#startRetrieval();
    if (message.kind === "connection-taken") mediaPort?.onConnectionTaken(process);
    if (message.kind !== "connections") return;
    const set = mediaPort?.setAccepting(process, message.accepting);
    if (message.accepting) void set?.then(() => process.send({ kind: "connections-started" }));
    else process.send({ kind: "connections-stopped" });
  }

  /** Starts the retrieval process, which runs from then on. */
  #startRetrieval(): void {
    if (this.#isRetrievalNeeded || this.#state !== "running") return;
    this.#isRetrievalNeeded = true;
    const { log } = this.#options;
    this.#launch(this.#retrieval).catch((error: unknown) => {
      if (!this.#isNeeded(this.#retrieval)) return;
      log.error({ kind: "retrieval", err: error, code: codeOf(error) }, "process could not be started");
      this.#scheduleLaunch(this.#retrieval, this.#retrieval.restartMs);
    });
  }

  #assigned(slot: ProcessSlot, process: SupervisedProcess): SupervisedProcess {
    const { socketPath, speech, retrieval, mediaServer } = this.#options;
    const { port, role } = slot;
    const isFirst = !this.#isUp && slot === this.#slotsOf(role)[0];
    const restarts = { ...this.#restarts };
    const mediaUrls = this.#mediaUrls();
    this.#roles.set(process, role);
    const { cluster } = this.#options.config;
    const nodeTag = cluster && nodeTagOf(cluster.name);
    const common = { socketPath, speech, retrieval, port, role, mediaUrls, nodeTag, restarts, mediaServer, isFirst };
    // A later control process has the workers of this service, which may be about to report to it.
    const isFirstControl = slot === this.#control && restarts.control === 0;
    process.assign({ ...common, earlierWorkersAreGone: isFirstControl && this.#options.earlierWorkersAreGone });
    return process;
  }

  /** Undefined where workers listen on their port themselves, and for a process that is none of them. */
  #mediaPortOf(process: SupervisedProcess): MediaPort | undefined {
    return this.#options.mediaPorts?.[this.#roles.get(process) ?? "media"];
  }

  /** Spare processes are loaded some time after a start, so that they take no processor time from processes that serve. */
  #scheduleSpares(delayMs: number): void {
    this.#options.clock.after(delayMs, () => {
      if (this.#state !== "running" || !this.#isUp || this.#rolling) return;
      for (const kind of ["worker", "control"] as const) if (!this.#spares.has(kind)) this.#startSpare(kind);
    });
  }

  #startSpare(kind: ChildKind): void {
    const { log } = this.#options;
    const onFailed = (details: object): void => {
      log.warn({ kind, ...details }, "spare process exited or could not be started");
      this.#scheduleSpares(RESTART_MS_MAX);
    };
    let spare: SupervisedProcess;
    try {
      spare = this.#newProcess(kind);
    } catch (error) {
      onFailed({ err: error, code: codeOf(error) });
      return;
    }
    this.#spares.set(kind, spare);
    void spare.exited.then((exit) => {
      if (this.#spares.get(kind) !== spare) return;
      this.#spares.delete(kind);
      onFailed({ pid: spare.pid, ...exit });
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

  /** Starts a process for an empty slot. Rejects with `unavailable` when it does not become ready. */
  async #launch(slot: ProcessSlot): Promise<void> {
    const process = this.#assigned(slot, this.#takeSpare(slot.kind) ?? this.#newProcess(slot.kind));
    slot.process = process;
    try {
      slot.port = await process.ready;
    } catch (error) {
      slot.process = undefined;
      throw error;
    }
    this.#occupySlot(slot, process);
    // The drain may have begun while it started.
    if (this.#state === "draining" || (this.#state === "closing" && slot.kind === "control"))
      process.send({ kind: "drain", withinMs: this.#options.config.drainMs });
  }

  /** The process is up and fills the slot until it dies or is replaced. */
  #occupySlot(slot: ProcessSlot, process: SupervisedProcess): void {
    const { clock, log } = this.#options;
    const { kind, port, role } = slot;
    const sinceMs = clock.nowMs();
    slot.process = process;
    const ofRole = role === "media" ? {} : { role };
    log.info({ kind, ...ofRole, pid: process.pid, port }, "process started");
    if (this.#isUp) this.#scheduleSpares(SPARE_START_DELAY_MS);
    void process.exited.then((exit) => {
      const fields = { kind, ...ofRole, pid: process.pid, ...exit };
      const isReplaced = slot.process !== process;
      if (!isReplaced) slot.process = undefined;
      if (exit.exitCode === 0 && (isReplaced || !this.#isNeeded(slot))) log.info(fields, "process exited");
      else log.error(fields, "process died");
      if (isReplaced || slot.replacement !== undefined || !this.#isNeeded(slot)) return;
      this.#scheduleLaunch(
        slot,
        elapsedMs(sinceMs, clock.nowMs()) > PROCESS_STABLE_MS ? RESTART_MS_MIN : slot.restartMs,
      );
    });
  }

  /** While draining, live calls need a control process for their records, the speech process and the index; a new worker would get no calls. */
  #isNeeded({ kind }: ProcessSlot): boolean {
    return this.#state === "running" || this.#state === "closing" || (this.#state === "draining" && kind !== "worker");
  }

  #scheduleLaunch(slot: ProcessSlot, delayMs: number): void {
    const { clock, log } = this.#options;
    slot.restartMs = Math.min(RESTART_MS_MAX, delayMs * 2);
    clock.after(delayMs, () => {
      if (!this.#isNeeded(slot) || slot.process !== undefined || slot.replacement !== undefined) return;
      this.#restarts[slot.kind] += 1;
      this.#sendRestarts();
      this.#launch(slot).catch((error: unknown) => {
        if (!this.#isNeeded(slot)) return;
        log.error({ kind: slot.kind, err: error, code: codeOf(error) }, "process could not be restarted");
        this.#scheduleLaunch(slot, slot.restartMs);
      });
    });
  }

  #sendRestarts(): void {
    const message: ToChild = { kind: "restarts", restarts: { ...this.#restarts } };
    this.#control.process?.send(message);
  }
}

const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
