import type { Tts, TtsChunk } from "./speech.ts";

/** A voice that is asked once more when it failed before any audio of a piece came: its program may just have been replaced. */
export function withRetry(tts: Tts): Tts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    async *speak(request, signal): AsyncGenerator<TtsChunk> {
      let spoken = false;
      try {
        for await (const chunk of tts.speak(request, signal)) {
          spoken = true;
          yield chunk;
        }
      } catch (error) {
        if (spoken || signal.aborted) throw error;
        yield* tts.speak(request, signal);
      }
    },
  };
}
