import type { Socket } from "node:net";
import type { ChildEvents } from "../../../src/core/child-processes/child-process.ts";
import type { ChildAssignment, ChildKind, FromChild, ToChild } from "../../../src/process/channel/protocol.ts";
import type { ServiceChild, StartChild } from "../../../src/process/supervisor/supervised-process.ts";

/** A child process of the supervisor that does what a test says, and nothing by itself. */
export class ScriptedChild implements ServiceChild {
  readonly kind: ChildKind;
  /** Undefined until it was given its place. */
  options: ChildAssignment | undefined;
  /** The messages after that, in order. */
  readonly received: ToChild["kind"][] = [];
  /** What it was handed, in order. */
  readonly connections: Socket[] = [];
  /** Called with each message after that. */
  onMessage: (message: ToChild) => void = () => {};
  readonly #events: ChildEvents<FromChild>;
  readonly #onServe: (child: ScriptedChild) => number;
  #isGone = false;
  killed = false;
  #pid = 0;

  /** `onServe`, called when it is given its place, returns its number. */
  constructor(kind: ChildKind, events: ChildEvents<FromChild>, onServe: (child: ScriptedChild) => number) {
    this.kind = kind;
    this.#events = events;
    this.#onServe = onServe;
  }

  /** Counted in the order in which places were given; 0 before that. */
  get pid(): number {
    return this.#pid;
  }

  get lives(): boolean {
    return !this.#isGone;
  }

  send(message: ToChild): void {
    if (message.kind === "assign") {
      this.options = message.options;
      this.#pid = this.#onServe(this);
      return;
    }
    this.received.push(message.kind);
    this.onMessage(message);
  }

  sendConnection(connection: Socket): void {
    this.connections.push(connection);
  }

  kill(): void {
    this.killed = true;
    this.exit(null, "SIGKILL");
  }

  /** It says something to the supervisor. */
  emit(message: FromChild): void {
    this.#events.onMessage(message);
  }

  exit(exitCode: number | null, signal: string | null = null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#events.onExit({ exitCode, signal });
  }
}

/** Starts scripted children; `onStart` is called for each that got its assignment. */
export class ScriptedChildren {
  /** All that were given a place, in order. */
  readonly started: ScriptedChild[] = [];
  /** All others that were started, those too that have died. */
  readonly spares = new Set<ScriptedChild>();
  onStart: (child: ScriptedChild) => void = () => {};

  readonly start: StartChild = (kind, events) => {
    const child = new ScriptedChild(kind, events, () => this.#serve(child));
    this.spares.add(child);
    return child;
  };

  #serve(child: ScriptedChild): number {
    this.spares.delete(child);
    queueMicrotask(() => this.onStart(child));
    return this.started.push(child);
  }

  /** Those of a kind that live and have a place. */
  living(kind: ChildKind): ScriptedChild[] {
    return this.started.filter((child) => child.kind === kind && child.lives);
  }
}
