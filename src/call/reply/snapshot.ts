/** When a reply counts as heard, gets a filler, or fails because its LLM or TTS timed out. */
export interface ReplyDeadlines {
  heardMs: number;
  fillerMs: number;
  llmMs: number;
  ttsMs: number;
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
