import { z } from "zod";
import type { AgentId } from "../../core/ids.ts";
import { AGENT_CORPORA_MAX, AGENT_NAME_CHARS_MAX } from "../../core/limits/api.ts";
import { SELECTED_TOOLS_MAX } from "../../core/limits/tools.ts";
import { CallSettingsBody, NewCallBody } from "../calls/request-schemas.ts";
import { time } from "../calls/response-schemas.ts";
import { pageFields } from "../http/cursor.ts";
import { listOf, text, textNotBlank } from "../http/fields.ts";
import { pageSchema } from "../http/pages.ts";
import { isBlank } from "../http/validation.ts";

// Each `error` continues the field's name: see fields.ts.

const nameRule = { error: `must be a string of at most ${AGENT_NAME_CHARS_MAX} characters that is not blank` };

const fields = {
  name: z
    .string(nameRule)
    .refine((value) => !isBlank(value) && [...value].length <= AGENT_NAME_CHARS_MAX, nameRule)
    .meta({
      description: "Display name of the agent; need not be unique.",
      maxLength: AGENT_NAME_CHARS_MAX,
      examples: ["Front desk"],
    }),
  basePrompt: textNotBlank.meta({
    description: "Who the agent is and what it is for: the first layer of the prompt.",
    examples: ["You answer the telephone of a bakery."],
  }),
  context: text.meta({
    description: "What the agent knows. Added to the prompt under the heading `# Context`; omitted when blank.",
    examples: ["The bakery is open from eight to six."],
  }),
  customInstructions: text.meta({
    description: "How the agent behaves. Added to the prompt under `# Instructions`; omitted when blank.",
    examples: ["Answer in one sentence."],
  }),
  languageId: text.meta({ description: "An id from `GET /languages`.", examples: ["en-US"] }),
  voiceId: text.meta({
    description: "The id of a voice from `GET /voices` that speaks the language; names are not accepted here.",
    examples: ["espeak/gmw/en-US"],
  }),
  callSettings: CallSettingsBody.meta({
    description:
      "Settings of the agent's calls, by the names and bounds of `POST /calls`. Absent settings take the default of " +
      "`POST /calls` when a call is made.",
    examples: [{ greeting: "Hello, this is the bakery.", selectedTools: [{ toolName: "hang_up" }] }],
  }),
  toolIds: listOf(text, SELECTED_TOOLS_MAX, "must be a list of strings").meta({
    description: "Saved tools. Not in this version: a non-empty list is 501.",
  }),
  corpusIds: listOf(text, AGENT_CORPORA_MAX, "must be a list of strings").meta({
    description: "Saved corpora. Not in this version: a non-empty list is 501.",
  }),
};

/** `POST /agents`. The voice and the language are looked up afterwards. */
export const NewAgentBody = z
  .strictObject(
    {
      ...fields,
      context: fields.context.default(""),
      customInstructions: fields.customInstructions.default(""),
      callSettings: fields.callSettings.default({}),
      toolIds: fields.toolIds.default([]),
      corpusIds: fields.corpusIds.default([]),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewAgent",
    description:
      "A saved agent. All fields except the name, the base prompt, the language and the voice have a default.",
    examples: [
      {
        name: "Front desk",
        basePrompt: "You answer the telephone of a bakery.",
        context: "The bakery is open from eight to six.",
        customInstructions: "Answer in one sentence.",
        languageId: "en-US",
        voiceId: "espeak/gmw/en-US",
        callSettings: { greeting: "Hello, this is the bakery.", selectedTools: [{ toolName: "hang_up" }] },
      },
    ],
  });
export type NewAgentBody = z.output<typeof NewAgentBody>;

const agentId = z.string().meta({
  description: "`agent_` and a UUIDv7.",
  examples: ["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<AgentId, string>;

export const AgentItem = z
  .object({ id: agentId, ...fields, createdAt: time, updatedAt: time })
  .meta({ id: "Agent", description: "A saved agent." });

export const AgentFilters = z.strictObject(pageFields);

export const AgentList = pageSchema(AgentItem, "A page of agents, oldest first.");

export const AgentParams = z.object({ id: agentId });

/** `POST /agents/{id}/calls`: what the agent does not define. A missing body equals an empty one. */
export const AgentCallBody = NewCallBody.pick({ connectionType: true, websocket: true, metadata: true })
  .meta({
    id: "NewAgentCall",
    description: "Settings of a call from a saved agent, in addition to the agent's.",
    examples: [
      { metadata: { order: "A-17" } },
      { connectionType: "websocket", websocket: { inputSampleRate: 16_000, outputSampleRate: 24_000 } },
    ],
  })
  .nullish();
/** The body as the client sends it; the defaults are those of `NewCallBody`. */
export type AgentCallBody = NonNullable<z.input<typeof AgentCallBody>>;
