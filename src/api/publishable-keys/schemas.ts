import { z } from "zod";
import { asAgentId, asPublishableKeyId, type PublishableKeyId } from "../../core/ids.ts";
import { API_KEY_NAME_CHARS_MAX } from "../../core/limits/accounts/api-keys.ts";
import { MAX_COST_MAX, MAX_COST_MIN } from "../../core/limits/accounts/spend.ts";
import {
  ORIGIN_CHARS_MAX,
  PUBLISHABLE_KEY_AGENTS_MAX,
  PUBLISHABLE_KEY_ORIGINS_MAX,
  STARTS_PER_MINUTE_DEFAULT,
  STARTS_PER_MINUTE_MAX,
  STARTS_PER_MINUTE_PER_ADDRESS_DEFAULT,
  WEB_CALLS_AT_ONCE_DEFAULT,
  WEB_CALLS_AT_ONCE_MAX,
  WEB_CALLS_AT_ONCE_PER_ADDRESS_DEFAULT,
} from "../../core/limits/accounts/web-calls.ts";
import { isSerializedOrigin, serializedOriginOf } from "../../core/network/origins.ts";
import { PUBLISHABLE_KEY_STATUSES } from "../../store/accounts/publishable-key-store.ts";
import { agentId } from "../agents/schemas.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { numberBetween, oneOf, wholeNumber } from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const publishableKeyId = z.string().meta({
  description: "`publishable_key_` and a UUIDv7.",
  examples: ["publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<PublishableKeyId, string>;

export const PublishableKeyParams = z.object({ id: publishableKeyId });

const nameRule = {
  error: `must be a string of 1 to ${API_KEY_NAME_CHARS_MAX} characters that is not blank and has no control characters`,
};
const agentIdsRule = {
  error: `must be a list of 1 to ${PUBLISHABLE_KEY_AGENTS_MAX} ids of agents without repetitions`,
};
const originsRule = { error: `must be a list of 1 to ${PUBLISHABLE_KEY_ORIGINS_MAX} origins without repetitions` };
const ORIGIN_RULE = "must be an origin exactly as browsers send it, such as https://shop.example";

const isWithoutRepetitions = (items: readonly string[]): boolean => new Set(items).size === items.length;

const name = z
  .string(nameRule)
  .refine((value) => [...value].length <= API_KEY_NAME_CHARS_MAX && !isBlank(value) && !/\p{Cc}/u.test(value), nameRule)
  .meta({ description: "What it is for.", examples: ["shop"] });
const origin = z
  .string({ error: ORIGIN_RULE })
  .max(ORIGIN_CHARS_MAX, { error: ORIGIN_RULE })
  .superRefine((value, context) => {
    if (isSerializedOrigin(value)) return;
    const right = serializedOriginOf(value);
    const message = right === undefined ? ORIGIN_RULE : `${ORIGIN_RULE} (here ${right})`;
    context.addIssue({ code: "custom", message, input: value });
  });
const agentIds = z
  .array(agentId, agentIdsRule)
  .min(1, agentIdsRule)
  .max(PUBLISHABLE_KEY_AGENTS_MAX, agentIdsRule)
  .refine(isWithoutRepetitions, agentIdsRule)
  .meta({
    description: "The agents from which it may start calls.",
    examples: [["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"]],
  });
const origins = z
  .array(origin, originsRule)
  .min(1, originsRule)
  .max(PUBLISHABLE_KEY_ORIGINS_MAX, originsRule)
  .refine(isWithoutRepetitions, originsRule)
  .meta({
    description: "The origins of the pages that may use it: scheme, host and port as browsers send them. No wildcards.",
    examples: [["https://shop.example"]],
  });

const starts = wholeNumber(1, STARTS_PER_MINUTE_MAX);
const concurrent = wholeNumber(1, WEB_CALLS_AT_ONCE_MAX);
const cost = numberBetween(MAX_COST_MIN, MAX_COST_MAX).nullable();

const limitFields = {
  startsPerMinute: starts.meta({
    description: "Requests to start a call within a minute, also those that are refused.",
  }),
  startsPerMinutePerAddress: starts.meta({ description: "The same of one address." }),
  concurrentCalls: concurrent.meta({ description: "Calls at once, created or active." }),
  concurrentCallsPerAddress: concurrent.meta({ description: "The same of one address." }),
  maxCostPerDay: cost.meta({
    description:
      "What the calls of a day (UTC, by their creation) may cost, in the currency of the service's prices; null: no limit. 400 " +
      "when a price that an agent needs is not configured.",
    examples: [20],
  }),
  maxCostPerDayPerAddress: cost.meta({ description: "The same of one address.", examples: [1] }),
};

const DEFAULT_LIMITS = {
  startsPerMinute: STARTS_PER_MINUTE_DEFAULT,
  startsPerMinutePerAddress: STARTS_PER_MINUTE_PER_ADDRESS_DEFAULT,
  concurrentCalls: WEB_CALLS_AT_ONCE_DEFAULT,
  concurrentCallsPerAddress: WEB_CALLS_AT_ONCE_PER_ADDRESS_DEFAULT,
  maxCostPerDay: null,
  maxCostPerDayPerAddress: null,
};

const limitsRule = { error: "must be an object" };
const limitsDescription =
  "What calls it may start. An address is that of the client, of which an IPv6 address counts as its /64.";

const NewLimits = z
  .strictObject(
    {
      startsPerMinute: limitFields.startsPerMinute.default(DEFAULT_LIMITS.startsPerMinute),
      startsPerMinutePerAddress: limitFields.startsPerMinutePerAddress.default(
        DEFAULT_LIMITS.startsPerMinutePerAddress,
      ),
      concurrentCalls: limitFields.concurrentCalls.default(DEFAULT_LIMITS.concurrentCalls),
      concurrentCallsPerAddress: limitFields.concurrentCallsPerAddress.default(
        DEFAULT_LIMITS.concurrentCallsPerAddress,
      ),
      maxCostPerDay: limitFields.maxCostPerDay.default(null),
      maxCostPerDayPerAddress: limitFields.maxCostPerDayPerAddress.default(null),
    },
    limitsRule,
  )
  .meta({ id: "NewWebCallLimits", description: limitsDescription, examples: [{ startsPerMinute: 30 }] });

const AGENT_IDS = [asAgentId("agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10")];
const ORIGINS = ["https://shop.example"];

/** `POST /publishable-keys`. Whether the agents exist is looked up afterwards. */
export const NewPublishableKeyBody = z
  .strictObject(
    { name, agentIds, origins, limits: NewLimits.default(DEFAULT_LIMITS) },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "NewPublishableKey",
    description: "Which pages may start calls from which agents, and how many.",
    examples: [
      { name: "shop", agentIds: AGENT_IDS, origins: ORIGINS },
      { name: "trial", agentIds: AGENT_IDS, origins: ["http://localhost:5173"], limits: { concurrentCalls: 2 } },
    ],
  });

/** `PATCH /publishable-keys/{id}`. */
export const PublishableKeyChangesBody = z
  .strictObject(
    {
      name: name.optional(),
      agentIds: agentIds.optional(),
      origins: origins.optional(),
      limits: z
        .strictObject(limitFields, limitsRule)
        .partial()
        .meta({ id: "PublishableKeyLimitChanges", description: "The limits to change; the others stay." })
        .optional(),
    },
    { error: "must be a JSON object" },
  )
  .meta({
    id: "PublishableKeyChanges",
    description: "What to change; the rest stays. A list that is given replaces the whole list.",
    examples: [{ limits: { startsPerMinute: 10 } }, { origins: ["https://shop.example", "https://www.shop.example"] }],
  });

export const PublishableKeyItem = z
  .object({
    id: publishableKeyId,
    name: z.string().meta({ description: "What it is for." }),
    key: z.string().meta({ description: "Its text, for pages: the header X-API-Key. It is no secret." }),
    status: z.enum(PUBLISHABLE_KEY_STATUSES).meta({ description: "Only an `active` one is accepted." }),
    agentIds: z.array(agentId).meta({ description: "The agents from which it may start calls." }),
    origins: z.array(z.string()).meta({ description: "The origins of the pages that may use it." }),
    limits: z.object(limitFields).meta({ description: limitsDescription }),
    createdAt: time,
    updatedAt: time.meta({ description: "When it was last changed or revoked." }),
    revokedAt: time.nullable().meta({ description: "When it was revoked." }),
  })
  .meta({
    id: "PublishableKey",
    description: "A publishable key.",
    examples: [
      {
        id: asPublishableKeyId("publishable_key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
        name: "shop",
        key: "pk_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE",
        status: "active" as const,
        agentIds: AGENT_IDS,
        origins: ORIGINS,
        limits: DEFAULT_LIMITS,
        createdAt: "2026-11-20T08:00:00.000Z",
        updatedAt: "2026-11-20T08:00:00.000Z",
        revokedAt: null,
      },
    ],
  });

export const PublishableKeyFilters = z.strictObject({
  ...pageFields,
  status: oneOf(PUBLISHABLE_KEY_STATUSES)
    .optional()
    .meta({ description: "Publishable keys that are in this state now." }),
});

export const PublishableKeyList = pageSchema(PublishableKeyItem, "A page of publishable keys, oldest first.");
