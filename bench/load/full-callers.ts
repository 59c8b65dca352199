import { randomBytes } from "node:crypto";
import { placeCall } from "../../src/cli/simulated/place-call.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createReferenceEar } from "../../src/speech/providers/reference-ear.ts";
import type { BenchSpeech } from "./speech.ts";

/** How many of them are on the telephone at a time. */
const CALLERS = 2;
/** A conversation takes about five seconds. */
const HANG_UP_AFTER_MS = 15_000;

/**
 * A few callers with a whole carrier, a microphone and an ear among the lean ones: they prove that the load is real, because
 * they are understood, and understand, word by word. One conversation after the other, until they are stopped.
 */
export class FullCallers {
  readonly #understood: string[] = [];
  readonly #violations: string[] = [];
  readonly #done: Promise<unknown>;
  #stopped = false;

  /** `nextUrl` creates one more call. */
  constructor(nextUrl: () => Promise<string>, speech: BenchSpeech) {
    const talk = async (): Promise<void> => {
      while (!this.#stopped) await this.#converse(await nextUrl(), speech);
    };
    this.#done = Promise.all(Array.from({ length: CALLERS }, talk));
    // Told by `finish`.
    this.#done.catch(() => {});
  }

  /**
   * Lets the conversations that are under way come to their end. Resolves with what the callers understood, one text for each,
   * and with what their carriers had to complain about. Rejects when a call was refused.
   */
  async finish(): Promise<{ understood: string[]; violations: string[] }> {
    this.#stopped = true;
    await this.#done;
    return { understood: this.#understood, violations: this.#violations };
  }

  async #converse(url: string, { fullCaller }: BenchSpeech): Promise<void> {
    const { caller, violations } = await placeCall(
      {
        url,
        line: { wire: "carrier_a" },
        id: randomBytes(16).toString("hex"),
        script: [{ do: "say", utterance: fullCaller }, { do: "await-hang-up" }],
        hangUpAfterMs: HANG_UP_AFTER_MS,
        stt: createReferenceEar(),
        language: "en-US",
        clock: systemClock,
        notice: () => {},
      },
      new AbortController().signal,
    );
    this.#understood.push(caller.heard.map(({ text }) => text).join(" "));
    for (const [violation, count] of violations) this.#violations.push(`${violation} (${count} times)`);
  }
}
