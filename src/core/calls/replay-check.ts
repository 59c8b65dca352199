/** What the replay of a call's journal found. Times are ms since redemption. */
export interface ReplayCheck {
  /** The state machine gave every command of the journal again, and no other. */
  identical: boolean;
  /** How many events were replayed, and how many commands were equal. */
  events: number;
  commands: number;
  comparedUntilMs: number;
  /** The journal lacks the call's end: its worker died, or its disk failed. */
  truncated: boolean;
  /** The recording was paused then: what follows lacks its words and was not compared. */
  pausedAtMs: number | undefined;
  /** The software that carried the call, and the one that replayed it. */
  writtenBy: string;
  replayedBy: string;
  difference: ReplayDifference | undefined;
}

/** The first difference, by the kinds of the event and the commands: it has no words of the call. */
export interface ReplayDifference {
  atMs: number;
  /** The event before; undefined where there is none. */
  after: string | undefined;
  /** The command of the journal, and that of the replay; undefined where there is none. */
  journaled: string | undefined;
  replayed: string | undefined;
}
