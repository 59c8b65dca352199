import { randomBytes } from "node:crypto";
import { systemClock } from "../../src/core/clock.ts";
import type { SimulatedLine } from "../../src/simulator/lines.ts";
import { placeCall } from "../../src/simulator/place-call.ts";
import { createReferenceStt } from "../../src/speech/reference/stt.ts";
import type { BenchSpeech } from "../rig/speech.ts";

/** A conversation takes about five seconds. */
const HANG_UP_AFTER_MS = 15_000;

/** What was understood by a few callers, one text for each; and what their carriers had to complain about. */
export interface Conversations {
  understood: string[];
  violations: string[];
}

/**
 * A few callers with a whole carrier, a microphone and an STT, while the lean ones are still on: they prove that the load is real,
 * because they are understood, and understand, word by word. `nextUrl` creates one more call over `line`. Rejects when a call was
 * refused.
 */
export async function converse(
  nextUrl: () => Promise<string>,
  line: SimulatedLine,
  { fullCaller }: BenchSpeech,
  talkers: number,
): Promise<Conversations> {
  const talk = async () =>
    placeCall(
      {
        url: await nextUrl(),
        line,
        id: randomBytes(16).toString("hex"),
        script: [{ do: "say", utterance: fullCaller }, { do: "await-hang-up" }],
        hangUpAfterMs: HANG_UP_AFTER_MS,
        stt: createReferenceStt(),
        language: "en-US",
        clock: systemClock,
        onEvent: () => {},
      },
      new AbortController().signal,
    );
  const calls = await Promise.all(Array.from({ length: talkers }, talk));
  return {
    understood: calls.map(({ caller }) => caller.heard.map(({ text }) => text).join(" ")),
    violations: calls.flatMap((call) => [...call.violations].map(([what, count]) => `${what} (${count} times)`)),
  };
}
