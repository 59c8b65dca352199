import { z } from "zod";
import type { TranscriptionId } from "../../../core/ids.ts";
import { REDACTION_KINDS } from "../../../core/redaction/kinds.ts";
import {
  CHANNEL_MODES,
  TIMESTAMP_KINDS,
  TRANSCRIPTION_SOURCES,
  TRANSCRIPTION_STATUSES,
} from "../../../core/transcriptions/options.ts";
import { CallCost, time } from "../../calls/schemas/response-schemas.ts";
import { pageSchema } from "../../http/responses/pages.ts";
import { SUMMARIES, TRANSCRIPTIONS } from "./examples.ts";

export const transcriptionId = z.string().meta({
  description: "`transcription_` and a UUIDv7.",
  examples: ["transcription_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<TranscriptionId, string>;

export const TranscriptionParams = z.object({ id: transcriptionId });

const ms = (of: string) => z.number().meta({ description: `${of}, in ms from the beginning of the audio.` });
const startMs = ms("Its start");
const endMs = ms("Its end");
const channel = z.int().meta({ description: "From 0; always 0 with `channels: mix`." });
const speaker = z.int().optional().meta({ description: "From 0; only where speakers were asked for." });

const usageFields = {
  provider: z.string().meta({ examples: ["deepgram"] }),
  model: z.string().optional().meta({ description: "Present when the provider has several models." }),
  audioSeconds: z.number().optional().meta({ description: "Audio sent to it." }),
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  characters: z.number().optional(),
  approximate: z.literal(true).optional().meta({ description: "Estimated: the provider does not report it." }),
};

export const TranscriptionSummary = z
  .object({
    id: transcriptionId,
    status: z.enum(TRANSCRIPTION_STATUSES).meta({
      description:
        "`queued`: it waits. `processing`: `progress` says how far it is. `completed`: its result can be read. `failed`: `failure` says " +
        "why. `cancelled`: by `cancelTranscription`.",
    }),
    source: z.enum(TRANSCRIPTION_SOURCES).meta({ description: "Where its audio comes from." }),
    callId: z
      .string()
      .nullable()
      .meta({ description: "The call whose recording is transcribed; it may be deleted since." }),
    url: z.string().nullable().meta({ description: "Where the audio is fetched." }),
    fileName: z
      .string()
      .nullable()
      .meta({ description: "Of the uploaded file, as the client gave it.", examples: ["meeting.mp3"] }),
    options: z
      .object({
        language: z.string().meta({ description: "A code of `GET /languages`, or `auto`." }),
        channels: z.enum(CHANNEL_MODES),
        timestamps: z.enum(TIMESTAMP_KINDS),
        speakers: z.boolean(),
        vocabulary: z.array(z.string()),
        redact: z.array(z.enum(REDACTION_KINDS)),
      })
      .meta({ description: "As in the request, with defaults." }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: "As in the request." }),
    deleteAudio: z.boolean().meta({ description: "As in the request." }),
    hasAudio: z.boolean().meta({ description: "False once its audio is deleted, and for live transcriptions." }),
    progress: z.object({
      doneSeconds: z.number().meta({ description: "How much of the audio is transcribed." }),
      durationSeconds: z.number().nullable().meta({ description: "How much there is; null while that is not known." }),
    }),
    failure: z
      .object({ code: z.string().meta({ description: "Stable code for programs." }), message: z.string() })
      .nullable()
      .meta({ description: "Why it has failed." }),
    createdAt: time,
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    resultDeletedAt: time.nullable().meta({ description: "When retention deleted the result." }),
    usage: z
      .array(
        z.object({
          ...usageFields,
          cost: z.number().nullable().meta({ description: "Null when the service has no price for it." }),
        }),
      )
      .nullable()
      .meta({ description: "What its requests used, by provider, those that failed included. Null before the end." }),
    cost: CallCost.meta({
      description: "With the service's present prices; null before the end, and when it has none.",
    }),
  })
  .meta({
    id: "TranscriptionSummary",
    description: "A transcription, without its result. Unknown values are null.",
    examples: SUMMARIES,
  });

const Result = z
  .object({
    text: z.string(),
    language: z
      .string()
      .meta({ description: "The language that was asked for, or the one that most of the audio is in." }),
    durationMs: z.number(),
    channels: z.int(),
    utterances: z.array(z.object({ text: z.string(), startMs, endMs, channel, speaker })),
    words: z
      .array(
        z.object({
          text: z.string(),
          startMs,
          endMs,
          confidence: z.number().optional().meta({ description: "0 to 1; absent from providers that give none." }),
          channel,
          speaker,
        }),
      )
      .meta({ description: "In the order of their start, then of their channel; empty with `timestamps: segment`." }),
    hasEstimatedTimes: z.boolean().meta({ description: "The times of words are estimates: the provider gives none." }),
    parts: z
      .array(
        z.object({
          channel,
          startMs,
          endMs,
          provider: usageFields.provider,
          requests: z.int().meta({ description: "How often a provider was asked, failed attempts included." }),
          usage: z.array(z.object(usageFields)),
        }),
      )
      .meta({ description: "The stretches of audio that were transcribed, by which provider, and what that used." }),
  })
  .nullable()
  .meta({
    id: "TranscriptionResult",
    description: "What was said. Null before it is complete and once it is deleted.",
  });

export const TranscriptionItem = TranscriptionSummary.extend({ result: Result }).meta({
  id: "Transcription",
  description: "A transcription with its result. Unknown values are null.",
  examples: TRANSCRIPTIONS,
});

export const TranscriptionPage = pageSchema(TranscriptionSummary, "A page of transcriptions, newest first.");
