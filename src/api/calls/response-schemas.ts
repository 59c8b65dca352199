import { z } from "zod";
import type { LATENCY_STEPS } from "../../core/calls/latency.ts";
import { STAGES } from "../../core/metrics/worker-metrics.ts";

/** Schemas of a call's latency, usage and cost. */

const responseTimeMs = (description: string) =>
  z.number().meta({ description: `${description}; milliseconds since the caller's last voiced frame.` });

export const TurnLatency = z.object({
  finalTranscriptMs: responseTimeMs(
    "Final transcript of the STT; 0 where it came earlier, absent where the reply was started without it",
  ).optional(),
  endOfTurnMs: responseTimeMs("End of the caller's turn was decided"),
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
      cost: z
        .number()
        .nullable()
        .meta({ description: "In the currency of `cost`; null when the service has no price for it." }),
    }),
  )
  .nullable()
  .meta({
    description:
      "Usage of each provider in the call, including failed attempts that had started and replies that were not used. Null before the call has ended.",
  });

export const CallCost = z
  .object({
    currency: z.string().meta({ description: "ISO 4217.", examples: ["USD"] }),
    total: z.number().meta({ description: "Sum of all items that have a price." }),
    complete: z.boolean().meta({ description: "False when an item of `usage` has no price." }),
  })
  .nullable()
  .meta({ description: "Calculated with the service's prices at the end of the call; null when it has no prices." });
