import type { CallMs } from "../clocks.ts";
import type { ReplyPassages } from "../knowledge/call-knowledge.ts";

/** One side's uninterrupted contribution, as it was heard. Times are milliseconds since redemption. */
export interface TranscriptTurn {
  role: "agent" | "user";
  /** What the caller heard, or the final transcript of the caller's speech. Empty when words are not stored. */
  text: string;
  startMs: CallMs;
  endMs: CallMs;
  /** The turn was interrupted, by the other side or by the end of the call; `text` ends at the last word that was heard. */
  interrupted: boolean;
  /**
   * The end of `text` is an estimate: without word timestamps of the TTS it may be wrong by up to a sentence, and more may have been
   * heard than the peer confirmed.
   */
  approximate?: true;
  /** Only in agent turns that reply to the caller: milliseconds since the caller's last voiced frame. */
  latency?: TurnLatency;
  /** Only in agent turns for which corpora were asked: what the LLM was given of them. */
  retrieval?: ReplyPassages;
}

/**
 * The whole text of a turn so far, for wires that can show it. The agent's text is emitted before it is heard; a
 * `final` one is what was heard, and its end may be `approximate`. A turn that ends with "" becomes no `turn`. `turnId`
 * numbers the turns of both sides in the order in which they begin: it is no `TurnId`.
 */
export interface TranscriptUpdate {
  kind: "transcript";
  role: "agent" | "user";
  text: string;
  final: boolean;
  turnId: number;
  approximate?: true;
}

/** The whole utterance of a live transcription so far. Times are ms of audio since its first stream started, in these two. */
export interface InterimUpdate {
  kind: "interim";
  text: string;
  startMs: number;
}

/**
 * An utterance of a live transcription, which is final. Its `text` is empty where a final was asked for and nothing was said, and
 * where the words of an interim are taken back. `language`: the one that the STT has detected.
 */
export interface UtteranceUpdate {
  kind: "utterance";
  text: string;
  startMs: number;
  endMs: number;
  language?: string;
}

/**
 * The milestones between the caller's last voiced frame and the agent's first sample, in whole ms since that frame.
 * `stepDurations` computes the duration of each step.
 */
export interface TurnLatency {
  /** The final transcript; 0 if it came before that frame. Absent if none came before the reply was started. */
  finalTranscriptMs?: number;
  /** The end of the turn was decided. */
  endOfTurnMs: number;
  /**
   * The passages for the reply were there, or were waited for no longer. Absent where none are fetched for every turn. The time since
   * `endOfTurnMs` is what retrieval adds to the answer's delay.
   */
  retrievalMs?: number;
  /** The LLM request that produced the first text: the first one of the turn, or the one after its tool results. */
  llmRequestedMs?: number;
  /** First text of the LLM. Absent for replies without an LLM. */
  firstTextMs?: number;
  /** The first segment was handed to the TTS: the first clause of the LLM, or a filler before it. */
  firstSegmentMs?: number;
  /** The first synthesized sample arrived. */
  firstAudioMs: number;
  /** The first frame of the reply was sent. */
  firstFrameMs: number;
}
