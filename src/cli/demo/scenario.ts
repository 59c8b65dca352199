import type { Clock } from "../../core/clock.ts";
import { SCENARIO } from "../../simulator/callers/scenario.ts";
import { synthesise, type Utterance } from "../../simulator/callers/utterance.ts";
import { voiceOf } from "../../simulator/service/api-calls.ts";
import { createReferenceTts } from "../../speech/reference/tts.ts";
import type { Script } from "./comparison.ts";

/** A call of the demo: who calls, what is said, and what must come of it. */
export interface Scenario extends Script {
  systemPrompt: string;
  greeting: string;
  /** The number of words of a reply that the caller listens to before interrupting it. */
  interruptAfterWords: number;
  /** The STT of the service, as in the variable. */
  stt: string;
  /** The lines as audio for a telephone, in order. Rejects where they can be neither synthesised nor read. */
  speak(clock: Clock, signal: AbortSignal): Promise<Utterance[]>;
  /** The script takes less; a caller who is still there after this time hangs up. */
  hangUpAfterMs: number;
}

/** Other than the agent's, so that the two voices are easy to distinguish. */
const CALLER_LANGUAGE = "en-US";

/** The demo without options: a simulated person calls a bakery. */
export const BAKERY: Scenario = {
  ...SCENARIO,
  endReason: "agent_hangup",
  stoppedMsMax: 2_000,
  stt: "reference",
  hangUpAfterMs: 34_000,
  speak: async (clock, signal) => {
    const tts = createReferenceTts({ children: 1, clock });
    try {
      const voiceId = voiceOf(await tts.voices(), CALLER_LANGUAGE);
      const utterances: Utterance[] = [];
      for (const { text } of SCENARIO.lines) {
        utterances.push(await synthesise(tts, { text, voiceId, language: CALLER_LANGUAGE }, signal));
      }
      return utterances;
    } finally {
      tts.close();
    }
  },
};
