import type { AccountId } from "../../../src/core/ids.ts";
import { newId } from "../../../src/core/new-id.ts";
import type { PartKey, PartOutcome } from "../../../src/core/transcriptions/part.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import type { NewTranscription } from "../../../src/store/transcription-store.ts";

/** An uploaded file to transcribe. */
export const newTranscription = (accountId: AccountId, more: Partial<NewTranscription> = {}): NewTranscription => ({
  id: newId("transcription"),
  accountId,
  source: "upload",
  options: { language: "en-US", channels: "mix", timestamps: "word", speakers: false, vocabulary: ["Lario’s"] },
  metadata: { order: "A-17" },
  fileName: "meeting\0 👋.wav",
  deletesAudio: false,
  ...more,
});

export const PART: PartKey = { channel: 0, startMs: 0, endMs: 2_500.5 };

export const OUTCOME: PartOutcome = {
  words: [
    { text: "good", startMs: 100, endMs: 300, confidence: 0.9 },
    { text: "evening", startMs: 350, endMs: 800 },
  ],
  hasEstimatedTimes: false,
  provider: "deepgram",
  usage: [{ provider: "deepgram", model: "nova-3", audioSeconds: 2.5 }],
};

/** A result of one part. */
export const RESULT: TranscriptionResult = {
  text: "good evening",
  language: "en-US",
  durationMs: 2_500.5,
  channels: 1,
  utterances: [{ text: "good evening", startMs: 100, endMs: 800, channel: 0 }],
  words: [
    { text: "good", startMs: 100, endMs: 300, confidence: 0.9, channel: 0 },
    { text: "evening", startMs: 350, endMs: 800, channel: 0 },
  ],
  hasEstimatedTimes: false,
  parts: [{ ...PART, provider: "deepgram", requests: 1, usage: OUTCOME.usage }],
};

export const FAILURE = { code: "audio_unreadable", message: "the file is no audio that can be read" };
