import { z } from "zod";
import { ANALYSIS_FAILURE_MEANINGS, ANALYSIS_FAILURES, ANALYSIS_STATUSES } from "../../core/calls/analysis.ts";
import type { AccountId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { TOOL_SCHEMA_CHARS_MAX, TOOL_SCHEMA_DEPTH_MAX } from "../../core/limits/agents/tools.ts";
import { ANALYSIS_EVENT_WAIT_MS, ANALYSIS_PROMPT_CHARS_MAX } from "../../core/limits/calls/analysis.ts";
import { REDACTION_KINDS } from "../../core/redaction/kinds.ts";
import type { Path } from "../http/display-path.ts";
import type { Problem } from "../http/errors.ts";
import { anyObject, flag, listOf, oneOf, text } from "../http/requests/fields.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";
import { singleSchemaRule, type ToolDeps } from "../tools/selected-tools.ts";
import { meaningsOf } from "./schemas/meanings.ts";

/** `redact` of a call or a transcription. */
export const RedactList = listOf(oneOf(REDACTION_KINDS), REDACTION_KINDS.length, "must be a list of kinds").meta({
  description:
    "What is not kept of the words and the sound. `card_number`: 13 to 19 digits with a valid check digit. `phone_number`, `email`, `national_id`: in the forms of the countries in which the language is spoken. `variables`: the values of the agent's variables, and each word of a name among them.",
  examples: [["card_number", "phone_number"]],
});

/** `analysis` of a call. */
export const AnalysisBody = z
  .strictObject(
    {
      schema: anyObject.optional().meta({
        description: `A JSON Schema (2020-12) of the type \`object\`, which \`data\` is to fit: at most ${TOOL_SCHEMA_CHARS_MAX} characters and ${TOOL_SCHEMA_DEPTH_MAX} levels, without external references.`,
      }),
      prompt: text
        .max(ANALYSIS_PROMPT_CHARS_MAX, { error: `must have at most ${ANALYSIS_PROMPT_CHARS_MAX} characters` })
        .optional()
        .meta({ description: "What the LLM is to pay attention to." }),
      summary: flag.optional().meta({
        description:
          "Whether there is to be a summary in a few sentences, which is the default where `schema` is absent.",
      }),
    },
    { error: "must be an object" },
  )
  .meta({
    id: "AnalysisSettings",
    description: `What the LLM of the call is to find out once it is over. \`call.ended\` waits for it, for ${ANALYSIS_EVENT_WAIT_MS / 1_000} s at most.`,
    examples: [
      { summary: true },
      {
        schema: {
          type: "object",
          properties: { wantsCallback: { type: "boolean" }, topic: { type: "string" } },
          required: ["wantsCallback"],
        },
        prompt: "A caller who asks to be called again wants a callback.",
      },
    ],
  });

/** The analysis of a call in its record. */
export const AnalysisItem = z
  .object({
    status: z.enum(ANALYSIS_STATUSES).meta({ description: "`pending`: the LLM is being asked, or will be again." }),
    reason: z
      .enum(ANALYSIS_FAILURES)
      .nullable()
      .meta({ description: `Why it has failed. ${meaningsOf(ANALYSIS_FAILURE_MEANINGS)}` }),
    summary: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).nullable().meta({ description: "Fits the schema of the settings." }),
    truncated: z.boolean().meta({ description: "The beginning of the transcript did not fit into the prompt." }),
  })
  .nullable()
  .meta({
    description:
      "What the LLM has found out about the call. Null before the end, without `analysis` in the configuration, and once its transcript was deleted.",
  });

/** What is wrong with `redact` and `analysis`, beyond their shapes. `at` is the path of the settings in the body. */
export async function afterCallProblems(
  { redact, analysis, transcriptEnabled }: Record<string, unknown>,
  at: Path,
  accountId: AccountId,
  offer: ToolDeps,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  if (transcriptEnabled === false) {
    const isAsked = Array.isArray(redact) && redact.length > 0;
    if (isAsked)
      problems.push(
        problemWithoutValue([...at, "redact"], "needs transcriptEnabled: what is said is not known without it"),
      );
    if (analysis !== undefined)
      problems.push(
        problemWithoutValue([...at, "analysis"], "needs transcriptEnabled: without it there is nothing to analyse"),
      );
  }
  if (!isObject(analysis)) return problems;
  if (analysis.schema === undefined && analysis.summary === false)
    problems.push(problemWithoutValue([...at, "analysis"], "must have a schema or a summary"));
  if (!isObject(analysis.schema)) return problems;
  const rule = await singleSchemaRule(analysis.schema, accountId, offer);
  if (rule !== undefined) problems.push(problemWithoutValue([...at, "analysis", "schema"], rule));
  return problems;
}
