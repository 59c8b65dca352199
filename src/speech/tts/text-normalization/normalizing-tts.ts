import type { ClosableTts, TtsChunk } from "../../contracts.ts";
import { joinSpoken, normalizeText, WrittenWordMapper } from "./normalize.ts";

/** The same voice, which is given what is to be said for a text instead of what was written, and tells its words as they were written. */
export function normalizingTts(tts: ClosableTts): ClosableTts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    prepare: (voice, signal) => tts.prepare?.(voice, signal),
    async *speak(request, signal, watch): AsyncGenerator<TtsChunk> {
      const parts = normalizeText(request.text, request.language);
      if (parts.length === 0) return;
      const written = new WrittenWordMapper(parts);
      for await (const chunk of tts.speak({ ...request, text: joinSpoken(parts) }, signal, watch)) {
        yield { ...chunk, words: written.take(chunk.words) };
      }
    },
    close: () => tts.close(),
  };
}
