import { addMs, type MonotonicMs } from "../../../src/core/clocks.ts";
import type { TimedWord } from "../../../src/speech/contracts.ts";
import type { ManualClock } from "../../support/manual-clock.ts";
import type { Fault } from "../plan/kinds.ts";
import type { SimulatedStt } from "../providers/stt.ts";

/** Over the air and back, without the connection's own delays. */
export const ECHO_MS = [40, 150] as const;

/** With these the service cannot know when a word is played, or what follows it. */
export const UNTIMED: readonly Fault[] = [
  "jitter",
  "network-stall",
  "loop-stall",
  "lost-media",
  "duplicate-media",
  "reordered-media",
  "lost-mark",
  "late-mark",
  "duplicate-mark",
  "silence-suppressed",
  "dead-microphone",
  "words-without-speech",
  "stuck-socket",
  "audio-flood",
];

export interface LineEchoOptions {
  world: ManualClock;
  stt: SimulatedStt;
  delayMs: number;
  /** The caller has made no sound of late: over it, the STT would not understand the echo. */
  isQuiet: () => boolean;
}

/** What the telephone's loudspeaker plays comes back by its microphone, word by word, and the STT understands it. */
export class LineEcho {
  readonly #options: LineEchoOptions;
  #sounds: { fromMs: MonotonicMs; untilMs: MonotonicMs }[] = [];

  constructor(options: LineEchoOptions) {
    this.#options = options;
  }

  /** The telephone begins to play this word. */
  playing({ text, startMs, endMs }: TimedWord): void {
    const { world, stt, delayMs, isQuiet } = this.#options;
    if (!isQuiet()) return;
    const fromMs = addMs(world.nowMs(), delayMs);
    this.#sounds.push({ fromMs, untilMs: addMs(fromMs, endMs - startMs) });
    world.after(delayMs + endMs - startMs, () => {
      if (isQuiet()) stt.hearEcho(text);
    });
  }

  /** Whether the microphone carries some of it now. */
  isSounding(): boolean {
    const nowMs = this.#options.world.nowMs();
    this.#sounds = this.#sounds.filter(({ untilMs }) => untilMs > nowMs);
    return this.#sounds.some(({ fromMs }) => fromMs <= nowMs);
  }
}
