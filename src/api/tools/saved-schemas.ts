import { z } from "zod";
import { HTTP_TOOL_METHODS } from "../../core/calls/spec.ts";
import type { ToolId } from "../../core/ids.ts";
import {
  MCP_ALLOWED_TOOLS_MAX,
  MCP_LIST_FRESH_MS,
  MCP_TOOL_NAME_CHARS_MAX,
  MCP_TOOLS_MAX,
  TOOL_NAME_CHARS_MAX,
  TOOL_RUN_TEXT_CHARS_MAX,
} from "../../core/limits/agents/tools.ts";
import { OMISSION_MEANINGS, OMISSION_REASONS } from "../../core/tools/mcp/messages.ts";
import { TOOL_FAULTS } from "../../core/tools/outcome.ts";
import { SAVED_TOOL_TYPES } from "../../store/tool-store.ts";
import { meaningsOf } from "../calls/schemas/meanings.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { ALONGSIDE_FIELD_ERRORS, anyObject, listOf, oneOf, text } from "../http/requests/fields.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";
import { describedFields, HttpDefinition, headersField, runFields } from "./schemas.ts";

// Each `error` continues the field's name: see fields.ts.

const toolNameRule = { error: `must be a string of 1 to ${MCP_TOOL_NAME_CHARS_MAX} characters` };

const McpDefinition = z
  .strictObject(
    {
      url: text.meta({
        description:
          "The server's endpoint for Streamable HTTP: an http:// or https:// address on the public internet. Redirects are not followed.",
        examples: ["https://mcp.example.com/mcp"],
      }),
      headers: headersField.optional(),
      allowedTools: listOf(
        z.string(toolNameRule).min(1, toolNameRule).max(MCP_TOOL_NAME_CHARS_MAX, toolNameRule),
        MCP_ALLOWED_TOOLS_MAX,
        "must be a list of strings",
      )
        .optional()
        .meta({
          description: `The tools of the server that calls may have; all of them by default, at most ${MCP_TOOLS_MAX}.`,
          examples: [["search_orders"]],
        }),
    },
    { error: "must be an object" },
  )
  .meta({ id: "McpServer", description: "The server of a tool of the type `mcp`, which has tools of its own." });

const type = oneOf(SAVED_TOOL_TYPES).meta({
  description:
    "`http`: the service sends a request. `client`: the program at the other end of a call's raw WebSocket or WebRTC carries it out. " +
    "`mcp`: an MCP server, each of whose tools the LLM gets. It never changes.",
});

/** Fields that a type must have, and those that it must not. */
const FIELDS_OF_TYPE = {
  http: { needs: ["description", "parameters", "http"], refuses: ["mcp"] },
  client: { needs: ["description", "parameters"], refuses: ["http", "mcp"] },
  mcp: { needs: ["mcp"], refuses: ["parameters", "http"] },
} as const;

const definitionFields = {
  name: describedFields.name.meta({
    description: "For the LLM; of an MCP server for people alone. Need not be unique in the account, but in a call.",
    examples: ["order_status"],
  }),
  description: describedFields.description.optional(),
  parameters: describedFields.parameters.optional(),
  http: HttpDefinition.optional(),
  mcp: McpDefinition.optional(),
  ...runFields,
};

const HTTP_EXAMPLE = {
  name: "order_status",
  description: "Tells how far an order is.",
  parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  timeoutMs: 5_000,
  readOnly: true,
  idempotent: false,
  whileRunning: "I am looking that up.",
};
const ORDER_URL = "https://api.example.com/orders/{order}";

/** `POST /tools`. The rules between fields are checked for changes, too. */
export const NewToolBody = z
  .strictObject({ type, ...definitionFields }, { error: "must be a JSON object" })
  .superRefine((body, context) => {
    const rules = FIELDS_OF_TYPE[body.type];
    if (rules === undefined) return;
    for (const field of rules.needs) {
      if (body[field] !== undefined) continue;
      const message = `is required with the type "${body.type}"`;
      context.addIssue({ code: "custom", path: [field], message, input: undefined });
    }
    for (const field of rules.refuses) {
      if (body[field] === undefined) continue;
      context.addIssue({
        code: "custom",
        path: [field],
        message: `must be absent with the type "${body.type}"`,
        input: "",
      });
    }
  }, ALONGSIDE_FIELD_ERRORS)
  .meta({
    id: "NewTool",
    description: "A tool to save. `parameters` and `http` or `mcp` depend on the type.",
    examples: [
      {
        type: "http",
        ...HTTP_EXAMPLE,
        http: { method: "GET", url: ORDER_URL, headers: { Accept: "application/json" } },
      },
    ],
  });
export type NewToolBody = z.output<typeof NewToolBody>;

/** A field without its default, and without a value it stays. */
const unchanged = <Field extends z.ZodType>(field: z.ZodDefault<Field>) =>
  (field.unwrap() as unknown as Field).optional().meta({ description: field.description ?? "" });

/** `PATCH /tools/{id}`. */
export const ToolChanges = z
  .strictObject(
    {
      ...definitionFields,
      name: definitionFields.name.optional(),
      timeoutMs: unchanged(runFields.timeoutMs),
      readOnly: unchanged(runFields.readOnly),
      idempotent: unchanged(runFields.idempotent),
      whileRunning: runFields.whileRunning.unwrap().nullable().optional().meta({
        description: "As in `POST /tools`; null for the service's own phrase.",
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "ToolChanges",
    description: "What to change. A field that is given replaces the whole field, headers included; the rest stays.",
    examples: [{ timeoutMs: 8_000, whileRunning: null }],
  });
export type ToolChanges = z.output<typeof ToolChanges>;

const toolId = z.string().meta({
  description: "`tool_` and a UUIDv7.",
  examples: ["tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<ToolId, string>;

export const ToolParams = z.object({ id: toolId });

const headerNames = z.array(z.string()).meta({ description: "Their values are not shown again." });

const mcpFields = {
  url: z.string(),
  headerNames,
  allowedTools: z.array(z.string()).nullable(),
  toolNames: z.array(z.string()).meta({ description: "The tools that calls get." }),
  omittedTools: z
    .array(z.object({ name: z.string(), reason: z.enum(OMISSION_REASONS) }))
    .meta({ description: `Tools of the server that calls do not get, the first 50. ${meaningsOf(OMISSION_MEANINGS)}` }),
  listedAt: time.meta({
    description: `When the server was last asked for its tools. It is asked again when a call is created and the list is older than ${MCP_LIST_FRESH_MS / 1_000} s.`,
  }),
  listFailure: z.string().nullable().meta({ description: "Why it could not be asked again; the earlier list stays." }),
};

const itemFields = {
  id: toolId,
  type: z.enum(SAVED_TOOL_TYPES),
  name: z.string(),
  description: z.string().nullable(),
  parameters: anyObject.nullable(),
  http: z.object({ method: z.enum(HTTP_TOOL_METHODS), url: z.string(), headerNames }).nullable(),
  mcp: z.object(mcpFields).nullable(),
  timeoutMs: z.int(),
  readOnly: z.boolean(),
  idempotent: z.boolean(),
  whileRunning: z.string().nullable(),
  version: z.int().meta({ description: "1 for the first; goes up with every change." }),
  createdAt: time,
  updatedAt: time,
};

const ITEM_EXAMPLE = {
  id: "tool_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
  type: "http" as const,
  ...HTTP_EXAMPLE,
  http: { method: "GET" as const, url: ORDER_URL, headerNames: ["Authorization"] },
  mcp: null,
  version: 1,
  createdAt: "2026-11-21T12:00:00.000Z",
  updatedAt: "2026-11-21T12:00:00.000Z",
};

const McpToolItem = z.object({ name: z.string(), description: z.string(), parameters: anyObject });

export const ToolItem = z
  .object({
    ...itemFields,
    mcp: z.object({ ...mcpFields, tools: z.array(McpToolItem) }).nullable(),
  })
  .meta({
    id: "Tool",
    description: "A saved tool, without the values of its headers.",
    examples: [ITEM_EXAMPLE],
  });

export const ToolSummary = z.object(itemFields).meta({
  id: "ToolSummary",
  description: "A saved tool as lists show it: of an MCP server the names of its tools.",
  examples: [ITEM_EXAMPLE],
});

export const ToolFilters = z.strictObject({
  ...pageFields,
  type: oneOf(SAVED_TOOL_TYPES).optional().meta({ description: "Tools of this type." }),
  name: z
    .string({ error: "must be given once" })
    .min(1, { error: `must be a string of 1 to ${TOOL_NAME_CHARS_MAX} characters` })
    .max(TOOL_NAME_CHARS_MAX, { error: `must be a string of 1 to ${TOOL_NAME_CHARS_MAX} characters` })
    .optional()
    .meta({ description: "Tools with exactly this name.", examples: ["order_status"] }),
});

export const ToolList = pageSchema(ToolSummary, "A page of saved tools, oldest first.");

export const BuiltInToolItem = z
  .object({
    toolName: z.string().meta({ description: "Its name for the LLM and in `selectedTools`." }),
    description: z.string(),
    parameters: anyObject.meta({
      description: "The JSON Schema of its arguments, each of which `parameterOverrides` may fix.",
    }),
    readOnly: z.boolean().meta({ description: "It does nothing to the call." }),
  })
  .meta({
    id: "BuiltInTool",
    description: "A tool that the service carries out by itself.",
    examples: [
      {
        toolName: "hang_up",
        description: "Ends the call once everything said before it has been heard. Say goodbye first.",
        parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
        readOnly: false,
      },
    ],
  });

export const BuiltInToolList = pageSchema(BuiltInToolItem, "All built-in tools, on one page.");

/** `POST /tools/{id}/test`. */
export const ToolTestBody = z
  .strictObject(
    {
      arguments: anyObject.default({}).meta({ description: "The arguments, as the LLM would choose them." }),
      toolName: text.optional().meta({
        description: "Which tool of an MCP server to run; absent for other types.",
        examples: ["search_orders"],
      }),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "ToolTest",
    description: "What to run a saved tool with.",
    examples: [{ arguments: { order: "A-17" } }],
  });

export const ToolTestResult = z
  .object({
    runId: z.string(),
    request: z
      .object({
        method: z.string(),
        url: z.string(),
        headers: z.record(z.string(), z.string()),
        body: z.string().nullable(),
      })
      .nullable()
      .meta({ description: "The request, with `***` in place of secrets; null when nothing was sent." }),
    response: z
      .object({ status: z.int().nullable().meta({ description: "Of HTTP; null for a result of an MCP server." }) })
      .nullable()
      .meta({ description: "Null when there was none." }),
    result: z.string().meta({ description: "What the LLM would be given, before it is cut." }),
    failed: z.boolean(),
    fault: z
      .enum(TOOL_FAULTS)
      .nullable()
      .meta({ description: "What went wrong: the `code` of the log line `tool call failed`." }),
    durationMs: z.number(),
  })
  .meta({
    id: "ToolTestResult",
    description: "What a test of a saved tool led to.",
    examples: [
      {
        runId: "tool_run_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e11",
        request: {
          method: "GET",
          url: "https://api.example.com/orders/A-17",
          headers: { Authorization: "Bearer ***" },
          body: null,
        },
        response: { status: 200 },
        result: '{"state":"on its way"}',
        failed: false,
        fault: null,
        durationMs: 84,
      },
    ],
  });

export const ToolRunItem = z
  .object({
    id: z.string(),
    source: z.enum(["call", "test"]),
    callId: z.string().nullable(),
    toolName: z.string().meta({ description: "The tool that ran: of an MCP server one of its tools." }),
    startedAt: time,
    durationMs: z.number().nullable().meta({ description: "Null when the call ended first, as is `failed`." }),
    failed: z.boolean().nullable(),
    arguments: z
      .string()
      .nullable()
      .meta({
        description:
          `JSON of the arguments, and what the LLM was given, each cut after ${TOOL_RUN_TEXT_CHARS_MAX} characters; null where the call ` +
          "stores no words, and once its transcript was deleted.",
      }),
    result: z.string().nullable(),
  })
  .meta({
    id: "ToolRun",
    description: "One run of a saved tool, in a call that is over or in a test.",
    examples: [
      {
        id: "tool_run_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e11",
        source: "call",
        callId: "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e12",
        toolName: "order_status",
        startedAt: "2026-11-21T12:00:04.210Z",
        durationMs: 84,
        failed: false,
        arguments: '{"order":"A-17"}',
        result: '{"state":"on its way"}',
      },
    ],
  });

export const ToolRunFilters = z.strictObject({
  ...pageFields,
  source: oneOf(["call", "test"]).optional().meta({ description: "Runs of calls, or tests." }),
  failed: oneOf(["true", "false"]).optional().meta({ description: "Runs that failed, or those that did not." }),
});

export const ToolRunList = pageSchema(ToolRunItem, "A page of the runs of a tool, newest first.");
