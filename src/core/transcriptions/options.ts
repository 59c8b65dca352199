import type { RedactionKind } from "../redaction/kinds.ts";

/** How the channels of an audio file are transcribed: mixed to one, or each for itself. */
export const CHANNEL_MODES = ["mix", "separate"] as const;
export type ChannelMode = (typeof CHANNEL_MODES)[number];

/** What carries times in the result. */
export const TIMESTAMP_KINDS = ["word", "segment"] as const;
export type TimestampKind = (typeof TIMESTAMP_KINDS)[number];

/** What a client asks of a transcription. */
export interface TranscriptionOptions {
  /** A code from `GET /languages`, or `auto`, where a provider that detects the language is configured. */
  readonly language: string;
  readonly channels: ChannelMode;
  readonly timestamps: TimestampKind;
  /** Speakers are distinguished, by numbers from 0. */
  readonly speakers: boolean;
  /** Words that are likely, such as names. */
  readonly vocabulary: readonly string[];
  /** What is not kept of the words; absent for nothing, and in older ones. */
  readonly redact?: readonly RedactionKind[];
}

export const DEFAULT_TRANSCRIPTION_OPTIONS: Omit<TranscriptionOptions, "language"> = {
  channels: "mix",
  timestamps: "word",
  speakers: false,
  vocabulary: [],
};

/** Where its audio comes from. */
export const TRANSCRIPTION_SOURCES = ["upload", "url", "call", "live"] as const;
export type TranscriptionSource = (typeof TRANSCRIPTION_SOURCES)[number];

export const TRANSCRIPTION_STATUSES = ["queued", "processing", "completed", "failed", "cancelled"] as const;
export type TranscriptionStatus = (typeof TRANSCRIPTION_STATUSES)[number];
