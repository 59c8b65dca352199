// The providers that problems of the configuration name as valid. A new one is added here, and in no test.

/** Of `STT`. */
export const VALID_STT = "assemblyai, deepgram, openai, reference";
/** Of `TTS`. */
export const VALID_TTS = "cartesia, elevenlabs, espeak, openai, reference";
/** Of `MODEL_A` to `MODEL_C`. */
export const VALID_MODELS = "reference, or a provider and its model: openai:<model>, anthropic:<model>, gemini:<model>";
/** Of `PROVIDER_STREAMS_MAX`. */
export const VALID_PROVIDERS =
  "anthropic, assemblyai, cartesia, deepgram, elevenlabs, espeak, gemini, openai, reference";
