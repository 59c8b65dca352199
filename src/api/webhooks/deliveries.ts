import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { type EpochMs, epochMs } from "../../core/clocks.ts";
import { type AccountId, asDeliveryId, type DeliveryId, type WebhookId } from "../../core/ids.ts";
import { REPLAY_ROWS_PER_QUERY } from "../../core/limits/control-api/webhooks.ts";
import type {
  Delivery,
  DeliveryQuery,
  FailedAttempt,
  WebhookEvent,
  WebhookStore,
} from "../../store/webhooks/webhook-store.ts";
import { ApiError, found, notFound } from "../http/errors.ts";
import { NoQuery } from "../http/requests/query.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import {
  DeliveryFilters,
  type DeliveryItem,
  DeliveryList,
  DeliveryParams,
  DeliveryWithMessage,
  ReplayBody,
  Replayed,
  WebhookParams,
} from "./schemas.ts";

const tags = ["webhooks"];

const DELIVERIES = {
  operationId: "listWebhookDeliveries",
  scope: "read",
  tags,
  summary: "List deliveries",
  description: "What was sent to a webhook and how it answered, newest first. Deliveries are listed for 30 days.",
  params: WebhookParams,
  querystring: DeliveryFilters,
  response: { 200: DeliveryList },
  errors: ["not_found"],
} as const;

const READ = {
  operationId: "getWebhookDelivery",
  scope: "read",
  tags,
  summary: "Read a delivery",
  description: "A delivery with its message: what was sent, or is sent next, and how the attempts were answered.",
  params: DeliveryParams,
  querystring: NoQuery,
  response: { 200: DeliveryWithMessage },
  errors: ["not_found"],
} as const;

const REPLAY_ONE = {
  operationId: "replayWebhookDelivery",
  scope: "write",
  tags,
  summary: "Send a delivery again",
  description:
    "The message has the same `webhook-id`, so a receiver that has seen it can ignore it. 409 while it is still to be sent, and while the webhook is " +
    "disabled.",
  params: DeliveryParams,
  querystring: NoQuery,
  response: { 202: Replayed },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const REPLAY = {
  operationId: "replayWebhook",
  scope: "write",
  tags,
  summary: "Send deliveries again",
  description:
    "All deliveries that match: by default those that failed. Their messages have the same `webhook-id` as before. " +
    "409 while the webhook is disabled.",
  params: WebhookParams,
  querystring: NoQuery,
  body: ReplayBody,
  response: { 202: Replayed },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

export interface DeliveryRoutesDeps {
  webhooks: WebhookStore;
  /** The body of an event's message, in JSON; undefined when what it is about was deleted. */
  eventBody: (event: WebhookEvent) => Promise<string | undefined>;
}

/** Registers the routes of the deliveries of webhooks in `scope`, which must require an API key. */
export function deliveryRoutes(scope: FastifyInstance, { webhooks, eventBody }: DeliveryRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();
  const requireEnabled = async (accountId: AccountId, id: WebhookId): Promise<void> => {
    const { disabledReason } = found(await webhooks.get(accountId, id), "webhook");
    if (disabledReason !== undefined) throw new ApiError("conflict", "the webhook is disabled: enable it first");
  };

  app.get("/webhooks/:id/deliveries", { schema: DELIVERIES }, async ({ accountId, params, query }) => {
    const { limit, cursor, ...filters } = query;
    const list = ["deliveries", accountId, params.id, filters];
    const afterDeliveryId = cursor === undefined ? undefined : asDeliveryId(idOf(cursor, list));
    const page = await webhooks.listDeliveries(accountId, params.id, { ...queryOf(filters), afterDeliveryId, limit });
    const { deliveries, more } = found(page, "webhook");
    const last = deliveries.at(-1);
    return {
      data: deliveries.map(deliveryItemOf),
      nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null,
    };
  });

  app.get("/webhooks/:id/deliveries/:deliveryId", { schema: READ }, async ({ accountId, params }) => {
    const delivery = found(await webhooks.getDelivery(accountId, params.id, params.deliveryId), "delivery");
    const event = await webhooks.getEvent(accountId, delivery.eventId);
    const body = event && (await eventBody(event));
    const failedAttempts = delivery.failedAttempts.toReversed().map(failedAttemptOf);
    return { ...deliveryItemOf(delivery), message: body === undefined ? null : JSON.parse(body), failedAttempts };
  });

  app.post("/webhooks/:id/deliveries/:deliveryId/replay", { schema: REPLAY_ONE }, async (request, reply) => {
    const { accountId, params } = request;
    await requireEnabled(accountId, params.id);
    const { replayed } = found(await webhooks.replay(accountId, params.id, { ids: [params.deliveryId] }), "webhook");
    if (replayed > 0) return await reply.code(202).send({ replayed });
    const delivery = await webhooks.getDelivery(accountId, params.id, params.deliveryId);
    if (delivery === undefined) throw notFound("delivery");
    throw new ApiError("conflict", "the delivery is still to be sent");
  });

  app.post("/webhooks/:id/replay", { schema: REPLAY }, async ({ accountId, params, body }, reply) => {
    await requireEnabled(accountId, params.id);
    let total = 0;
    for (let afterDeliveryId: DeliveryId | undefined; ; ) {
      const query = { ...queryOf(body), afterDeliveryId, limit: REPLAY_ROWS_PER_QUERY };
      const { replayed, last, more } = found(await webhooks.replay(accountId, params.id, { query }), "webhook");
      total += replayed;
      afterDeliveryId = last;
      if (!more) return await reply.code(202).send({ replayed: total });
    }
  });
}

type Filters = Omit<z.output<typeof DeliveryFilters>, "limit" | "cursor">;

const queryOf = ({ createdAfter, createdBefore, ...same }: Filters): Omit<DeliveryQuery, "limit"> => ({
  ...same,
  createdFromMs: timeOf(createdAfter),
  createdBeforeMs: timeOf(createdBefore),
});

const timeOf = (text: string | undefined): EpochMs | undefined =>
  text === undefined ? undefined : epochMs(Date.parse(text));

const timeOrNull = (time: EpochMs | undefined): string | null => (time === undefined ? null : isoTime(time));

const failedAttemptOf = ({ atMs, status, excerpt, tookMs }: FailedAttempt) => ({
  at: isoTime(atMs),
  status: status ?? null,
  excerpt,
  tookMs,
});

const deliveryItemOf = (delivery: Delivery): z.output<typeof DeliveryItem> => ({
  id: delivery.id,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  callId: delivery.callId ?? null,
  status: delivery.status,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAtMs),
  lastAttemptAt: timeOrNull(delivery.lastAttemptAtMs),
  nextAttemptAt: timeOrNull(delivery.nextAttemptAtMs),
  answer: delivery.answer === undefined ? null : { status: null, ...delivery.answer },
});
