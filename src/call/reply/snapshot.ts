import type { CallMs } from "../../core/clocks.ts";
/** When a reply counts as heard, gets a filler, or fails because its LLM or TTS timed out. */
export interface ReplyDeadlines {
  heardMs: CallMs;
  fillerMs: CallMs;
  llmMs: CallMs;
  ttsMs: CallMs;
}

/** The state of the current reply. */
export interface ReplySnapshot {
  turnId: number;
  audible: boolean;
  interruptible: boolean;
  areToolsRunning: boolean;
  segments: number;
  sentMs: number;
  /** The best estimate of what the caller has heard. */
  heardText: string;
  deadlines: ReplyDeadlines;
}
