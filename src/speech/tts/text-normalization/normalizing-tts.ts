import type { ClosableTts, TtsChunk } from "../../contracts.ts";
import { joinSpoken, normalizeText, WrittenWordMapper } from "./normalize.ts";

/**
 * Wraps `tts`, which it closes with itself: it speaks the normalized text and reports the words as they were written.
 */
export function normalizingTts(tts: ClosableTts): ClosableTts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    prepare: (voice, signal) => tts.prepare?.(voice, signal),
    async *speak(request, signal, observer): AsyncGenerator<TtsChunk> {
      const parts = normalizeText(request.text, request.language);
      if (parts.length === 0) return;
      const written = new WrittenWordMapper(parts);
      for await (const chunk of tts.speak({ ...request, text: joinSpoken(parts) }, signal, observer)) {
        yield { ...chunk, words: written.take(chunk.words) };
      }
    },
    close: () => tts.close(),
  };
}
