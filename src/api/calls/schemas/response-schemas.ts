import { z } from "zod";
import { CARRIERS, CONNECTION_TYPES } from "../../../carriers/list.ts";
import type { LATENCY_STEPS } from "../../../core/calls/latency.ts";
import { CALL_DIRECTIONS } from "../../../core/calls/phone.ts";
import { END_REASON_MEANINGS, END_REASONS } from "../../../core/calls/reasons.ts";
import { MODEL_NAMES, STREAM_CODECS, STREAM_RATES_HZ } from "../../../core/calls/spec.ts";
import { STAGES } from "../../../core/calls/stages.ts";
import type { CallMs } from "../../../core/clocks.ts";
import type { CallId, CorpusId, DocumentId } from "../../../core/ids.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../core/limits/calls/calls.ts";
import { REDACTION_KINDS } from "../../../core/redaction/kinds.ts";
import { CALL_STATUSES } from "../../../store/calls/call-store.ts";
import { pageSchema } from "../../http/responses/pages.ts";
import { ToolItem } from "../../tools/schemas.ts";
import { AnalysisBody, AnalysisItem } from "../after-call.ts";
import { CALL_SUMMARIES, CALLS, CREATED_CALLS, TURNS } from "./examples.ts";
import { meaningsOf } from "./meanings.ts";

const responseTimeMs = (description: string) =>
  z.number().meta({ description: `${description}; milliseconds since the caller's last voiced frame.` });

export const TurnLatency = z.object({
  finalTranscriptMs: responseTimeMs(
    "Final transcript of the STT; 0 where it came earlier, absent where the reply was started without it",
  ).optional(),
  endOfTurnMs: responseTimeMs("End of the caller's turn was decided"),
  retrievalMs: responseTimeMs(
    "Passages for the reply were there, or were waited for no longer; absent where none are fetched for every turn",
  ).optional(),
  llmRequestedMs: responseTimeMs(
    "LLM request that produced the first text (the last one, after tool calls)",
  ).optional(),
  firstTextMs: responseTimeMs("First text of the LLM. Absent for replies without an LLM").optional(),
  firstSegmentMs: responseTimeMs("First segment handed to the TTS").optional(),
  firstAudioMs: responseTimeMs("First audio of the TTS"),
  firstFrameMs: responseTimeMs("First frame of the reply sent"),
});

const ms = z.number().meta({ description: "Milliseconds; always a measured value (nearest rank)." });
const Stage = z
  .object({
    count: z.int().meta({ description: "Number of replies that had this step." }),
    p50Ms: ms,
    p90Ms: ms,
    p95Ms: ms,
    p99Ms: ms,
  })
  .optional();

const DESCRIPTIONS: Readonly<Record<(typeof LATENCY_STEPS)[number], string>> = {
  endOfTurn: "From the caller's last voiced frame to the end of the turn.",
  finalTranscript: "From the caller's last voiced frame to the final transcript of the STT.",
  retrieval: "From the end of the turn until the passages were there, or were waited for no longer.",
  llmFirstToken: "From the LLM request to its first text.",
  firstSegment: "From the LLM's first text to the first segment handed to the TTS.",
  ttsFirstByte: "From that segment to the TTS's first audio.",
  firstFrame: "From the first audio to the first frame sent.",
  total: "From the caller's last voiced frame to the first frame that was sent.",
};
const stage = (name: keyof typeof DESCRIPTIONS) => Stage.meta({ description: DESCRIPTIONS[name] });

export const CallLatency = z
  .object({
    endOfTurn: stage("endOfTurn"),
    finalTranscript: stage("finalTranscript"),
    retrieval: stage("retrieval"),
    llmFirstToken: stage("llmFirstToken"),
    firstSegment: stage("firstSegment"),
    ttsFirstByte: stage("ttsFirstByte"),
    firstFrame: stage("firstFrame"),
    total: stage("total"),
  })
  .nullable()
  .meta({
    description:
      "Durations of the steps of a reply, over all replies of the call; steps that no reply had are absent. Null before the call has ended.",
  });

const figure = (description: string) => z.number().nullable().meta({ description });

export const CallNetwork = z
  .object({
    lossInPercent: figure("Packets of the client that did not arrive, of all that it sent by RTP."),
    lossOutPercent: figure("Packets that did not reach the client, by its reports, of all that they cover."),
    jitterInMs: figure("Jitter of the client's packets by RFC 3550: the median over the call."),
    jitterOutMs: figure("The same of the service's packets, by the client's reports."),
    roundTripMs: figure("To the client and back, by RTCP: the median over the call."),
  })
  .nullable()
  .meta({
    description:
      "What was measured of the network of a `webrtc` call while its audio travelled by RTP, over all of its connections; " +
      "a figure is null where nothing was measured, such as what only the client knows before its first report. Null before " +
      "the call has ended, for other connection types, and where RTP never connected.",
    examples: [{ lossInPercent: 0.41, lossOutPercent: 0.2, jitterInMs: 4.2, jitterOutMs: 3.1, roundTripMs: 38.5 }],
  });

const count = (description: string) => z.number().optional().meta({ description });

export const CallUsage = z
  .array(
    z.object({
      stage: z.enum(STAGES).meta({ description: "The stage that it served: `stt`, `llm` or `tts`." }),
      provider: z.string().meta({ examples: ["openai"] }),
      model: z
        .string()
        .optional()
        .meta({ description: "Present when the provider has several models.", examples: ["gpt-4o-mini"] }),
      audioSeconds: count("Of an STT: audio sent to it, including silence."),
      inputTokens: count("Of an LLM."),
      outputTokens: count("Of an LLM."),
      characters: count("Of a TTS: characters sent to it."),
      approximate: z.literal(true).optional().meta({
        description:
          "Some tokens are estimated from characters, because a reply was aborted before the provider reported its usage.",
      }),
      discarded: z.literal(true).optional().meta({
        description:
          "Of replies that preemptive generation requested and that were not used, because the caller went on. They are an item of their own.",
      }),
      cost: z
        .number()
        .nullable()
        .meta({ description: "In the currency of `cost`; null when the service has no price for it." }),
    }),
  )
  .nullable()
  .meta({
    description:
      "Usage of each provider in the call, including failed attempts that had started and, as items of their own, `discarded` replies. Null before the call has ended.",
  });

export const CallCost = z
  .object({
    currency: z.string().meta({ description: "ISO 4217.", examples: ["USD"] }),
    total: z.number().meta({ description: "Sum of all items that have a price." }),
    complete: z.boolean().meta({ description: "False when an item of `usage` has no price." }),
  })
  .nullable()
  .meta({ description: "Calculated with the service's prices at the end of the call; null when it has no prices." });

/** ISO 8601 in UTC with milliseconds. */
export const time = z.string().meta({ format: "date-time", examples: ["2026-11-21T08:00:00.000Z"] });

export const callId = z.string().meta({
  description: "`call_` and a UUIDv7.",
  examples: ["call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<CallId, string>;

const status = z.enum(CALL_STATUSES).meta({
  description:
    "`created`: waits for its media stream. `queued`: an outbound telephone call that was not placed yet. `ringing`: a telephone call before its media stream. `active`: in progress. `ended`: over; `endReason` says why. `expired`: the stream did not connect in time. `failed`: ended before any audio by a fault of the service.",
});

export const CreatedCall = z
  .object({
    id: callId,
    websocketUrl: z.string().meta({
      description: "Address of the media stream: single-use, short-lived, and returned only here.",
      format: "uri",
    }),
    status,
    connectionType: z.enum(CONNECTION_TYPES),
    createdAt: time,
  })
  .meta({
    id: "CreatedCall",
    description: "The new call and the address of its media stream.",
    examples: CREATED_CALLS,
  });

export const CallParams = z.object({ id: callId });

/** Where each carrier states its own id of a call. */
const CALL_ID_FIELDS = CARRIERS.map(
  ({ connectionType, callIdField }, at) =>
    `the \`${callIdField}\`${at === 0 ? " in `start`" : ""} of ${connectionType}`,
).join(", ");

const CallPhone = z
  .object({
    direction: z.enum(CALL_DIRECTIONS).meta({ description: "`outbound`: the service placed it." }),
    from: z.string().meta({
      description: "Who called: E.164 where the carrier gave that, otherwise as it came, such as `anonymous`.",
      examples: ["+15550199"],
    }),
    to: z.string().meta({ description: "Who was called.", examples: ["+15550100"] }),
    carrierId: z.string().nullable().meta({ description: "The carrier of the account; it may be deleted since." }),
    phoneNumberId: z.string().nullable().meta({ description: "The number of the account; it may be deleted since." }),
    headers: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description:
          "SIP headers of an inbound call, by lower-case names. Null without any, with `transcriptEnabled: false`, and once its transcript " +
          "was deleted.",
      }),
    carrierCode: z
      .string()
      .nullable()
      .meta({ description: "The carrier's own code of why the call ended or was not placed.", examples: ["486"] }),
    price: z
      .object({ amount: z.number(), currency: z.string().meta({ description: "ISO 4217.", examples: ["USD"] }) })
      .nullable()
      .meta({ description: "What the carrier charges, once it has said so: often after the end." }),
  })
  .nullable()
  .meta({ description: "Of a telephone call that the service placed or answered itself; null for any other." });

/** Times are ISO 8601 in UTC; unknown values are null. */
export const CallItem = z
  .object({
    id: callId,
    agentId: z.string().nullable().meta({ description: "The saved agent that the call was created from." }),
    agentVersion: z.int().nullable().meta({ description: "The version of that agent, with which the call stays." }),
    variables: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .nullable()
      .meta({
        description:
          "The values of the agent's variables in this call, defaults included. Null without an agent, with " +
          "`transcriptEnabled: false`, and once its transcript was deleted.",
        examples: [{ customer: "Mrs Miller", loaves: 2 }],
      }),
    status,
    connectionType: z.enum(CONNECTION_TYPES),
    createdAt: time,
    startedAt: time.nullable().meta({ description: "When the media stream connected." }),
    endedAt: time.nullable(),
    durationMs: z
      .number()
      .nullable()
      .meta({ description: "From the connection of the stream to the end, by a monotonic clock." }),
    endReason: z
      .enum(END_REASONS)
      .nullable()
      .meta({ description: meaningsOf(END_REASON_MEANINGS) }),
    heldSince: time.nullable().meta({
      description:
        "Since when the caller of a live call is on hold; null for one who is not. `POST /calls/{id}/resume` ends it.",
    }),
    carrierCallId: z
      .string()
      .nullable()
      .meta({
        description:
          `The carrier's own id for the call: ${CALL_ID_FIELDS}. Null before its stream has started, and for other ` +
          "connection types.",
        examples: ["CA0123456789abcdef0123456789abcdef"],
      }),
    phone: CallPhone,
    parameters: z
      .record(z.string(), z.string())
      .nullable()
      .meta({
        description:
          "What the carrier's `start` handed to the call, by name: at most " +
          `${PARAMETERS_MAX} parameters and ${PARAMETERS_BYTES_MAX} bytes. \`metadata\` is what \`POST /calls\` said instead. ` +
          "Null before the call has ended, without any, with `transcriptEnabled: false`, and once its transcript was deleted.",
        examples: [{ order: "A-17" }],
      }),
    configuration: z
      .object({
        voice: z.string().meta({ description: "Id of the voice." }),
        language: z.string().meta({ description: "The language in which the call starts." }),
        languagePinned: z.boolean(),
        model: z.enum(MODEL_NAMES),
        temperature: z.number(),
        firstSpeaker: z.enum(["agent", "user"]),
        interruptible: z.boolean(),
        maxDuration: z.int(),
        inactivityTimeout: z.int(),
        inactivityAction: z.enum(["hang_up", "prompt"]),
        maxCost: z.number().nullable(),
        recordingEnabled: z.boolean(),
        transcriptEnabled: z.boolean(),
        useParameters: z.boolean(),
        redact: z.array(z.enum(REDACTION_KINDS)),
        websocket: z
          .object({
            codec: z.enum(STREAM_CODECS),
            inputSampleRate: z.literal(STREAM_RATES_HZ),
            outputSampleRate: z.literal(STREAM_RATES_HZ),
          })
          .nullable()
          .meta({ description: "With its defaults filled in; null for other connection types." }),
        selectedTools: z.array(ToolItem),
        analysis: AnalysisBody.nullable(),
      })
      .meta({
        description: "The configuration of the call, as in `POST /calls`, without the prompt and the greeting.",
      }),
    metadata: z.record(z.string(), z.unknown()).nullable().meta({ description: "As in the request." }),
    recording: z
      .object({
        channels: z.int(),
        sampleRateHz: z.int(),
        durationMs: z.number(),
        complete: z.boolean().meta({ description: "False when audio is missing from it." }),
      })
      .nullable()
      .meta({ description: "Present once the recording can be downloaded." }),
    recordingDeletedAt: time.nullable().meta({
      description: "When retention deleted the recording, and with it the call's events.",
    }),
    transcriptDeletedAt: time.nullable().meta({
      description: "When retention deleted the transcript, and with it the call's events.",
    }),
    redaction: z.partialRecord(z.enum(REDACTION_KINDS), z.int()).nullable().meta({
      description:
        "How often each kind was found in what is kept of the call, and redacted. Null before the end, and without `redact`.",
    }),
    recordingPauses: z
      .array(z.object({ startMs: z.number(), endMs: z.number() }))
      .nullable()
      .meta({
        description:
          "When neither audio nor words were stored, in milliseconds since the media stream connected. Null before the end, and where they always were.",
      }),
    analysis: AnalysisItem,
    transcriptComplete: z.boolean().nullable().meta({
      description:
        "False when turns may be missing from the transcript: a process was lost, or the disk was full. `usage` and `cost` may then be incomplete too. Null before the end.",
    }),
    counters: z.record(z.string(), z.number()).nullable().meta({
      description: "Counters of the call by name, for diagnosis; they may change between versions.",
    }),
    latency: CallLatency,
    network: CallNetwork,
    usage: CallUsage,
    cost: CallCost,
  })
  .meta({ id: "Call", description: "The current state of a call. Unknown values are null.", examples: CALLS });

export const CallSummary = CallItem.omit({ analysis: true })
  .extend({
    configuration: CallItem.shape.configuration.omit({ selectedTools: true, analysis: true }).meta({
      description:
        "The configuration of the call, as in `POST /calls`, without the prompt, the greeting, the tools and `analysis`, which " +
        "`GET /calls/{id}` shows.",
    }),
  })
  .meta({
    id: "CallSummary",
    description: "A call in a list. Unknown values are null.",
    examples: CALL_SUMMARIES,
  });

const corpusId = z.string() as unknown as z.ZodType<CorpusId>;
const documentId = z.string() as unknown as z.ZodType<DocumentId>;

export const PassageReference = z
  .object({
    corpusId,
    documentId,
    documentName: z.string().optional().meta({ description: "Absent with `transcriptEnabled: false`." }),
    page: z
      .int()
      .optional()
      .meta({ description: "From 1. Absent where the document has no pages, and with `transcriptEnabled: false`." }),
    ordinal: z.int().optional().meta({
      description: "The place of the passage in the document, from 0. Absent with `transcriptEnabled: false`.",
    }),
    score: z.number().meta({ description: "More is better; comparable only within one answer." }),
  })
  .meta({ id: "PassageReference", description: "Where a passage stands that the LLM was given." });

/** Of an answer of corpora. */
export const retrievalFields = {
  tookMs: z.number().meta({ description: "How long it took to find them, in milliseconds." }),
  passages: z.array(PassageReference).readonly().meta({ description: "The best first." }),
};

export const ReplyPassages = z.object(retrievalFields);

const callTimeMs = z
  .number()
  .meta({ description: "Milliseconds since the media stream connected." }) as unknown as z.ZodType<CallMs>;

export const Turn = z
  .object({
    role: z.enum(["agent", "user"]),
    text: z.string().optional().meta({
      description:
        "What was said; of an interrupted reply, what the caller heard. Absent with `transcriptEnabled: false`.",
    }),
    startMs: callTimeMs,
    endMs: callTimeMs,
    interrupted: z.boolean().meta({ description: "Interrupted by the other side or by the end of the call." }),
    approximate: z.literal(true).optional().meta({
      description:
        "The end of `text` is an estimate: the TTS gives no word timestamps, or the connection was lost before playout was confirmed.",
    }),
    latency: TurnLatency.optional().meta({
      description: "Latency of the reply. Absent for turns that answer nothing, such as a greeting.",
    }),
    retrieval: ReplyPassages.optional().meta({
      description:
        "The passages of corpora that the LLM was given for the reply, and the longest time in which some were found. Absent where none was asked.",
    }),
  })
  .meta({ id: "Turn", description: "One side's uninterrupted contribution.", examples: TURNS });

export const Transcript = pageSchema(Turn, "The turns in order; none before the call has ended.");
