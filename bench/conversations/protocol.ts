import type { Rendered } from "../rig/speech.ts";

/** How long each engine takes, ms; nothing of it is the service's own. */
export interface ProviderDelays {
  /** From the last voiced frame that the STT received to its final transcript. */
  sttMs: number;
  /** From the question to the LLM's first text. */
  llmMs: number;
  /** From a segment of text to its first audio. */
  ttsMs: number;
}

/** What the worker of conversations answers. */
export type TalkQuestions = {
  /** The first question: everything that its agents will say. */
  prepare: { ask: { speech: readonly Rendered[]; answer: string }; answer: undefined };
  /** URLs of so many calls, whose engines take so long. */
  begin: { ask: { calls: number; delays: ProviderDelays }; answer: string[] };
  /** Resolves when every call is over. */
  finish: { ask: undefined; answer: undefined };
};
