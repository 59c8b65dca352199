import { type ChildModule, childModule } from "../../../../core/child-module.ts";
import type { Clock } from "../../../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../../../core/errors.ts";
import type { TimedWord, TtsChunk } from "../../../contracts.ts";
import { EspeakChild } from "./child.ts";
import type { ProgramFrame, ProgramVoice, SynthesisRequest } from "./protocol.ts";

export interface EspeakPoolOptions {
  /** How many requests are spoken at the same time; each child takes some 100 MB and speaks a hundred times faster than life. */
  children: number;
  clock: Clock;
  /** The program; ours unless a test brings another. */
  program?: ChildModule;
  /** Told of each child that is lost and will be replaced, or that cannot load eSpeak. */
  onProcessFailure?: (why: string) => void;
}

const PROVIDER = "espeak";
/** A cold start takes a few hundred ms; a loaded machine is slower. */
const START_MS_MAX = 30_000;
/** A frame of audio takes some ms. */
const ANSWER_MS_MAX = 5_000;
/** A child that did not even start is tried again after this. */
const RESTART_MS = 1_000;
/** What a child that starts may find wrong, when the optional package is not there. */
const NOT_INSTALLED = "the voice is not installed: it is the optional package @echogarden/espeak-ng-emscripten";

/** One request on its way; the child fills it and `speak` empties it. */
interface Job {
  readonly request: SynthesisRequest;
  readonly chunks: TtsChunk[];
  words: TimedWord[];
  outcome: "open" | "done" | TrunklineError;
  /** Called when there is something new. */
  wake: () => void;
}

interface Slot {
  child: EspeakChild | undefined;
  state: "starting" | "idle" | "busy";
  job: Job | undefined;
}

/** A few voice programs that take requests in turn. One that hangs or dies costs the request it was at, and is replaced. */
export class EspeakPool {
  readonly #clock: Clock;
  readonly #program: ChildModule;
  readonly #onProcessFailure: (why: string) => void;
  readonly #slots: Slot[];
  readonly #queue: Job[] = [];
  #voices: readonly ProgramVoice[] | undefined;
  #voiceRequests: { resolve(voices: readonly ProgramVoice[]): void; reject(error: TrunklineError): void }[] = [];
  /** Why nothing can be spoken any more. */
  #closedError: TrunklineError | undefined;
  readonly #restarts = new Set<() => void>();

  constructor({ children, clock, program, onProcessFailure }: EspeakPoolOptions) {
    this.#clock = clock;
    this.#program = program ?? childModule(import.meta.url, "./program");
    this.#onProcessFailure = onProcessFailure ?? (() => {});
    this.#slots = Array.from({ length: children }, () => ({ child: undefined, state: "starting", job: undefined }));
    for (const place of this.#slots) this.#start(place);
  }

  /** What the program offers, once one has started. Rejects with `provider_failed` when none can be. */
  voices(): Promise<readonly ProgramVoice[]> {
    if (this.#closedError !== undefined) return Promise.reject(this.#closedError);
    if (this.#voices !== undefined) return Promise.resolve(this.#voices);
    return new Promise((resolve, reject) => this.#voiceRequests.push({ resolve, reject }));
  }

  /** Speaks when its turn comes. What nobody pulls waits in memory: a reply is spoken in pieces of a sentence or so. */
  async *speak(request: SynthesisRequest, signal: AbortSignal): AsyncGenerator<TtsChunk> {
    if (signal.aborted) return;
    if (this.#closedError !== undefined) throw this.#closedError;
    const job: Job = { request, chunks: [], words: [], outcome: "open", wake: () => {} };
    const abandon = (): void => {
      this.#abandon(job);
      job.wake();
    };
    signal.addEventListener("abort", abandon, { once: true });
    this.#queue.push(job);
    this.#dispatch();
    try {
      for (;;) {
        if (signal.aborted) return;
        const chunk = job.chunks.shift();
        if (chunk !== undefined) yield chunk;
        else if (job.outcome === "done") return;
        else if (job.outcome !== "open") throw job.outcome;
        else await new Promise<void>((resolve) => (job.wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", abandon);
      this.#abandon(job);
    }
  }

  /** Ends the programs; what is being spoken fails. */
  close(): void {
    this.#end(providerFailed(PROVIDER, "closed"));
  }

  #start(place: Slot): void {
    place.state = "starting";
    const limits = { startMsMax: START_MS_MAX, answerMsMax: ANSWER_MS_MAX };
    place.child = new EspeakChild(this.#program, this.#clock, limits, {
      onFrame: (frame) => this.#take(place, frame),
      onExit: (why) => this.#replace(place, why),
    });
  }

  #dispatch(): void {
    for (const place of this.#slots) {
      if (place.state !== "idle") continue;
      const job = this.#queue.shift();
      if (job === undefined) return;
      place.state = "busy";
      place.job = job;
      place.child?.send(job.request);
    }
  }

  #take(place: Slot, frame: ProgramFrame): void {
    const { job } = place;
    switch (frame.kind) {
      case "ready":
        this.#voices = frame.voices;
        for (const wanted of this.#voiceRequests.splice(0)) wanted.resolve(frame.voices);
        this.#free(place);
        return;
      case "unusable":
        // Otherwise the program's end, which follows, has it started again.
        if (frame.missing) this.#end(providerFailed(PROVIDER, NOT_INSTALLED));
        else this.#onProcessFailure(`cannot load eSpeak: ${frame.reason}`);
        return;
      case "words":
        job?.words.push(...frame.words);
        return;
      case "audio":
        job?.chunks.push({ samples: frame.samples, rateHz: frame.rateHz, words: job.words.splice(0) });
        job?.wake();
        return;
      case "end":
        if (job !== undefined)
          settle(job, frame.failed === undefined ? "done" : providerFailed(PROVIDER, frame.failed));
        this.#free(place);
        return;
    }
  }

  #free(place: Slot): void {
    place.job = undefined;
    place.state = "idle";
    this.#dispatch();
  }

  #abandon(job: Job): void {
    const waiting = this.#queue.indexOf(job);
    if (waiting >= 0) this.#queue.splice(waiting, 1);
    for (const place of this.#slots) {
      if (place.job !== job) continue;
      // The place stays busy until the program has seen that it is to stop.
      place.job = undefined;
      place.child?.stop();
    }
  }

  #replace(place: Slot, why: string): void {
    const error = providerFailed(PROVIDER, `the voice program ${why}`);
    if (place.job !== undefined) settle(place.job, error);
    place.job = undefined;
    place.child = undefined;
    this.#onProcessFailure(why);
    if (place.state !== "starting") {
      this.#start(place);
      return;
    }
    // It would fail the same way again at once. Who waits is not kept waiting for what may never come.
    if (this.#slots.every(({ state }) => state === "starting")) this.#failWaiting(error);
    const cancel = this.#clock.after(RESTART_MS, () => {
      this.#restarts.delete(cancel);
      this.#start(place);
    });
    this.#restarts.add(cancel);
  }

  #end(error: TrunklineError): void {
    this.#closedError ??= error;
    for (const cancel of this.#restarts) cancel();
    this.#restarts.clear();
    for (const place of this.#slots) {
      place.child?.kill();
      place.child = undefined;
      if (place.job !== undefined) settle(place.job, error);
      place.job = undefined;
    }
    this.#failWaiting(error);
  }

  #failWaiting(error: TrunklineError): void {
    for (const job of this.#queue.splice(0)) settle(job, error);
    for (const wanted of this.#voiceRequests.splice(0)) wanted.reject(error);
  }
}

function settle(job: Job, outcome: Job["outcome"]): void {
  job.outcome = outcome;
  job.wake();
}
