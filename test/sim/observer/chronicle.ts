import type { Happening, Invariant } from "../plan/kinds.ts";

/** An invariant that did not hold: when it was seen, in ms of call time, and how. */
export interface Violation {
  invariant: Invariant;
  atMs: number;
  detail: string;
}

type Frames = "in" | "voiced" | "out" | "played";

/** What is known of one call: what came about, what was violated and, where somebody wants to read it, the whole story. */
export class Chronicle {
  readonly violations: Violation[] = [];
  readonly happened = new Set<Happening>();
  readonly lines: string[] = [];
  readonly #readable: boolean;
  readonly #nowMs: () => number;
  /** Frames since the last line, which are printed together. */
  readonly #frames: Record<Frames, number> = { in: 0, voiced: 0, out: 0, played: 0 };

  /** `nowMs` is the time of the call. Only a readable chronicle keeps its lines. */
  constructor(readable: boolean, nowMs: () => number) {
    this.#readable = readable;
    this.#nowMs = nowMs;
  }

  /** Something that was drawn came about. */
  note(what: Happening): void {
    this.happened.add(what);
    this.tell("chance", () => what);
  }

  /** One of each kind is enough to know by. */
  violated(invariant: Invariant, detail: string): void {
    this.tell("WRONG", () => `${invariant}: ${detail}`);
    if (this.violations.some((other) => other.invariant === invariant)) return;
    this.violations.push({ invariant, atMs: this.#nowMs(), detail });
  }

  /** A line of the story, and whose it is. */
  tell(who: string, what: () => string): void {
    if (!this.#readable) return;
    this.#tellFrames();
    this.#line(who, what());
  }

  /** A frame came in, went out, or started to play at the caller. */
  frame(kind: Frames): void {
    this.#frames[kind] += 1;
  }

  #tellFrames(): void {
    const counts = Object.entries(this.#frames).filter(([, count]) => count > 0);
    if (counts.length === 0) return;
    this.#line("frames", counts.map(([kind, count]) => `${count} ${kind}`).join(", "));
    for (const kind of ["in", "voiced", "out", "played"] as const) this.#frames[kind] = 0;
  }

  #line(who: string, text: string): void {
    this.lines.push(`${(this.#nowMs() / 1_000).toFixed(3).padStart(9)} s  ${who.padEnd(7)}  ${text}`);
  }
}
