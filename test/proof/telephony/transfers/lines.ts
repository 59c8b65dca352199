import type { PersonOf } from "../../../../src/simulator/emulator/media-streams.ts";
import type { Leg } from "../../../../src/simulator/emulator/network.ts";
import { isSpeech, silenceOf } from "../speech.ts";

/** A stream that has carried nothing for so long is gone. */
const STREAM_MS_MAX = 500;

/** What a caller hears, by the times at which it was heard. Unix time. */
export class Line {
  #streamAtMs = Number.NEGATIVE_INFINITY;
  #speechAtMs = Number.NEGATIVE_INFINITY;
  /** When speech was heard first. */
  greetedAtMs: number | undefined;
  #emptySinceMs: number | undefined;
  /** The longest time in which the line was connected to nothing, ms. */
  emptyMs = 0;

  streamed(nowMs: number): void {
    this.#streamAtMs = nowMs;
  }

  spoken(nowMs: number): void {
    this.#speechAtMs = nowMs;
    this.greetedAtMs ??= nowMs;
  }

  /** The latest time at which the agent was heard. */
  get speechAtMs(): number {
    return this.#speechAtMs;
  }

  /** To be called all the time. `hasPerson`: the line is connected to a person, or rings one. */
  observe(nowMs: number, hasPerson: boolean): void {
    if (hasPerson || nowMs - this.#streamAtMs <= STREAM_MS_MAX) {
      this.#emptySinceMs = undefined;
      return;
    }
    this.#emptySinceMs ??= nowMs;
    this.emptyMs = Math.max(this.emptyMs, nowMs - this.#emptySinceMs);
  }
}

/** The lines of all legs that have had a stream. The people at their ends are silent. */
export class Lines {
  readonly #lines = new Map<Leg, Line>();

  of(leg: Leg): Line {
    const line = this.#lines.get(leg) ?? new Line();
    this.#lines.set(leg, line);
    return line;
  }

  readonly personOf: PersonOf = (leg, _, codec) => {
    const line = this.of(leg);
    const silence = silenceOf(codec);
    return {
      frame: () => {
        line.streamed(Date.now());
        return silence;
      },
      played: (frame) => {
        if (isSpeech(frame, codec)) line.spoken(Date.now());
      },
    };
  };
}
