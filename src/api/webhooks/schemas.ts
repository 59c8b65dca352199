import { z } from "zod";
import type { CallId, DeliveryId, WebhookId } from "../../core/ids.ts";
import {
  SECRET_OVERLAP_S_DEFAULT,
  SECRET_OVERLAP_S_MAX,
  WEBHOOK_DESCRIPTION_CHARS_MAX,
  WEBHOOK_URL_CHARS_MAX,
} from "../../core/limits/control-api/webhooks.ts";
import { WEBHOOK_EVENT_MEANINGS, WEBHOOK_EVENT_TYPES } from "../../core/webhook-events.ts";
import { DELIVERY_STATUSES, DISABLED_REASONS } from "../../store/webhooks/webhook-store.ts";
import { meaningsOf } from "../calls/schemas/meanings.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { flag, oneOf, wholeNumber } from "../http/requests/fields.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const webhookId = z.string().meta({
  description: "`webhook_` and a UUIDv7.",
  examples: ["webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<WebhookId, string>;

const deliveryId = z.string().meta({
  description: "`delivery_` and a UUIDv7.",
  examples: ["delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a"],
}) as unknown as z.ZodType<DeliveryId, string>;

export const WebhookParams = z.object({ id: webhookId });
export const DeliveryParams = z.object({ id: webhookId, deliveryId });

const urlRule = { error: `must be an https:// or http:// address of at most ${WEBHOOK_URL_CHARS_MAX} characters` };
const descriptionRule = { error: `must be a string of at most ${WEBHOOK_DESCRIPTION_CHARS_MAX} characters` };
const typesRule = { error: "must be a list of event types without repetitions, and not empty" };

const url = z
  .string(urlRule)
  .max(WEBHOOK_URL_CHARS_MAX, urlRule)
  .refine(URL.canParse, urlRule)
  .meta({
    description:
      "Where events are sent: an address of the public internet. It is looked up at every attempt; a private address is refused.",
    examples: ["https://example.com/hooks/trunkline"],
  });
const description = z
  .string(descriptionRule)
  .max(WEBHOOK_DESCRIPTION_CHARS_MAX, descriptionRule)
  .meta({ description: "What it is for.", examples: ["billing"] });
const eventTypes = z
  .array(oneOf(WEBHOOK_EVENT_TYPES), typesRule)
  .min(1, typesRule)
  .refine((types) => new Set(types).size === types.length, typesRule)
  .meta({
    description: `The types of events to send: ${meaningsOf(WEBHOOK_EVENT_MEANINGS)}`,
    examples: [["call.ended", "recording.ready"]],
  });
const enabled = flag.meta({ description: "False: it gets no events." });

/** `POST /webhooks`. */
export const NewWebhookBody = z
  .strictObject({ url, eventTypes, description: description.default(""), enabled: enabled.default(true) })
  .meta({
    id: "NewWebhook",
    description: "Where to send which events.",
    examples: [{ url: "https://example.com/hooks/trunkline", eventTypes: ["call.ended"] }],
  });

/** `PATCH /webhooks/{id}`. */
export const WebhookChanges = z
  .strictObject({
    url: url.optional(),
    eventTypes: eventTypes.optional(),
    description: description.optional(),
    enabled: enabled.optional(),
  })
  .meta({ id: "WebhookChanges", description: "What to change; the rest stays.", examples: [{ enabled: true }] });

/** `POST /webhooks/{id}/rotate-secret`. */
export const RotationBody = z
  .strictObject({
    overlapSeconds: wholeNumber(0, SECRET_OVERLAP_S_MAX)
      .default(SECRET_OVERLAP_S_DEFAULT)
      .meta({ description: "How long messages are signed with the previous secret, too.", examples: [3_600] }),
  })
  .meta({ id: "SecretRotation", description: "How to rotate.", examples: [{ overlapSeconds: 3_600 }] });

const EXAMPLE = {
  id: "webhook_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10" as WebhookId,
  url: "https://example.com/hooks/trunkline",
  description: "billing",
  eventTypes: ["call.ended" as const],
  enabled: true,
  disabledReason: null,
  failingSince: null,
  previousSecretUntil: null,
  createdAt: "2026-11-21T08:00:00.000Z",
  updatedAt: "2026-11-21T08:00:00.000Z",
};

const webhookFields = {
  id: webhookId,
  url: z.string().meta({ format: "uri" }),
  description: z.string(),
  eventTypes: z.array(z.enum(WEBHOOK_EVENT_TYPES)),
  enabled: z.boolean(),
  disabledReason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .meta({
      description:
        "Why it gets no events: `client`, it was disabled by a request; `gone`, its endpoint answered 410; `failing`, its endpoint " +
        "has failed for days. Enable it with `PATCH`, then replay what failed. `secret_lost`, the service lost the key that sealed " +
        "its secret, and made a new one: rotate the secret and give it to the endpoint first.",
    }),
  failingSince: time.nullable().meta({ description: "Since when no attempt has succeeded." }),
  previousSecretUntil: time.nullable().meta({
    description: "Until when messages are signed with the previous secret, too.",
  }),
  createdAt: time,
  updatedAt: time,
};

export const WebhookItem = z
  .object(webhookFields)
  .meta({ id: "Webhook", description: "Where events are sent.", examples: [EXAMPLE] });

export const WebhookWithSecret = z
  .object({
    ...webhookFields,
    secret: z.string().meta({ description: "Verifies messages, as Standard Webhooks says. Shown only here." }),
  })
  .meta({
    id: "WebhookWithSecret",
    description: "A webhook with its secret.",
    examples: [{ ...EXAMPLE, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazNhbGRldmVy" }],
  });

export const WebhookList = z
  .object({ data: z.array(WebhookItem), nextCursor: z.null() })
  .meta({ description: "All webhooks of the account, oldest first." });

const DELIVERY_EXAMPLE = {
  id: "delivery_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a" as DeliveryId,
  eventId: "event_019aa5c8-6a10-7d3e-9c41-3b8f6a2d7e10",
  eventType: "call.ended" as const,
  callId: "call_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
  status: "delivered" as const,
  attempts: 1,
  createdAt: "2026-11-21T08:03:20.000Z",
  lastAttemptAt: "2026-11-21T08:03:20.050Z",
  nextAttemptAt: null,
  answer: { status: 204, excerpt: "", tookMs: 31 },
};

const answerFields = {
  status: z.int().nullable().meta({ description: "Null where there was no answer." }),
  excerpt: z.string().meta({ description: "The start of the answer, or why there was none." }),
  tookMs: z.number(),
};

export const DeliveryItem = z
  .object({
    id: deliveryId,
    eventId: z.string().meta({ description: "The `webhook-id` of the message, the same in every attempt." }),
    eventType: z.enum(WEBHOOK_EVENT_TYPES),
    callId: z.string().nullable().meta({ description: "The call that the event is about." }),
    status: z.enum(DELIVERY_STATUSES).meta({
      description:
        "`pending`: it is sent, or sent again, at `nextAttemptAt`. `delivered`: an attempt was answered with a status of 2xx. " +
        "`failed`: it is not sent again, until it is replayed.",
    }),
    attempts: z.int(),
    createdAt: time.meta({ description: "When the event happened." }),
    lastAttemptAt: time.nullable(),
    nextAttemptAt: time.nullable(),
    answer: z.object(answerFields).nullable().meta({ description: "Of the last attempt." }),
  })
  .meta({
    id: "WebhookDelivery",
    description: "One event for one webhook.",
    examples: [DELIVERY_EXAMPLE],
  });

export const DeliveryWithMessage = DeliveryItem.extend({
  message: z.record(z.string(), z.unknown()).nullable().meta({
    description:
      "The body of the message as it would be sent now: its type, its timestamp and its data. Null where what the event is about was deleted.",
  }),
  failedAttempts: z
    .array(z.object({ at: time, ...answerFields }))
    .meta({ description: "The attempts that failed, the latest first; of very many the latest alone." }),
}).meta({
  id: "WebhookDeliveryWithMessage",
  description: "One event for one webhook, with the body of its message.",
  examples: [
    {
      ...DELIVERY_EXAMPLE,
      eventType: "call.created" as const,
      message: {
        type: "call.created",
        timestamp: DELIVERY_EXAMPLE.createdAt,
        data: { call: { id: DELIVERY_EXAMPLE.callId, status: "created" } },
      },
      failedAttempts: [{ at: "2026-11-21T08:03:10.050Z", status: 503, excerpt: "busy", tookMs: 12 }],
    },
  ],
});

export const DeliveryList = pageSchema(DeliveryItem, "A page of deliveries, newest first.");

const timeRule = {
  error: "must be a time in ISO 8601 with its zone, such as 2026-11-21T08:00:00Z",
};
const moment = z.iso.datetime({ offset: true, ...timeRule });

const deliveryFilters = {
  status: oneOf(DELIVERY_STATUSES).optional().meta({ description: "Only deliveries with this status." }),
  eventType: oneOf(WEBHOOK_EVENT_TYPES).optional().meta({ description: "Only events of this type." }),
  callId: z.string().optional().meta({ description: "Only events of this call." }) as unknown as z.ZodOptional<
    z.ZodType<CallId, string>
  >,
  createdAfter: moment.optional().meta({ description: "Of events at this time or later." }),
  createdBefore: moment.optional().meta({ description: "Of events before this time." }),
};

export const DeliveryFilters = z.strictObject({ ...pageFields, ...deliveryFilters });

/** `POST /webhooks/{id}/replay`. */
export const ReplayBody = z
  .strictObject({
    ...deliveryFilters,
    status: oneOf(["delivered", "failed"]).default("failed").meta({
      description: "Which deliveries to send again: those that failed, or those that were delivered.",
    }),
  })
  .meta({
    id: "WebhookReplay",
    description: "Which deliveries to send again; all that match.",
    examples: [{ createdAfter: "2026-11-21T08:00:00Z", createdBefore: "2026-11-22T08:00:00Z" }],
  });

export const Replayed = z
  .object({ replayed: z.int().meta({ description: "How many deliveries are sent again." }) })
  .meta({ id: "WebhookReplayed", description: "What is sent again.", examples: [{ replayed: 17 }] });
