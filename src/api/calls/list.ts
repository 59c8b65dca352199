import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { CONNECTION_TYPES } from "../../carriers/list.ts";
import { CALL_DIRECTIONS } from "../../core/calls/phone.ts";
import { END_REASONS } from "../../core/calls/reasons.ts";
import { epochMs } from "../../core/clocks.ts";
import { type AgentId, asCallId } from "../../core/ids.ts";
import { isObject } from "../../core/json.ts";
import { LIST_HEADERS_MAX, LIST_METADATA_MAX } from "../../core/limits/control-api/api.ts";
import { PHONE_ADDRESS_CHARS_MAX } from "../../core/limits/phone/carriers.ts";
import { STREAM_ID_CHARS_MAX } from "../../core/limits/streams/messages.ts";
import { CALL_STATUSES, type CallQuery, type CallStore } from "../../store/calls/call-store.ts";
import { oneOf } from "../http/requests/fields.ts";
import { parameter } from "../http/requests/query.ts";
import { cursorOf, idOf, pageFields } from "../http/responses/cursor.ts";
import {
  LARGE_RESPONSE_ERRORS,
  type LargeResponsesDeps,
  largeResponseHooks,
} from "../http/responses/large-response-hooks.ts";
import { pageOf, pageSchema } from "../http/responses/pages.ts";
import { type HeldSince, summaryOf } from "./item.ts";
import { CallSummary } from "./schemas/response-schemas.ts";

export interface CallListDeps extends LargeResponsesDeps {
  calls: Pick<CallStore, "list">;
  heldSince: HeldSince;
}

const timeRule = {
  error: "must be a time in ISO 8601 with its zone, such as 2026-11-21T08:00:00Z; in a query, + is written %2B",
};
/** A time in a query. */
export const timeParameter = z.iso.datetime({ offset: true, ...timeRule });

const conditions = (name: string, countMax: number) =>
  z.record(z.string(), parameter, { error: `must be written ${name}[key]=value` }).superRefine((given, context) => {
    const count = Object.keys(given).length;
    if (count <= countMax) return;
    context.addIssue({ code: "custom", message: `must have at most ${countMax} conditions, not ${count}` });
  });

const carrierCallIdRule = { error: `must be a string of 1 to ${STREAM_ID_CHARS_MAX} characters` };

const phoneRule = { error: `must be a string of 1 to ${PHONE_ADDRESS_CHARS_MAX} characters` };
const phoneParameter = z
  .string({ error: "must be given once" })
  .min(1, phoneRule)
  .max(PHONE_ADDRESS_CHARS_MAX, phoneRule);

const Filters = z.strictObject({
  ...pageFields,
  status: oneOf(CALL_STATUSES).optional().meta({ description: "Calls that are in this state now." }),
  connectionType: oneOf(CONNECTION_TYPES).optional().meta({ description: "Calls with this connection type." }),
  endReason: oneOf(END_REASONS).optional().meta({ description: "Calls that ended for this reason." }),
  agentId: (parameter as unknown as z.ZodType<AgentId, string>)
    .optional()
    .meta({ description: "Calls that were created from this saved agent." }),
  carrierCallId: z
    .string({ error: "must be given once" })
    .min(1, carrierCallIdRule)
    .max(STREAM_ID_CHARS_MAX, carrierCallIdRule)
    .optional()
    .meta({
      description: "Calls with this id at their carrier, known once their stream has started.",
      examples: ["CA0123456789abcdef0123456789abcdef"],
    }),
  direction: oneOf(CALL_DIRECTIONS).optional().meta({ description: "Telephone calls in this direction." }),
  from: phoneParameter.optional().meta({
    description:
      "Telephone calls from this number or address, exactly as the record shows it; in a query, + is written %2B.",
    examples: ["+15550199"],
  }),
  to: phoneParameter.optional().meta({
    description: "Telephone calls to this number or address.",
    examples: ["+15550100"],
  }),
  createdAfter: timeParameter.optional().meta({
    description: "Calls that were created at this time or later.",
    examples: ["2026-11-21T08:00:00.000Z"],
  }),
  createdBefore: timeParameter.optional().meta({
    description: "Calls that were created before this time.",
    examples: ["2026-11-22T08:00:00.000Z"],
  }),
  header: conditions("header", LIST_HEADERS_MAX)
    .optional()
    .meta({
      description:
        "`header[name]=value`: telephone calls whose carrier sent this header with exactly this value, as the record shows it. The case of " +
        `the name does not matter. At most ${LIST_HEADERS_MAX}, and all must match.`,
      examples: [{ "x-customer": "1234" }],
    }),
  metadata: conditions("metadata", LIST_METADATA_MAX)
    .optional()
    .meta({
      description:
        "`metadata[key]=value`: calls whose metadata has this top-level key with this value. The key must not contain brackets. Strings " +
        `are written as they are, numbers and booleans as in JSON. At most ${LIST_METADATA_MAX}, and all must match.`,
      examples: [{ order: "A-17" }],
    }),
});

/** About forty calls with the longest metadata fill a page. */
const CALLS_PER_READ = 25;

const CONDITION = /^(metadata|header)\[([^[\]]*)\]$/;

/**
 * Collects the parameters that OpenAPI's style deepObject writes as `metadata[key]=value` under one name, and those of headers. A key
 * `__proto__` would be lost in the object: it stays a parameter of its own and is refused as unknown.
 */
function withConditions(query: unknown): unknown {
  if (!isObject(query)) return query;
  const found = { metadata: [] as [string, unknown][], header: [] as [string, unknown][] };
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const [, of, key] = CONDITION.exec(name) ?? [];
    if (key === undefined || key === "__proto__") rest.push([name, value]);
    else found[of as keyof typeof found].push([key, value]);
  }
  const collected = Object.entries(found).flatMap(([of, pairs]) =>
    pairs.length === 0 ? [] : [[of, Object.fromEntries(pairs)] as const],
  );
  return { ...Object.fromEntries(collected), ...Object.fromEntries(rest) };
}

const LIST = {
  operationId: "listCalls",
  scope: "read" as const,
  tags: ["calls"],
  summary: "List calls",
  description:
    "The account's calls, newest first. Calls created meanwhile come before the first page and do not shift the following pages. " +
    "Filters can be combined: a call must match all of them. A page may be shorter than " +
    "`limit`, or empty where many calls match each filter and few match all: rely on `nextCursor`.",
  querystring: z.preprocess(withConditions, Filters),
  errors: LARGE_RESPONSE_ERRORS,
  response: { 200: pageSchema(CallSummary, "A page of calls, newest first.") },
};

/** Registers `GET /calls` in `scope`, which must require an API key. */
export function callListRoutes(scope: FastifyInstance, { calls, heldSince, largeResponses }: CallListDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.get("/calls", { schema: LIST, ...largeResponseHooks(largeResponses) }, async (request) => {
    const { accountId } = request;
    const { limit, cursor, createdAfter, createdBefore, header: headers, ...same } = request.query;
    const filters = {
      ...same,
      headers,
      createdFromMs: createdAfter === undefined ? undefined : epochMs(Date.parse(createdAfter)),
      createdBeforeMs: createdBefore === undefined ? undefined : epochMs(Date.parse(createdBefore)),
    } satisfies Partial<CallQuery>;
    const list = ["calls", accountId, filters];
    const afterCallId = cursor === undefined ? undefined : asCallId(idOf(cursor, list));
    let continueAfterId = afterCallId;
    const { items: data, more } = await pageOf<z.output<typeof CallSummary>>(
      limit,
      CALLS_PER_READ,
      async (_, count) => {
        const found = await calls.list(accountId, { ...filters, afterCallId: continueAfterId, limit: count });
        ({ continueAfterId } = found);
        // A search that was given up for now is continued by the next request.
        return {
          items: found.calls.map((call) => summaryOf(call, heldSince(call.id))),
          more: found.more && found.calls.length === count,
        };
      },
    );
    const lastId = more ? data.at(-1)?.id : continueAfterId;
    return { data, nextCursor: lastId === undefined ? null : cursorOf(lastId, list) };
  });
}
