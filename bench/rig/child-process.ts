import { type ChildProcess, fork } from "node:child_process";
import { childModule } from "../../src/core/child-processes/child-module.ts";
import { pin } from "./cpu-cores.ts";

// The bench's processes ask each other over Node's own channel: one question, one answer.

/** What a process answers: the name of each question, what is asked with it and what comes back. */
export type Questions = Record<string, { ask: unknown; answer: unknown }>;

export type Answers<Q extends Questions> = {
  readonly [K in keyof Q]: (question: Q[K]["ask"]) => Q[K]["answer"] | Promise<Q[K]["answer"]>;
};

interface Question {
  id: number;
  kind: string;
  question: unknown;
}

type Answer = { id: number; answer: unknown } | { id: number; error: string };

/** A child's side: answers what its parent asks, and ends when the parent is gone. */
export function serve<Q extends Questions>(answers: Answers<Q>): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", ({ id, kind, question }: Question) => {
    const reply = (answer: Answer): void => void process.send?.(answer);
    Promise.resolve()
      .then(() => answers[kind]?.(question))
      .then(
        (answer) => reply({ id, answer }),
        (error: unknown) =>
          reply({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      );
  });
  process.send?.("ready");
}

export interface ChildOptions {
  /** The only core it runs on. */
  core?: number | undefined;
  args?: readonly string[];
  /** A command that runs the program in its arguments. */
  through?: readonly string[];
}

/** A process of the bench, seen from the one that started it. */
export class Child<Q extends Questions> {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #pending = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  #nextId = 1;

  private constructor(name: string, process: ChildProcess) {
    this.#name = name;
    this.#process = process;
    process.on("message", (message: Answer | "ready") => {
      if (message !== "ready") this.#onAnswer(message);
    });
    process.once("exit", (code, signal) => this.#onExit(code ?? signal));
  }

  /** Starts the module `path`, relative to the module `parentUrl`; resolves when it takes questions. */
  static async start<Q extends Questions>(
    parentUrl: string,
    path: string,
    { core, args = [], through = [] }: ChildOptions = {},
  ): Promise<Child<Q>> {
    const { path: file, execArgv } = childModule(parentUrl, path);
    const [execPath, ...options] = [...through, process.execPath, ...execArgv];
    // "advanced": typed arrays travel as they are.
    const child = new Child<Q>(path, fork(file, args, { execPath, execArgv: options, serialization: "advanced" }));
    await new Promise<void>((resolve, reject) => {
      child.#process.once("message", () => resolve());
      child.#process.once("exit", () => reject(new Error(`${path} could not be started`)));
    });
    if (core !== undefined && child.#process.pid !== undefined) pin(child.#process.pid, core);
    return child;
  }

  /** Rejects with what the child threw, or when it ends before it has answered. */
  ask<K extends keyof Q & string>(kind: K, question: Q[K]["ask"]): Promise<Q[K]["answer"]> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#process.send({ id, kind, question } satisfies Question, (error) => {
        if (error !== null) reject(error);
      });
    });
  }

  /** Lets go of it: it tidies up and ends. */
  stop(): void {
    if (this.#process.connected) this.#process.disconnect();
  }

  #onAnswer(message: Answer): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if ("error" in message) pending?.reject(new Error(`${this.#name}: ${message.error}`));
    else pending?.resolve(message.answer);
  }

  #onExit(how: number | string | null): void {
    for (const { reject } of this.#pending.values()) reject(new Error(`${this.#name} ended with ${how}`));
    this.#pending.clear();
  }
}
