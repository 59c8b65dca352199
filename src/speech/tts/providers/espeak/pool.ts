import { type ChildModule, childModule } from "../../../../core/child-processes/child-module.ts";
import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../../core/errors.ts";
import type { TimedWord, TtsChunk } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import { EspeakChild } from "./child.ts";
import type { ProgramFrame, ProgramVoice, SynthesisRequest } from "./protocol.ts";

export interface EspeakPoolOptions {
  /** How many requests run concurrently. Each child takes some 100 MB and is a hundred times faster than real time. */
  children: number;
  clock: Clock;
  /** The program of the children; tests set another. */
  program?: ChildModule;
  /** Called for each child that failed and will be replaced, or that cannot load eSpeak. */
  onProcessFailure?: (reason: string) => void;
}

const PROVIDER = "espeak";
/** A cold start takes a few hundred ms; a loaded machine is slower. */
const START_MS_MAX = 30_000;
/** A frame of audio takes a few ms. */
const ANSWER_MS_MAX = 5_000;
/** Time until the restart of a child that failed to start. */
const RESTART_MS = 1_000;
/** The failure if the optional package is missing. */
const NOT_INSTALLED = "eSpeak is not installed: it is the optional package @echogarden/espeak-ng-emscripten";

/** One pending request; the child adds chunks and `speak` takes them. */
interface Job {
  readonly request: SynthesisRequest;
  readonly chunks: EventQueue<TtsChunk>;
  words: TimedWord[];
}

interface Slot {
  child: EspeakChild | undefined;
  state: "starting" | "idle" | "busy";
  job: Job | undefined;
}

/** A few eSpeak processes that share a queue of requests. One that hangs or dies fails its request and is replaced. */
export class EspeakPool {
  readonly #clock: Clock;
  readonly #program: ChildModule;
  readonly #onProcessFailure: (reason: string) => void;
  readonly #slots: Slot[];
  readonly #queue: Job[] = [];
  #voices: readonly ProgramVoice[] | undefined;
  #voiceRequests: { resolve(voices: readonly ProgramVoice[]): void; reject(error: TrunklineError): void }[] = [];
  /** Why all requests fail; undefined while the pool works. */
  #closedError: TrunklineError | undefined;
  readonly #restarts = new Set<() => void>();

  constructor({ children, clock, program, onProcessFailure }: EspeakPoolOptions) {
    this.#clock = clock;
    this.#program = program ?? childModule(import.meta.url, "./program");
    this.#onProcessFailure = onProcessFailure ?? (() => {});
    this.#slots = Array.from({ length: children }, () => ({ child: undefined, state: "starting", job: undefined }));
    for (const slot of this.#slots) this.#start(slot);
  }

  /** The program's voices, once a child has started. Rejects with `provider_failed` if none can be started. */
  voices(): Promise<readonly ProgramVoice[]> {
    if (this.#closedError !== undefined) return Promise.reject(this.#closedError);
    if (this.#voices !== undefined) return Promise.resolve(this.#voices);
    return new Promise((resolve, reject) => this.#voiceRequests.push({ resolve, reject }));
  }

  /** Synthesizes the request when a child is free. Unread chunks stay in memory: a segment is about a sentence. */
  async *speak(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    if (signal.aborted) return;
    if (this.#closedError !== undefined) throw this.#closedError;
    const job: Job = { request, chunks: new EventQueue(signal), words: [] };
    const abandon = (): void => this.#abandon(job);
    signal.addEventListener("abort", abandon, { once: true });
    this.#queue.push(job);
    this.#dispatch();
    try {
      for (let chunk = await job.chunks.next(); chunk !== undefined; chunk = await job.chunks.next()) yield chunk;
    } finally {
      signal.removeEventListener("abort", abandon);
      job.chunks.end();
      this.#abandon(job);
    }
  }

  /** Ends the children; pending requests fail. */
  close(): void {
    this.#end(providerFailed(PROVIDER, "closed"));
  }

  #start(slot: Slot): void {
    slot.state = "starting";
    const limits = { startMsMax: START_MS_MAX, answerMsMax: ANSWER_MS_MAX };
    slot.child = new EspeakChild(this.#program, this.#clock, limits, {
      onFrame: (frame) => this.#take(slot, frame),
      onExit: (reason) => this.#replace(slot, reason),
    });
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (slot.state !== "idle") continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      slot.state = "busy";
      slot.job = job;
      slot.child?.send(job.request);
    }
  }

  #take(slot: Slot, frame: ProgramFrame): void {
    const { job } = slot;
    switch (frame.kind) {
      case "ready":
        this.#voices = frame.voices;
        for (const wanted of this.#voiceRequests.splice(0)) wanted.resolve(frame.voices);
        this.#free(slot);
        return;
      case "unusable":
        // In the other case the child exits next and is restarted.
        if (frame.missing) this.#end(providerFailed(PROVIDER, NOT_INSTALLED));
        else this.#onProcessFailure(`cannot load eSpeak: ${frame.reason}`);
        return;
      case "words":
        job?.words.push(...frame.words);
        return;
      case "audio":
        job?.chunks.push({ samples: frame.samples, rateHz: frame.rateHz, words: job.words.splice(0) });
        return;
      case "end":
        if (frame.failed === undefined) job?.chunks.end();
        else job?.chunks.fail(providerFailed(PROVIDER, frame.failed));
        this.#free(slot);
        return;
    }
  }

  #free(slot: Slot): void {
    slot.job = undefined;
    slot.state = "idle";
    this.#dispatch();
  }

  #abandon(job: Job): void {
    const waiting = this.#queue.indexOf(job);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    for (const slot of this.#slots) {
      if (slot.job !== job) continue;
      // The slot stays busy until the child has stopped the request.
      slot.job = undefined;
      slot.child?.stop();
    }
  }

  #replace(slot: Slot, reason: string): void {
    const error = providerFailed(PROVIDER, `the eSpeak process ${reason}`);
    slot.job?.chunks.fail(error);
    slot.job = undefined;
    slot.child = undefined;
    this.#onProcessFailure(reason);
    if (slot.state !== "starting") {
      this.#start(slot);
      return;
    }
    // An immediate restart would fail again. If no child can start, pending requests fail instead of waiting.
    if (this.#slots.every(({ state }) => state === "starting")) this.#failWaiting(error);
    const cancel = this.#clock.after(RESTART_MS, () => {
      this.#restarts.delete(cancel);
      this.#start(slot);
    });
    this.#restarts.add(cancel);
  }

  #end(error: TrunklineError): void {
    this.#closedError ??= error;
    for (const cancel of this.#restarts) cancel();
    this.#restarts.clear();
    for (const slot of this.#slots) {
      slot.child?.kill();
      slot.child = undefined;
      slot.job?.chunks.fail(error);
      slot.job = undefined;
    }
    this.#failWaiting(error);
  }

  #failWaiting(error: TrunklineError): void {
    for (const job of this.#queue.splice(0)) job.chunks.fail(error);
    for (const wanted of this.#voiceRequests.splice(0)) wanted.reject(error);
  }
}
