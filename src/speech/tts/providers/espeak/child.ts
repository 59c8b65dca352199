import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { ChildModule } from "../../../../core/child-processes/child-module.ts";
import type { Clock } from "../../../../core/clock.ts";
import { encodeRequest, FrameReader, GO, type ProgramFrame, STOP, type SynthesisRequest } from "./protocol.ts";

/** Callbacks of a child process. None is called after `onExit`. */
interface ChildListener {
  onFrame(frame: ProgramFrame): void;
  /** It has ended, or was killed because it did not respond. `reason` contains no text of a request. */
  onExit(reason: string): void;
}

interface ChildLimits {
  /** Time from its start to its first frame. */
  startMsMax: number;
  /** Time between two frames during a request. */
  answerMsMax: number;
}

/**
 * One eSpeak child process. A frame must come within a time limit after its start, and during each request until its
 * `end`. Otherwise the process hangs and is killed.
 */
export class EspeakChild {
  readonly #process: ChildProcess;
  readonly #input: Writable;
  readonly #reader = new FrameReader();
  readonly #clock: Clock;
  readonly #limits: ChildLimits;
  readonly #listener: ChildListener;
  #cancelTimeout: () => void;
  #hasExited = false;
  #isStopped = false;

  constructor(program: ChildModule, clock: Clock, limits: ChildLimits, listener: ChildListener) {
    this.#clock = clock;
    this.#limits = limits;
    this.#listener = listener;
    // The program gets no environment: it needs none, and ours contains API keys.
    this.#process = spawn(process.execPath, [...program.execArgv, program.path], {
      stdio: ["pipe", "ignore", "ignore", "pipe"],
      env: {},
    });
    this.#input = this.#process.stdin as Writable;
    const output = this.#process.stdio[3] as Readable;
    this.#input.on("error", () => {}); // The process has ended; `close` reports that.
    output.on("data", (bytes: Buffer) => this.#read(bytes));
    this.#process.on("error", (error) => this.#onExit(`cannot be started: ${error.message}`));
    this.#process.on("close", (code, signal) => this.#onExit(`ended with ${signal ?? `code ${code}`}`));
    this.#cancelTimeout = this.#startTimeout(limits.startMsMax);
  }

  /** Sends the next request; the previous one must have ended. */
  send(request: SynthesisRequest): void {
    this.#isStopped = false;
    this.#restartTimeout();
    this.#input.write(encodeRequest(request));
  }

  /** Cancels the current request; its `end` comes as soon as the program sees this. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Ends the program at once. No callback is called after that. */
  kill(): void {
    this.#hasExited = true;
    this.#cancelTimeout();
    this.#process.kill("SIGKILL");
  }

  #read(bytes: Buffer): void {
    let frames: ProgramFrame[];
    try {
      frames = [...this.#reader.push(bytes)];
    } catch {
      this.#onExit("sent an invalid frame");
      this.#process.kill("SIGKILL");
      return;
    }
    for (const frame of frames) {
      if (this.#hasExited) return;
      if (frame.kind === "audio") this.#input.write(Uint8Array.of(this.#isStopped ? STOP : GO));
      if (frame.kind === "ready" || frame.kind === "end") this.#cancelTimeout();
      else this.#restartTimeout();
      this.#listener.onFrame(frame);
    }
  }

  #restartTimeout(): void {
    this.#cancelTimeout();
    this.#cancelTimeout = this.#startTimeout(this.#limits.answerMsMax);
  }

  #startTimeout(limitMs: number): () => void {
    return this.#clock.after(limitMs, () => {
      this.#onExit(`did not respond for ${limitMs} ms`);
      this.#process.kill("SIGKILL");
    });
  }

  #onExit(reason: string): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.#cancelTimeout();
    this.#listener.onExit(reason);
  }
}
