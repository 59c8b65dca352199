import type { Usage } from "../billing/usage.ts";

/** A word of a transcription; times in ms from the beginning of the audio. */
export interface TranscribedWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0 to 1; absent from providers that give none. */
  readonly confidence?: number;
  /** From 0. */
  readonly channel: number;
  /** From 0; only where speakers were asked for. */
  readonly speaker?: number;
}

/** What one speaker says in one go: words without a long pause between them. */
export interface TranscribedUtterance {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly channel: number;
  readonly speaker?: number;
}

/** A stretch of one channel that was transcribed by one provider. */
export interface TranscribedPart {
  readonly channel: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly provider: string;
  /** How often a provider was asked for it, the attempts that failed or were lost included. */
  readonly requests: number;
  /** What the requests used, by provider. */
  readonly usage: readonly ({ readonly provider: string } & Usage)[];
}

/** A finished transcription. Words and utterances are in the order of their start, then of their channel. */
export interface TranscriptionResult {
  readonly text: string;
  /** A code from `GET /languages`: the one that was asked for, or the one that was detected in most of the audio. */
  readonly language: string;
  readonly durationMs: number;
  readonly channels: number;
  readonly utterances: readonly TranscribedUtterance[];
  /** Empty where `timestamps` is `segment`. */
  readonly words: readonly TranscribedWord[];
  /** The times of words are estimates, because the provider gives none: their part's speech is divided by their letters. */
  readonly hasEstimatedTimes: boolean;
  readonly parts: readonly TranscribedPart[];
}
