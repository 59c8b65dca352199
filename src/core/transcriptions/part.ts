import type { Usage } from "../billing/usage.ts";

/** One part of the audio of a transcription, by its channel and its place. */
export interface PartKey {
  readonly channel: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** A word of a part; times in ms from the part's first sample. */
export interface PartWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 to 1; absent from providers that give none. */
  readonly confidence?: number;
  /** From 0; numbers of different parts are not the same speakers. */
  readonly speaker?: number;
}

/** What was understood of a part. */
export interface PartTranscript {
  /** In the order of their start; empty where nothing was said. */
  readonly words: readonly PartWord[];
  /** The language that was detected, BCP 47. */
  readonly language?: string;
  /** The provider gave no times of words. */
  readonly hasEstimatedTimes: boolean;
}

/** A part that is transcribed, by which provider, and what that used. */
export interface PartOutcome extends PartTranscript {
  readonly provider: string;
  readonly usage: readonly ({ readonly provider: string } & Usage)[];
}
