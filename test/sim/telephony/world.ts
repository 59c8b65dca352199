import { type EpochMs, epochMs } from "../../../src/core/clocks.ts";
import { type Random, seededRandom } from "../../../src/core/seeded-random.ts";

interface Task {
  atMs: number;
  order: number;
  run: () => void;
}

/** What may go wrong in one world, each as a probability. */
export interface Faults {
  /** The service dies between two of its steps. */
  crash: number;
  requestLost: number;
  answerLost: number;
  /** The carrier carries out a request and answers 500. */
  answer500: number;
  busy: number;
  webhookLost: number;
  webhookTwice: number;
  slotRefused: number;
  jobTwice: number;
  informLost: number;
  /** A stream cannot be connected. */
  streamFails: number;
}

const NONE: Faults = {
  crash: 0,
  requestLost: 0,
  answerLost: 0,
  answer500: 0,
  busy: 0,
  webhookLost: 0,
  webhookTwice: 0,
  slotRefused: 0,
  jobTwice: 0,
  informLost: 0,
  streamFails: 0,
};

/** Virtual time, chance, and what was seen. Everything follows from the seed. */
export class World {
  readonly seed: number;
  readonly random: Random;
  readonly faults: Faults;
  readonly story: string[] = [];
  readonly violations: { invariant: string; detail: string }[] = [];
  /** The carrier takes instructions as answers to its webhooks. */
  readonly takesDocuments: boolean;
  /** It rings the target of a transfer only when the stream has ended. */
  readonly waitsForStreamEnd: boolean;
  /** At that end it goes on with its document, and not with the transfer that waits. */
  readonly dropsTransfers: boolean;
  /** The carrier's lists say which of our calls each is. */
  readonly listsCallIds: boolean;
  readonly direction: "inbound" | "outbound";
  readonly #tasks: Task[] = [];
  #nowMs = 1_800_000_000_000;
  #order = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.random = seededRandom(seed * 7_919 + 13);
    this.takesDocuments = this.chance(0.6);
    this.waitsForStreamEnd = this.takesDocuments && this.chance(0.4);
    this.dropsTransfers = this.waitsForStreamEnd && this.chance(0.3);
    this.listsCallIds = this.chance(0.5);
    this.direction = this.chance(0.25) ? "inbound" : "outbound";
    this.faults = this.#drawFaults();
  }

  /** Some worlds have no faults but the order of things, some only bad webhooks; the others have several, of which some are frequent. */
  #drawFaults(): Faults {
    if (this.chance(0.2)) return NONE;
    if (this.chance(0.15)) return { ...NONE, webhookLost: this.random() * 0.7, webhookTwice: this.random() };
    const of = (max: number): number => (this.chance(0.5) ? 0 : this.random() * max);
    return {
      crash: of(0.12),
      requestLost: of(0.3),
      answerLost: of(0.4),
      answer500: of(0.3),
      busy: of(0.5),
      webhookLost: of(0.3),
      webhookTwice: of(0.6),
      slotRefused: this.chance(0.05) ? 1 : of(0.6),
      jobTwice: of(0.3),
      informLost: of(0.2),
      streamFails: of(0.4),
    };
  }

  get nowMs(): EpochMs {
    return epochMs(this.#nowMs);
  }

  /** Since the start of this world, s. */
  get seconds(): number {
    return (this.#nowMs - 1_800_000_000_000) / 1_000;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  between(from: number, to: number): number {
    return from + this.random() * (to - from);
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[Math.floor(this.random() * from.length)] ?? from[0];
  }

  after(delayMs: number, run: () => void): void {
    this.#order += 1;
    this.#tasks.push({ atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order, run });
  }

  note(line: string): void {
    this.story.push(`${this.seconds.toFixed(3).padStart(10)}  ${line}`);
  }

  violated(invariant: string, detail: string): void {
    this.note(`VIOLATED ${invariant}: ${detail}`);
    this.violations.push({ invariant, detail });
  }

  /** Runs until nothing is left to do, or until this many seconds have passed; returns whether nothing is left. */
  run(untilS: number): boolean {
    for (;;) {
      let first: Task | undefined;
      for (const task of this.#tasks) {
        if (first === undefined || task.atMs < first.atMs || (task.atMs === first.atMs && task.order < first.order)) {
          first = task;
        }
      }
      if (first === undefined) return true;
      this.#tasks.splice(this.#tasks.indexOf(first), 1);
      this.#nowMs = Math.max(this.#nowMs, first.atMs);
      if (this.seconds > untilS) return false;
      first.run();
    }
  }
}
