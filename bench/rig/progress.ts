import { setTimeout as delay } from "node:timers/promises";
import type { GeneratorSample } from "../generator/protocol.ts";

/** Of one wait: short ones have a line a second. */
const LINES_MAX = 60;

/** Tells every now and then what goes on. */
export class Progress {
  readonly #write: (line: string) => void;
  #title = "";

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  /** What the next lines are about. */
  begin(title: string): void {
    this.#title = title;
  }

  print(what: string): void {
    this.#write(this.#title === "" ? what : `${this.#title}  ${what}`);
  }

  /** Waits for so many seconds, with a line for each `everyS`. */
  async during(
    what: string,
    seconds: number,
    sample: () => Promise<GeneratorSample>,
    everyS = Math.ceil(seconds / LINES_MAX),
  ): Promise<void> {
    let before = await sample();
    for (let passed = 0; passed < seconds; ) {
      const step = Math.min(everyS, seconds - passed);
      await delay(step * 1_000);
      passed += step;
      const now = await sample();
      const perSecond = (after: number, earlier: number): string =>
        Math.round(((after - earlier) * 1_000) / (now.atMs - before.atMs)).toLocaleString("en");
      const sent = perSecond(now.sentFrames, before.sentFrames);
      const received = perSecond(now.receivedFrames, before.receivedFrames);
      this.print(`${what} ${passed} of ${seconds} s, frames/s: ${sent} in, ${received} out`);
      before = now;
    }
  }
}
