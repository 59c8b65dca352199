import type { Child, ChildEvents, ChildExit } from "../../core/child-processes/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, TrunklineError, unavailable } from "../../core/errors.ts";
import { HEARTBEAT_MS } from "../../core/limits/service/processes.ts";
import {
  TRANSCRIBER_IDLE_MS_MAX,
  TRANSCRIBER_STALL_MS_MAX,
  TRANSCRIPTIONS_CONCURRENT_MAX,
} from "../../core/limits/transcriptions/transcriptions.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { PartsStore, Transcriber, TranscriptionTask } from "../../transcription/transcriber.ts";
import { deserializeError } from "../renderer/messages.ts";
import type { FromTranscriber, ToTranscriber } from "./messages.ts";

/** Starts a transcriber process. */
export type StartTranscriber = (events: ChildEvents<FromTranscriber>) => Child<ToTranscriber>;

export interface TranscriberClientOptions {
  start: StartTranscriber;
  clock: Clock;
  log: Logger;
  /** A transcriber has died. */
  onDied: () => void;
}

interface Running {
  /** The number of the attempt. */
  id: number;
  task: TranscriptionTask;
  store: PartsStore;
  resolve: (result: TranscriptionResult) => void;
  reject: (error: Error) => void;
}

const MISSED_HEARTBEATS_MAX = TRANSCRIBER_STALL_MS_MAX / HEARTBEAT_MS;

/**
 * Has files transcribed by a transcriber process. It is started when there is a file, and ended when there was none for a while. When it
 * dies, what it had in progress fails with `transcriber_died`; what was stored by then is not requested again.
 */
export class TranscriberClient implements Transcriber {
  readonly #options: TranscriberClientOptions;
  readonly #waiting: Running[] = [];
  readonly #inProgress = new Map<number, Running>();
  #ids = 0;
  #child: Child<ToTranscriber> | undefined;
  #isReady = false;
  /** It had nothing to do and was killed: what comes now is the next one's. */
  #isEnding = false;
  #isClosed = false;
  #missedHeartbeats = 0;
  #cancelTimer = (): void => {};

  constructor(options: TranscriberClientOptions) {
    this.#options = options;
  }

  /** How many files are in progress, and how many wait for them. */
  get load(): { inProgress: number; waiting: number } {
    return { inProgress: this.#inProgress.size, waiting: this.#waiting.length };
  }

  transcribe(task: TranscriptionTask, store: PartsStore, signal: AbortSignal): Promise<TranscriptionResult> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(unavailable("the service stops"));
        return;
      }
      this.#ids += 1;
      const running: Running = { id: this.#ids, task, store, resolve, reject };
      this.#waiting.push(running);
      signal.addEventListener("abort", () => this.#stop(running, signal.reason), { once: true });
      this.#next();
    });
  }

  /** Ends the process; what is in progress is rejected with `unavailable`. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#child?.kill();
    this.#rejectAll(unavailable("the service stops"));
    for (const { reject } of this.#waiting.splice(0)) reject(unavailable("the service stops"));
  }

  #stop(running: Running, reason: Error): void {
    const index = this.#waiting.indexOf(running);
    if (index >= 0) this.#waiting.splice(index, 1);
    else if (this.#inProgress.get(running.id) === running) this.#child?.send({ kind: "stop", id: running.id });
    this.#inProgress.delete(running.id);
    running.reject(reason);
    this.#next();
  }

  #next(): void {
    if (this.#waiting.length > 0 && this.#child === undefined && !this.#isClosed) this.#start();
    while (this.#isReady && !this.#isEnding && this.#inProgress.size < TRANSCRIPTIONS_CONCURRENT_MAX) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#inProgress.set(next.id, next);
      this.#child?.send({ kind: "transcribe", id: next.id, task: next.task });
    }
    if (this.#isReady) this.#watch();
  }

  #start(): void {
    const { start, log } = this.#options;
    this.#missedHeartbeats = 0;
    try {
      this.#child = start({ onMessage: (message) => this.#onMessage(message), onExit: (exit) => this.#onExit(exit) });
      this.#watch();
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "transcriber could not be started");
      this.#onExit({ exitCode: null, signal: null });
    }
  }

  /** Counts missed heartbeats rather than time, so that a stall of this process kills no transcriber. */
  #watch(idleMs = 0): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(HEARTBEAT_MS, () => {
      this.#missedHeartbeats += 1;
      const isIdle = this.#inProgress.size === 0 && this.#waiting.length === 0;
      const idleNowMs = isIdle ? idleMs + HEARTBEAT_MS : 0;
      this.#isEnding ||= idleNowMs > TRANSCRIBER_IDLE_MS_MAX;
      if (this.#isEnding || this.#missedHeartbeats > MISSED_HEARTBEATS_MAX) this.#child?.kill();
      this.#watch(idleNowMs);
    });
  }

  #onMessage(message: FromTranscriber): void {
    this.#missedHeartbeats = 0;
    if (message.kind === "heartbeat") return;
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#options.log.info({ pid: this.#child?.pid }, "transcriber started");
      this.#next();
      return;
    }
    const running = this.#inProgress.get(message.id);
    if (running === undefined) return;
    if (message.kind === "progress") running.store.progress(message.doneMs, message.durationMs);
    else if (message.kind === "requesting" || message.kind === "transcribed") void this.#persist(running, message);
    else {
      this.#inProgress.delete(message.id);
      if (message.kind === "completed") running.resolve(message.result);
      else running.reject(deserializeError(message.failure));
      this.#next();
    }
  }

  async #persist(
    running: Running,
    message: Extract<FromTranscriber, { kind: "requesting" | "transcribed" }>,
  ): Promise<void> {
    const { id, number, part } = message;
    const { store } = running;
    try {
      const isOver = message.kind === "requesting" && !(await store.requesting(part, message.provider));
      if (message.kind === "transcribed") await store.transcribed(part, message.outcome);
      this.#child?.send({ kind: "stored", id, number, isOver });
    } catch (error) {
      // What is not stored is not believed: the attempt ends.
      if (this.#inProgress.get(id) === running) this.#stop(running, error as Error);
    }
  }

  #onExit(exit: ChildExit): void {
    const { log, onDied } = this.#options;
    const pid = this.#child?.pid;
    this.#cancelTimer();
    this.#child = undefined;
    const wasReady = this.#isReady;
    const isEnding = this.#isEnding;
    this.#isReady = false;
    this.#isEnding = false;
    if (this.#isClosed) return;
    if (isEnding) {
      log.info({ pid }, "transcriber ended: there was nothing to transcribe");
      this.#next();
      return;
    }
    log.error({ pid, ...exit, inProgress: this.#inProgress.size }, "transcriber died");
    onDied();
    const died = new TrunklineError("transcriber_died", "bug", "the transcriber died while it transcribed this file");
    this.#rejectAll(died);
    // One that cannot start must not be started again and again: the jobs come back later.
    if (!wasReady) for (const { reject } of this.#waiting.splice(0)) reject(died);
    this.#next();
  }

  #rejectAll(error: Error): void {
    for (const { reject } of this.#inProgress.values()) reject(error);
    this.#inProgress.clear();
  }
}
