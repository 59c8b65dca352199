import type { ClosableTts, TtsChunk } from "./speech.ts";
import { spokenParts, spokenTextOf, WrittenWords } from "./spoken-text.ts";

/** The same voice, which is given what is to be said for a text instead of what was written, and tells its words as they were written. */
export function withSpokenText(tts: ClosableTts): ClosableTts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    prepare: (voice, signal) => tts.prepare?.(voice, signal),
    async *speak(request, signal, watch): AsyncGenerator<TtsChunk> {
      const parts = spokenParts(request.text, request.language);
      if (parts.length === 0) return;
      const written = new WrittenWords(parts);
      for await (const chunk of tts.speak({ ...request, text: spokenTextOf(parts) }, signal, watch)) {
        yield { ...chunk, words: written.take(chunk.words) };
      }
    },
    close: () => tts.close(),
  };
}
