import type { CallTts, TtsPool } from "../../../src/speech/contracts.ts";

/** The providers of a worker where `tts` speaks with every voice. */
export const poolOf = (tts: CallTts): Pick<TtsPool, "provider" | "forVoice"> => ({
  provider: tts.provider,
  forVoice: () => tts,
});
