import { z } from "zod";
import type { LATENCY_STEPS } from "../../core/calls/latency.ts";
import { STAGES } from "../../core/metrics/worker-metrics.ts";

/** What of a call tells how fast it was answered, and what its providers did. */

const responseTimeMs = (description: string) =>
  z.number().meta({ description: `${description}; milliseconds since the caller's last voiced frame.` });

export const TurnLatency = z.object({
  finalTranscriptMs: responseTimeMs(
    "The ear's final text; 0 where it came earlier, and absent where the answer was begun without it",
  ).optional(),
  endOfTurnMs: responseTimeMs("It was decided that it is the agent's turn"),
  llmRequestedMs: responseTimeMs(
    "The model was asked what its first text answers: again, when its tools were done",
  ).optional(),
  firstTextMs: responseTimeMs("The model's first text. Absent for replies without a model").optional(),
  firstSegmentMs: responseTimeMs("The first piece of it was given to the voice").optional(),
  firstAudioMs: responseTimeMs("The first of the voice's audio"),
  firstFrameMs: responseTimeMs("The first frame of the answer was sent"),
});

const ms = z.number().meta({ description: "Milliseconds; always one that was measured (nearest rank)." });
const Stage = z
  .object({
    count: z.int().meta({ description: "How many answers had this step." }),
    p50Ms: ms,
    p90Ms: ms,
    p95Ms: ms,
    p99Ms: ms,
  })
  .optional();

const DESCRIPTIONS: Readonly<Record<(typeof LATENCY_STEPS)[number], string>> = {
  endOfTurn: "From the caller's last voiced frame until it was decided that it is the agent's turn.",
  finalTranscript: "From the caller's last voiced frame to the ear's final text.",
  llmFirstToken: "From the question to the model's first text.",
  firstSegment: "From the model's first text to the first piece that was given to the voice.",
  ttsFirstByte: "From that to the voice's first audio.",
  firstFrame: "From that to the first frame that was sent.",
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
    whole: stage("total"),
  })
  .nullable()
  .meta({
    description:
      "How long the steps on the way to an answer took, over all answers of the call; steps that no answer had are absent. " +
      "Null before the call has ended.",
  });

const count = (description: string) => z.number().optional().meta({ description });

export const CallUsage = z
  .array(
    z.object({
      stage: z.enum(STAGES).meta({ description: "What it did for the call." }),
      provider: z.string().meta({ examples: ["openai"] }),
      model: z
        .string()
        .optional()
        .meta({ description: "Where the provider has several.", examples: ["gpt-4o-mini"] }),
      audioSeconds: count("Of an ear: what it was sent, silence too."),
      inputTokens: count("Of a model."),
      outputTokens: count("Of a model."),
      characters: count("Of a voice: what it was given to speak."),
      approximate: z.literal(true).optional().meta({
        description:
          "Some tokens were counted by their characters, because an answer was broken off before the provider told how many.",
      }),
      cost: z
        .number()
        .nullable()
        .meta({ description: "In the currency of `cost`; null where the service knows no price." }),
    }),
  )
  .nullable()
  .meta({
    description:
      "What each provider did for the call, tries that failed after they had begun and answers that nobody waited for too. " +
      "Null before the call has ended.",
  });

export const CallCost = z
  .object({
    currency: z.string().meta({ description: "ISO 4217.", examples: ["USD"] }),
    total: z.number().meta({ description: "The sum of what has a price." }),
    complete: z.boolean().meta({ description: "False where something of `usage` has none." }),
  })
  .nullable()
  .meta({ description: "By the prices of the service when the call ended; null where it has none." });
