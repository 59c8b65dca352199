import { z } from "zod";
import { CARRIER_NAMES } from "../../carriers/list.ts";
import { BUILT_IN_TOOLS, type BuiltInTool, HTTP_TOOL_METHODS } from "../../core/calls/spec.ts";
import { isObject } from "../../core/json.ts";
import { RETRIEVAL_MODES } from "../../core/knowledge/call-knowledge.ts";
import {
  TOOL_ANSWER_BYTES_MAX,
  TOOL_DESCRIPTION_CHARS_MAX,
  TOOL_HEADER_CHARS_MAX,
  TOOL_HEADERS_MAX,
  TOOL_NAME_CHARS_MAX,
  TOOL_RESULT_CHARS_MAX,
  TOOL_SCHEMA_CHARS_MAX,
  TOOL_SCHEMA_DEPTH_MAX,
  TOOL_TIMEOUT_MS_DEFAULT,
  TOOL_TIMEOUT_MS_MAX,
  TOOL_TIMEOUT_MS_MIN,
  TOOL_URL_CHARS_MAX,
  TOOL_WHILE_RUNNING_CHARS_MAX,
} from "../../core/limits/agents/tools.ts";
import { HOLD_S_MAX, HOLD_S_MIN } from "../../core/limits/calls/calls.ts";
import {
  CALL_CORPORA_MAX,
  PASSAGES_DEFAULT,
  PASSAGES_LIMIT,
  PASSAGES_MIN,
} from "../../core/limits/knowledge/call-knowledge.ts";
import { DTMF_DIGITS_MAX } from "../../core/limits/phone/phone-calls.ts";
import { DTMF_DIGITS, isHoldSeconds, isTransferTarget } from "../../core/tools/built-in-tools.ts";
import { TOOL_NAME } from "../../core/tools/names.ts";
import { languageCode } from "../../speech/languages.ts";
import {
  ALONGSIDE_FIELD_ERRORS,
  anyObject,
  flag,
  oneOf,
  text,
  textNotBlank,
  wholeNumber,
} from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";

/** Every tool that the service carries out itself, in the order of the specification. */
export const TOOL_NAMES = [
  "hang_up",
  "transfer",
  "send_dtmf",
  "hold_call",
  "pause_recording",
  "resume_recording",
  "query_corpus",
  "switch_language",
] as const satisfies readonly BuiltInTool[];

const TOOL_SELECTORS = ["toolId", "toolName", "definition"] as const;
const DEFINITION_TYPES = ["http", "client"] as const;

/** The allowed `parameterOverrides` of the built-in tools, each with its rule. */
const OVERRIDES: Readonly<Record<string, Readonly<Record<string, [is: (value: unknown) => boolean, rule: string]>>>> = {
  hang_up: {},
  transfer: { target: [isTransferTarget, "must be a telephone number or a SIP address of at most 256 characters"] },
  send_dtmf: { digits: [isDigits, `must be 1 to ${DTMF_DIGITS_MAX} DTMF digits: 0-9, *, #, A-D`] },
  hold_call: { seconds: [isHoldSeconds, `must be a whole number from ${HOLD_S_MIN} to ${HOLD_S_MAX}`] },
  pause_recording: {},
  resume_recording: {},
  query_corpus: {
    corpusIds: [isCorpusIds, `must be a list of 1 to ${CALL_CORPORA_MAX} ids of corpora, each once`],
    retrieval: [isRetrievalMode, `must be ${RETRIEVAL_MODES.join(" or ")}`],
    passagesMax: [isPassagesMax, `must be a whole number from ${PASSAGES_MIN} to ${PASSAGES_LIMIT}`],
    allowEffects: [(value) => typeof value === "boolean", "must be a boolean"],
  },
  switch_language: { language: [isLanguage, "must be a language code such as en or de-AT"] },
};

function isDigits(value: unknown): boolean {
  return typeof value === "string" && DTMF_DIGITS.test(value);
}

function isLanguage(value: unknown): boolean {
  return typeof value === "string" && languageCode(value) !== undefined;
}

function isCorpusIds(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length > CALL_CORPORA_MAX) return false;
  return value.every((id) => typeof id === "string") && new Set(value).size === value.length;
}

function isRetrievalMode(value: unknown): boolean {
  return RETRIEVAL_MODES.some((mode) => mode === value);
}

function isPassagesMax(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= PASSAGES_MIN && Number(value) <= PASSAGES_LIMIT;
}

const nameRule = { error: `must be 1 to ${TOOL_NAME_CHARS_MAX} of the characters A-Z, a-z, 0-9, _ and -` };
const whileRunningRule = {
  error: `must be a string of at most ${TOOL_WHILE_RUNNING_CHARS_MAX} characters that is not blank`,
};
const descriptionRule = {
  error: `must be a string of at most ${TOOL_DESCRIPTION_CHARS_MAX} characters that is not blank`,
};

/** Headers of a request to a server. */
export const headersField = z
  .record(z.string(), text, { error: "must be an object of strings" })
  .refine((headers) => Object.keys(headers).length <= TOOL_HEADERS_MAX, {
    error: `must have at most ${TOOL_HEADERS_MAX} headers`,
  })
  .meta({
    description:
      `At most ${TOOL_HEADERS_MAX}, of at most ${TOOL_HEADER_CHARS_MAX} characters each. \`{{NAME}}\` stands for the secret of this name: your account's own (\`POST /tool-secrets\`), or the one that the service is configured ` +
      "with as `TOOL_SECRET_NAME`, where it may be sent to this server; neither the LLM nor any response of this API contains it. Headers that belong to the " +
      "connection or the body (`Host`, `Content-Length`, `Content-Type` and the like) are the service's own.",
    examples: [{ Authorization: "Bearer {{SHOP_TOKEN}}" }],
  });

export const HttpDefinition = z
  .strictObject(
    {
      method: oneOf(HTTP_TOOL_METHODS).meta({
        description:
          "Arguments that are not in `url` go into the query of GET and DELETE, and into a JSON body otherwise.",
      }),
      url: text.meta({
        description:
          `An http:// or https:// address on the public internet, at most ${TOOL_URL_CHARS_MAX} characters. \`{name}\` in its path or its query ` +
          "stands for an argument, which is percent-encoded. The server is fixed: no argument can name it. Redirects are not followed.",
        examples: ["https://api.example.com/orders/{order}"],
      }),
      headers: headersField.optional(),
    },
    { error: "must be an object" },
  )
  .meta({
    id: "HttpTool",
    description: `The request of a tool of the type \`http\`. The LLM is given at most ${TOOL_RESULT_CHARS_MAX} characters of a response of at most ${TOOL_ANSWER_BYTES_MAX / 1_024} KiB, which must be JSON or text.`,
  });

/** What the LLM is given of a tool. */
export const describedFields = {
  name: z
    .string(nameRule)
    .regex(TOOL_NAME, nameRule)
    .meta({ description: "Name of the tool for the LLM; unique within the call." }),
  description: z
    .string(descriptionRule)
    .max(TOOL_DESCRIPTION_CHARS_MAX, descriptionRule)
    .refine((value) => !isBlank(value), descriptionRule)
    .meta({ description: "For the LLM: what the tool does, and when to use it." }),
  parameters: anyObject.meta({
    description:
      `A JSON Schema (2020-12) of the type \`object\`: the arguments that the LLM may choose. At most ${TOOL_SCHEMA_CHARS_MAX} characters and ${TOOL_SCHEMA_DEPTH_MAX} levels, ` +
      "without external references. The LLM's arguments are validated against it.",
  }),
};

/** How a tool runs. */
export const runFields = {
  timeoutMs: wholeNumber(TOOL_TIMEOUT_MS_MIN, TOOL_TIMEOUT_MS_MAX)
    .default(TOOL_TIMEOUT_MS_DEFAULT)
    .meta({ description: "Timeout in milliseconds; after it the LLM is given a timeout error." }),
  readOnly: flag.default(false).meta({
    description:
      "The tool changes nothing: the LLM may be given it where tools with effects are not offered, and it is sent again like an `idempotent` one.",
  }),
  idempotent: flag.default(false).meta({
    description:
      "Twice is as once: an HTTP tool is sent once more, within `timeoutMs`, when its server could not be reached or answered 502, 503 or 504.",
  }),
  whileRunning: z
    .string(whileRunningRule)
    .max(TOOL_WHILE_RUNNING_CHARS_MAX, whileRunningRule)
    .refine((value) => !isBlank(value), whileRunningRule)
    .optional()
    .meta({
      description: "What the agent says while the tool takes long, in place of the service's own phrase.",
      examples: ["I am looking that up."],
    }),
};

const ToolDefinition = z
  .strictObject(
    {
      type: oneOf(DEFINITION_TYPES).meta({
        description:
          "`http`: the service sends a request. `client`: the program at the other end of a raw WebSocket carries it out when it " +
          "receives `toolCall`; only with `connectionType` `websocket` or `webrtc`.",
      }),
      ...describedFields,
      http: HttpDefinition.optional(),
      ...runFields,
    },
    { error: "must be an object" },
  )
  .superRefine(({ type, http }, context) => {
    if (type === "http" && http === undefined) {
      context.addIssue({ code: "custom", path: ["http"], message: 'is required with the type "http"', input: http });
    }
    if (type === "client" && http !== undefined) {
      context.addIssue({ code: "custom", path: ["http"], message: 'must be absent with the type "client"', input: "" });
    }
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({ id: "ToolDefinition", description: "A tool of your own, for one call or the calls of one agent." });
export type ToolDefinition = z.output<typeof ToolDefinition>;

/** The shape of one tool; selected-tools.ts checks the rest. */
export const SelectedTool = z
  .strictObject(
    {
      toolId: textNotBlank.optional().meta({
        description:
          "A saved tool of the account: see `POST /tools`. The call has it as it was when the call was created.",
        examples: ["tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
      }),
      toolName: oneOf(TOOL_NAMES)
        .optional()
        .meta({
          description:
            `A built-in tool: ${BUILT_IN_TOOLS.join(", ")}. \`send_dtmf\` needs a telephone line: ` +
            `${CARRIER_NAMES.join(", ")}. \`query_corpus\` searches the documents of corpora.`,
        }),
      definition: ToolDefinition.optional(),
      parameterOverrides: anyObject.optional().meta({
        description:
          "Fixed arguments, which the LLM neither chooses nor sees: `target` of `transfer`, `digits` of `send_dtmf`, `seconds` of `hold_call`, " +
          "`language` of `switch_language`, the `parameters` of a definition or of a saved tool, of an MCP server those of any of its tools. `query_corpus` has settings here: `corpusIds`, which it " +
          "needs unless the agent has corpora; `retrieval`: `tool` (the default: the LLM decides when to ask) or `always` (passages are " +
          "fetched for every turn of the caller, while the caller still speaks); `passagesMax`, 1 to " +
          `${PASSAGES_LIMIT}, ${PASSAGES_DEFAULT} by default; \`allowEffects\`: after passages were read in a turn, the LLM may call tools with effects at once. ` +
          "Without it these are not offered until the caller has spoken again.",
      }),
    },
    { error: "must be an object" },
  )
  .superRefine((tool, context) => {
    if (TOOL_SELECTORS.filter((kind) => tool[kind] !== undefined).length !== 1) {
      context.addIssue({ code: "custom", message: `must have exactly one of ${TOOL_SELECTORS.join(", ")}` });
    }
    const { toolName, definition, parameterOverrides } = tool;
    if (!isObject(parameterOverrides)) return;
    const rules = toolName === undefined ? undefined : OVERRIDES[toolName];
    // Those of a saved tool are looked up afterwards.
    const known = rules === undefined ? propertiesOf(definition) : Object.keys(rules);
    const keys = Object.keys(parameterOverrides).filter((name) => known !== undefined && !known.includes(name));
    if (keys.length > 0) context.addIssue({ code: "unrecognized_keys", keys, path: ["parameterOverrides"] });
    for (const [name, [is, rule]] of Object.entries(rules ?? {})) {
      const input = parameterOverrides[name];
      if (input === undefined || is(input)) continue;
      context.addIssue({ code: "custom", path: ["parameterOverrides", name], message: rule, input });
    }
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "SelectedTool",
    description: `Exactly one of ${TOOL_SELECTORS.join(", ")}. No two tools of a call have the same name.`,
    examples: [
      { toolName: "hang_up" },
      { toolName: "transfer", parameterOverrides: { target: "+15550100" } },
      {
        toolName: "query_corpus",
        parameterOverrides: { corpusIds: ["cor_0198c5b4-6f10-7c3a-9d1e-2f4b8a6c0e57"], retrieval: "always" },
      },
      {
        definition: {
          type: "http",
          name: "order_status",
          description: "Tells how far an order is.",
          parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
          http: {
            method: "GET",
            url: "https://api.example.com/orders/{order}",
            headers: { Accept: "application/json" },
          },
          timeoutMs: 5_000,
          readOnly: true,
          idempotent: false,
        },
      },
    ],
  });
export type SelectedTool = z.output<typeof SelectedTool>;

/** Undefined without a definition. */
function propertiesOf(definition: unknown): string[] | undefined {
  if (!isObject(definition) || !isObject(definition.parameters)) return undefined;
  const { properties } = definition.parameters;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** A tool as a call shows it: how it was selected; header values are omitted. */
export const ToolItem = z
  .object({
    toolId: z.string().optional().meta({ description: "The saved tool that `definition` comes from." }),
    toolName: z.string().optional(),
    definition: z
      .object({
        type: z.enum([...DEFINITION_TYPES, "mcp"]),
        name: z.string(),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        http: z
          .object({
            method: z.enum(HTTP_TOOL_METHODS),
            url: z.string(),
            headerNames: z.array(z.string()).meta({ description: "Their values are not shown again." }),
          })
          .optional(),
        mcp: z
          .object({ url: z.string(), headerNames: z.array(z.string()) })
          .optional()
          .meta({ description: "The server of a tool of the type `mcp`." }),
        timeoutMs: z.int(),
        readOnly: z.boolean(),
        idempotent: z.boolean(),
        whileRunning: z.string().optional(),
      })
      .optional(),
    parameterOverrides: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: "CallTool",
    description: "A tool of the call, as it was selected; of an MCP server each of its tools by itself.",
  });
