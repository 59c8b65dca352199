import { Socket } from "node:net";
import { encodeMessage, readMessages } from "../../../core/child-processes/socket-messages.ts";
import type { Clock } from "../../../core/clock.ts";
import {
  LOCAL_SPEECH_TRIES_MAX,
  SPEECH_PROCESS_GONE_MS_MAX,
  SPEECH_PROCESS_MESSAGE_BYTES_MAX,
  SPEECH_PROCESS_RECONNECT_MS,
} from "../../../core/limits/speech-providers/local-speech.ts";
import type { Deadline, JobOutcome, LocalSpeech, PendingJob, SpeechTask, Urgency } from "../jobs.ts";
import type { FromSpeechProcess, ToSpeechProcess } from "./messages.ts";

export interface SpeechClientOptions {
  /** Starts to connect a socket to the speech process. */
  connect: (socket: Socket) => void;
  clock: Clock;
}

interface Job {
  readonly task: SpeechTask;
  urgency: Urgency;
  deadline: Deadline | undefined;
  /** How many connections broke while it was pending. */
  losses: number;
  cancelDeadline: () => void;
  readonly resolve: (outcome: JobOutcome) => void;
}

const GONE = "the speech process does not run";

/**
 * The speech models of another process of this service. The connection is opened again whenever it breaks: the jobs that were pending
 * are sent to the next speech process, except interims.
 */
export class SpeechClient implements LocalSpeech {
  readonly #options: SpeechClientOptions;
  readonly #jobs = new Map<number, Job>();
  #ids = 0;
  #socket: Socket | undefined;
  #isGone = false;
  #isClosed = false;
  #cancelReconnect = (): void => {};
  #cancelGone = (): void => {};

  constructor(options: SpeechClientOptions) {
    this.#options = options;
    this.#startGoneTimer();
    this.#connect();
  }

  submit(task: SpeechTask, urgency: Urgency, deadline?: Deadline): PendingJob {
    let resolve = (_outcome: JobOutcome): void => {};
    const outcome = new Promise<JobOutcome>((settle) => {
      resolve = settle;
    });
    this.#ids += 1;
    const id = this.#ids;
    if (this.#isClosed || this.#isGone) resolve({ outcome: "failed", reason: this.#isGone ? GONE : "closed" });
    else if (urgency === "interim" && this.#socket === undefined) resolve({ outcome: "dropped" });
    else {
      this.#jobs.set(id, { task, urgency, deadline: undefined, losses: 0, cancelDeadline: () => {}, resolve });
      this.#setDeadline(id, deadline);
      this.#send({ kind: "submit", id, task, urgency, deadline });
    }
    return { outcome, raise: (by) => this.#raise(id, by), cancel: () => this.#cancel(id) };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelReconnect();
    this.#cancelGone();
    this.#socket?.destroy();
    this.#failAll("closed");
  }

  /** The speech process keeps the deadline as well; here it holds while there is none. */
  #setDeadline(id: number, deadline: Deadline | undefined): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    job.deadline = deadline;
    job.cancelDeadline();
    if (deadline?.pastDeadline !== "fail") return;
    job.cancelDeadline = this.#options.clock.after(deadline.delayMs, () => {
      this.#send({ kind: "cancel", id });
      this.#settle(id, { outcome: "timed_out" });
    });
  }

  #raise(id: number, deadline: Deadline): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    job.urgency = "final";
    this.#setDeadline(id, deadline);
    this.#send({ kind: "raise", id, deadline });
  }

  #cancel(id: number): void {
    this.#send({ kind: "cancel", id });
    this.#settle(id, { outcome: "dropped" });
  }

  #settle(id: number, outcome: JobOutcome): void {
    const job = this.#jobs.get(id);
    if (job === undefined) return;
    this.#jobs.delete(id);
    job.cancelDeadline();
    job.resolve(outcome);
  }

  #send(message: ToSpeechProcess): void {
    this.#socket?.write(encodeMessage(message));
  }

  #connect(): void {
    const socket = new Socket();
    socket.on("error", () => {});
    socket.on("connect", () => this.#onConnected(socket));
    readMessages(socket, SPEECH_PROCESS_MESSAGE_BYTES_MAX, (received) => {
      const message = received as FromSpeechProcess;
      if (message.kind === "ended") this.#settle(message.id, message.outcome);
    });
    socket.on("close", () => this.#onDisconnected(socket));
    try {
      this.#options.connect(socket);
    } catch {
      socket.destroy();
    }
  }

  #onConnected(socket: Socket): void {
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#socket = socket;
    this.#isGone = false;
    this.#cancelGone();
    for (const [id, { task, urgency, deadline }] of this.#jobs) {
      this.#send({ kind: "submit", id, task, urgency, deadline });
    }
  }

  #onDisconnected(socket: Socket): void {
    if (this.#isClosed) return;
    if (this.#socket === socket) {
      this.#socket = undefined;
      this.#startGoneTimer();
      for (const [id, job] of this.#jobs) this.#onLost(id, job);
    }
    this.#cancelReconnect = this.#options.clock.after(SPEECH_PROCESS_RECONNECT_MS, () => this.#connect());
  }

  #onLost(id: number, job: Job): void {
    job.losses += 1;
    if (job.urgency === "interim") this.#settle(id, { outcome: "dropped" });
    else if (job.losses >= LOCAL_SPEECH_TRIES_MAX) {
      this.#settle(id, { outcome: "failed", reason: "the speech process ended twice" });
    }
  }

  #startGoneTimer(): void {
    this.#cancelGone = this.#options.clock.after(SPEECH_PROCESS_GONE_MS_MAX, () => {
      this.#isGone = true;
      this.#failAll(GONE);
    });
  }

  #failAll(reason: string): void {
    for (const id of [...this.#jobs.keys()]) this.#settle(id, { outcome: "failed", reason });
  }
}
