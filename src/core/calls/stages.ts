/** The stages of a call that providers serve. */
export const STAGES = ["stt", "llm", "tts"] as const;
export type Stage = (typeof STAGES)[number];
