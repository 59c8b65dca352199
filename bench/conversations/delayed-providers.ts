import { setTimeout as delay } from "node:timers/promises";
import { DEFAULT_TURN_PARAMETERS } from "../../src/call/parameters.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import type { Llm, Stt, SttEvent, Tts } from "../../src/speech/contracts.ts";
import { EventQueue } from "../../src/speech/event-queue.ts";

// Providers with exact delays: the rest of a turn's latency is the service's own.

/** The transcript, whatever was said. It ends no sentence and does not trail off: the plain endpoint counts. */
export const TRANSCRIPT = "tell me something about the bakery";

/** An STT that emits `UNDERSTOOD` this long after the last voiced frame that it received; the next voiced frame starts the delay again. */
export function delayedStt(delayMs: number, voiceActivity: VoiceActivityDetection): Stt {
  return {
    provider: "delayed",
    capabilities: { ratesHz: [CARRIER_RATE_HZ], interimTranscripts: true },
    open(_options, signal) {
      const vad = voiceActivity.open(CARRIER_RATE_HZ);
      const events = new EventQueue<SttEvent>(signal);
      let timer: NodeJS.Timeout | undefined;
      let seenMs = 0;
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        vad.destroy();
      });
      return {
        write(frame) {
          seenMs += FRAME_MS;
          // As the service, it believes no detector that has not settled.
          if (!vad.isSpeech(frame) || seenMs <= DEFAULT_TURN_PARAMETERS.settleMs) return;
          clearTimeout(timer);
          timer = setTimeout(() => events.push({ kind: "final", text: TRANSCRIPT }), delayMs);
        },
        events,
      };
    },
  };
}

/** An LLM that gives the same reply each time. */
export function delayedLlm(delayMs: number, answer: string): Llm {
  return {
    provider: "delayed",
    async *reply(_request, signal) {
      await delay(delayMs, undefined, { signal });
      yield { kind: "text", text: answer };
      yield { kind: "end", inputTokens: 0, outputTokens: 0 };
    },
  };
}

/** `voice`, which begins to speak later. */
export const delayedTts = (delayMs: number, voice: Tts): Tts => ({
  ...voice,
  async *speak(request, signal) {
    await delay(delayMs, undefined, { signal });
    yield* voice.speak(request, signal);
  },
});
