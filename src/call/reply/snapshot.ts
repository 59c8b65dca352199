/** What a reply may wait for: its being heard, words of our own that bridge a silence, the model, the voice. */
export interface ReplyDeadlines {
  heardMs: number;
  fillerMs: number;
  llmMs: number;
  ttsMs: number;
}

/** The reply that lives. */
export interface ReplySnapshot {
  turnId: number;
  audible: boolean;
  interruptible: boolean;
  areToolsRunning: boolean;
  segments: number;
  sentMs: number;
  /** What the caller has heard of it, as far as anybody can tell. */
  heardText: string;
  deadlines: ReplyDeadlines;
}
