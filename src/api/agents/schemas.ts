import { z } from "zod";
import type { AgentId } from "../../core/ids.ts";
import { AGENT_CORPORA_MAX, AGENT_NAME_CHARS_MAX, CALL_VARIABLES_BYTES_MAX } from "../../core/limits/agents/agents.ts";
import { SELECTED_TOOLS_MAX } from "../../core/limits/agents/tools.ts";
import { CallSettingsBody, NewCallBody } from "../calls/schemas/request-schemas.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { flag, listOf, oneOf, text, textNotBlank } from "../http/requests/fields.ts";
import { parameter } from "../http/requests/query.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";
import { agentVariables, VariableValuesBody } from "./variable-schemas.ts";
import { versionNumber } from "./version-number.ts";

// Each `error` continues the field's name: see fields.ts.

const nameRule = { error: `must be a string of at most ${AGENT_NAME_CHARS_MAX} characters that is not blank` };

/** `overrides` of a call: settings by their names in `POST /calls`, of which the agent lists those that it allows. */
export const OverridesBody = CallSettingsBody.extend({
  voice: NewCallBody.shape.voice.optional(),
  language: NewCallBody.shape.language.optional(),
});
export type OverridesBody = z.output<typeof OverridesBody>;

const OVERRIDE_NAMES = Object.keys(OverridesBody.shape) as readonly (keyof OverridesBody)[];

/** The fields of an agent's definition. */
export const definitionFields = {
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
    description:
      "Saved tools of the account, in addition to those of `callSettings`; its calls have them as they are when the call is " +
      "created. An override of `selectedTools` replaces both.",
    examples: [["tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"]],
  }),
  corpusIds: listOf(text, AGENT_CORPORA_MAX, "must be a list of strings").meta({
    description:
      "Corpora of this account that the agent answers from, by the tool `query_corpus`: its settings are those of `query_corpus` in " +
      "`selectedTools`, and without it there the LLM decides when to ask. An unknown id is 400.",
  }),
  variables: agentVariables,
  allowedOverrides: listOf(oneOf(OVERRIDE_NAMES), OVERRIDE_NAMES.length, "must be a list of names").meta({
    description:
      "The settings that a call from this agent may give in `overrides`, by their names in `POST /calls`; none by default.",
    examples: [["greeting", "maxDuration"]],
  }),
};

const NEW_AGENT = {
  name: "Front desk",
  basePrompt: "You answer the telephone of a bakery.",
  context: "The bakery is open from eight to six.",
  customInstructions: "Answer in one sentence.",
  languageId: "en-US",
  voiceId: "espeak/gmw/en-US",
  callSettings: { greeting: "Hello, this is the bakery.", selectedTools: [{ toolName: "hang_up" }] },
};

/** `POST /agents`. The voice and the language are looked up afterwards. */
export const NewAgentBody = z
  .strictObject(
    {
      ...definitionFields,
      context: definitionFields.context.default(""),
      customInstructions: definitionFields.customInstructions.default(""),
      callSettings: definitionFields.callSettings.default({}),
      toolIds: definitionFields.toolIds.default([]),
      corpusIds: definitionFields.corpusIds.default([]),
      variables: definitionFields.variables.default([]),
      allowedOverrides: definitionFields.allowedOverrides.default([]),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewAgent",
    description:
      "A saved agent. All fields except the name, the base prompt, the language and the voice have a default.",
    examples: [
      NEW_AGENT,
      {
        ...NEW_AGENT,
        context: "You call {{customer}} about {{loaves}} loaves.",
        variables: [
          { name: "customer", type: "string" },
          { name: "loaves", type: "number", default: 1 },
        ],
        allowedOverrides: ["greeting", "maxDuration"],
      },
    ],
  });
export type NewAgentBody = z.output<typeof NewAgentBody>;

/** `PATCH /agents/{id}`. */
export const AgentChanges = z
  .strictObject(
    {
      ...definitionFields,
    },
    { error: "must be a JSON object" },
  )
  .partial()
  .extend({
    autoPublish: flag.default(true).meta({
      description: "Whether calls get the change at once. Otherwise it is the draft, until it is published.",
    }),
  })
  .meta({
    id: "AgentChanges",
    description: "What to change. A field that is given replaces the whole field; the rest stays.",
    examples: [{ context: "The bakery is closed on Monday." }, { name: "Night desk", autoPublish: false }],
  });
export type AgentChanges = z.output<typeof AgentChanges>;

export const agentId = z.string().meta({
  description: "`agent_` and a UUIDv7.",
  examples: ["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<AgentId, string>;

export const AgentItem = z
  .object({
    id: agentId,
    ...definitionFields,
    version: z.int().meta({ description: "The number of the live version, whose fields these are." }),
    draftVersion: z.int().nullable().meta({ description: "The number of the newest change that was not published." }),
    publishedAt: time.meta({ description: "When the live version became that." }),
    createdAt: time,
    updatedAt: time.meta({ description: "When a version was last added or published." }),
  })
  .meta({ id: "Agent", description: "A saved agent, as its calls have it." });

const nameFilterRule = { error: `must be a string of 1 to ${AGENT_NAME_CHARS_MAX} characters` };

export const AgentFilters = z.strictObject({
  ...pageFields,
  name: z
    .string({ error: "must be given once" })
    .min(1, nameFilterRule)
    .max(AGENT_NAME_CHARS_MAX, nameFilterRule)
    .optional()
    .meta({ description: "Agents whose name contains this, in any case.", examples: ["desk"] }),
  languageId: parameter.optional().meta({ description: "Agents with exactly this language.", examples: ["en-US"] }),
  voiceId: parameter.optional().meta({ description: "Agents with this voice.", examples: ["espeak/gmw/en-US"] }),
});

export const AgentList = pageSchema(AgentItem, "A page of agents, oldest first.");

export const AgentParams = z.object({ id: agentId });

/** The agent of a call, as `agentId` or `agentId@version`. */
export const AgentCallParams = z.object({
  id: z.string().meta({
    description: "The id of an agent, or `id@version` for a call from one version of it.",
    examples: ["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10@3"],
  }),
});

const versionRule = { error: 'must be "draft" or the number of a version' };

/** `POST /agents/{id}/calls`: what the agent does not define. A missing body equals an empty one. */
export const AgentCallBody = NewCallBody.pick({ connectionType: true, websocket: true, metadata: true })
  .extend({
    version: z
      .union([z.literal("draft"), versionNumber], versionRule)
      .optional()
      .meta({
        description: "The version of the agent to call from: its number, or `draft`. The live version by default.",
      }),
    variables: VariableValuesBody.optional().meta({
      description:
        "Values of the agent's variables. 400 for each that is missing and has no default, has another type, or is not " +
        `declared. At most ${CALL_VARIABLES_BYTES_MAX} bytes as JSON together with the defaults.`,
      examples: [{ customer: "Mrs Miller", loaves: 2 }],
    }),
    overrides: OverridesBody.optional().meta({
      description:
        "Settings of this call in place of the agent's, by the names and bounds of `POST /calls`: those that the agent lists in " +
        "`allowedOverrides`. A greeting is spoken as it is, without variables.",
      examples: [{ maxDuration: 300 }],
    }),
  })
  .meta({
    id: "NewAgentCall",
    description: "Settings of a call from a saved agent, in addition to the agent's.",
    examples: [
      { metadata: { order: "A-17" } },
      { connectionType: "websocket", websocket: { inputSampleRate: 16_000, outputSampleRate: 24_000 } },
      { version: 1, variables: {} },
    ],
  })
  .nullish();
/** The body as the client sends it; the defaults are those of `NewCallBody`. */
export type AgentCallBody = NonNullable<z.input<typeof AgentCallBody>>;
