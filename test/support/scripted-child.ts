import type { ChildArguments, ChildKind, FromChild, ToChild } from "../../src/processes.ts";
import type { Child, ChildEvents, StartChild } from "../../src/watched-process.ts";

/** A child process of the supervisor that does what a test says, and nothing by itself. */
export class ScriptedChild implements Child {
  readonly pid: number;
  readonly kind: ChildKind;
  readonly options: ChildArguments;
  /** What it was told, in order. */
  readonly heard: ToChild["kind"][] = [];
  readonly #events: ChildEvents;
  #isGone = false;
  killed = false;

  constructor(pid: number, kind: ChildKind, options: ChildArguments, events: ChildEvents) {
    this.pid = pid;
    this.kind = kind;
    this.options = options;
    this.#events = events;
  }

  get lives(): boolean {
    return !this.#isGone;
  }

  tell(message: ToChild): void {
    this.heard.push(message.kind);
  }

  kill(): void {
    this.killed = true;
    this.exit(null, "SIGKILL");
  }

  /** It says something to the supervisor. */
  says(message: FromChild): void {
    this.#events.told(message);
  }

  exit(exitCode: number | null, signal: string | null = null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#events.gone({ exitCode, signal });
  }
}

/** Starts scripted children; `onStart` is told of each as soon as the supervisor has it. */
export class ScriptedChildren {
  /** All that were started, in order. */
  readonly started: ScriptedChild[] = [];
  onStart: (child: ScriptedChild) => void = () => {};

  readonly start: StartChild = (kind, options, events) => {
    const child = new ScriptedChild(this.started.length + 1, kind, options, events);
    this.started.push(child);
    queueMicrotask(() => this.onStart(child));
    return child;
  };

  /** Those of a kind that live. */
  living(kind: ChildKind): ScriptedChild[] {
    return this.started.filter((child) => child.kind === kind && child.lives);
  }
}
