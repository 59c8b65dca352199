import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import { type EpochMs, epochMs } from "../../core/clocks.ts";
import { asDeliveryId, type DeliveryId } from "../../core/ids.ts";
import { REPLAY_ROWS_PER_QUERY, WEBHOOKS_MAX } from "../../core/limits/webhooks.ts";
import { isAllowedToolUrl } from "../../core/tools/addresses.ts";
import type { Delivery, DeliveryQuery, Webhook, WebhookStore } from "../../store/webhook-store.ts";
import { cursorOf, idOf } from "../http/cursor.ts";
import { ApiError, invalidRequest, notFound } from "../http/errors.ts";
import { NoQuery } from "../http/query.ts";
import { problem } from "../http/validation.ts";
import {
  DeliveryFilters,
  type DeliveryItem,
  DeliveryList,
  DeliveryParams,
  NewWebhookBody,
  ReplayBody,
  Replayed,
  RotationBody,
  WebhookChanges,
  WebhookItem,
  WebhookList,
  WebhookParams,
  WebhookWithSecret,
} from "./schemas.ts";

export interface WebhookRoutesDeps {
  webhooks: WebhookStore;
  /** Whether events may be sent to this machine; for tests and trials. */
  webhooksAllowLoopback: boolean;
}

const tags = ["webhooks"];

const CREATE = {
  operationId: "createWebhook",
  tags,
  summary: "Create a webhook",
  description:
    "Events that happen from now on are sent to its URL, signed as Standard Webhooks says. The secret is in this answer only.",
  querystring: NoQuery,
  body: NewWebhookBody,
  response: { 201: WebhookWithSecret },
  errors: ["conflict", "unavailable"],
} as const;

const LIST = {
  operationId: "listWebhooks",
  tags,
  summary: "List webhooks",
  description: `The account's webhooks, oldest first; there are at most ${WEBHOOKS_MAX}.`,
  querystring: NoQuery,
  response: { 200: WebhookList },
} as const;

const READ = {
  operationId: "getWebhook",
  tags,
  summary: "Read a webhook",
  description: "A webhook, without its secret.",
  params: WebhookParams,
  querystring: NoQuery,
  response: { 200: WebhookItem },
  errors: ["not_found"],
} as const;

const UPDATE = {
  operationId: "updateWebhook",
  tags,
  summary: "Change a webhook",
  description:
    "Deliveries that wait go to the new URL. Enabling a webhook that was disabled forgets its failures; what it has missed can " +
    "be replayed.",
  params: WebhookParams,
  querystring: NoQuery,
  body: WebhookChanges,
  response: { 200: WebhookItem },
  errors: ["not_found", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteWebhook",
  tags,
  summary: "Delete a webhook",
  description: "The webhook and its deliveries are gone; what waits is not sent.",
  params: WebhookParams,
  querystring: NoQuery,
  errors: ["not_found", "unavailable"],
} as const;

const ROTATE = {
  operationId: "rotateWebhookSecret",
  tags,
  summary: "Make another secret",
  description:
    "Until the overlap ends every message has two signatures, so that the receiver can take the new secret at any time before. " +
    "Another rotation within the overlap ends it for the oldest secret.",
  params: WebhookParams,
  querystring: NoQuery,
  body: RotationBody,
  response: { 200: WebhookWithSecret },
  errors: ["not_found", "unavailable"],
} as const;

const DELIVERIES = {
  operationId: "listWebhookDeliveries",
  tags,
  summary: "List deliveries",
  description: "What was sent to a webhook and how it answered, newest first. Deliveries are listed for 30 days.",
  params: WebhookParams,
  querystring: DeliveryFilters,
  response: { 200: DeliveryList },
  errors: ["not_found"],
} as const;

const REPLAY_ONE = {
  operationId: "replayWebhookDelivery",
  tags,
  summary: "Send a delivery again",
  description:
    "The message has the same `webhook-id`, so a receiver that has seen it can ignore it. 409 while it is still to be sent.",
  params: DeliveryParams,
  querystring: NoQuery,
  response: { 202: Replayed },
  errors: ["not_found", "conflict", "unavailable"],
} as const;

const REPLAY = {
  operationId: "replayWebhook",
  tags,
  summary: "Send deliveries again",
  description:
    "All deliveries that match: by default those that failed. Their messages have the same `webhook-id` as before.",
  params: WebhookParams,
  querystring: NoQuery,
  body: ReplayBody,
  response: { 202: Replayed },
  errors: ["not_found", "unavailable"],
} as const;

/** Registers the routes of `/webhooks` in `scope`, which must require an API key. */
export function webhookRoutes(scope: FastifyInstance, { webhooks, webhooksAllowLoopback }: WebhookRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  const requirePublic = (url: string | undefined): void => {
    if (url === undefined || isAllowedToolUrl(new URL(url), webhooksAllowLoopback)) return;
    const rule = "must be an https:// or http:// address of the public internet, without a password";
    throw invalidRequest([problem(["url"], rule, url)]);
  };
  const found = <T>(value: T | undefined): T => {
    if (value === undefined) throw notFound("webhook");
    return value;
  };

  app.post("/webhooks", { schema: CREATE }, async ({ accountId, body }, reply) => {
    requirePublic(body.url);
    const created = await webhooks.create(accountId, body);
    if (created === undefined) {
      throw new ApiError("conflict", `the account has reached its limit of ${WEBHOOKS_MAX} webhooks`);
    }
    const { webhook, secret } = created;
    return reply
      .code(201)
      .header("location", `${scope.prefix}/webhooks/${webhook.id}`)
      .send({ ...itemOf(webhook), secret });
  });

  app.get("/webhooks", { schema: LIST }, async ({ accountId }) => ({
    data: (await webhooks.list(accountId)).map(itemOf),
    nextCursor: null,
  }));

  app.get("/webhooks/:id", { schema: READ }, async ({ accountId, params }) =>
    itemOf(found(await webhooks.get(accountId, params.id))),
  );

  app.patch("/webhooks/:id", { schema: UPDATE }, async ({ accountId, params, body }) => {
    requirePublic(body.url);
    return itemOf(found(await webhooks.update(accountId, params.id, body)));
  });

  app.delete("/webhooks/:id", { schema: DELETE }, async ({ accountId, params }, reply) => {
    if (!(await webhooks.remove(accountId, params.id))) throw notFound("webhook");
    return reply.code(204).send();
  });

  app.post("/webhooks/:id/rotate-secret", { schema: ROTATE }, async ({ accountId, params, body }) => {
    const rotated = found(await webhooks.rotateSecret(accountId, params.id, body.overlapSeconds * 1_000));
    return { ...itemOf(rotated.webhook), secret: rotated.secret };
  });

  app.get("/webhooks/:id/deliveries", { schema: DELIVERIES }, async ({ accountId, params, query }) => {
    const { limit, cursor, ...filters } = query;
    const list = ["deliveries", accountId, params.id, filters];
    const afterDeliveryId = cursor === undefined ? undefined : asDeliveryId(idOf(cursor, list));
    const page = await webhooks.listDeliveries(accountId, params.id, { ...queryOf(filters), afterDeliveryId, limit });
    const { deliveries, more } = found(page);
    const last = deliveries.at(-1);
    return {
      data: deliveries.map(deliveryItemOf),
      nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null,
    };
  });

  app.post("/webhooks/:id/deliveries/:deliveryId/replay", { schema: REPLAY_ONE }, async (request, reply) => {
    const { accountId, params } = request;
    const { replayed } = found(await webhooks.replay(accountId, params.id, { ids: [params.deliveryId] }));
    if (replayed > 0) return await reply.code(202).send({ replayed });
    const delivery = await webhooks.getDelivery(accountId, params.id, params.deliveryId);
    if (delivery === undefined) throw notFound("delivery");
    throw new ApiError("conflict", "the delivery is still to be sent");
  });

  app.post("/webhooks/:id/replay", { schema: REPLAY }, async ({ accountId, params, body }, reply) => {
    let total = 0;
    for (let afterDeliveryId: DeliveryId | undefined; ; ) {
      const query = { ...queryOf(body), afterDeliveryId, limit: REPLAY_ROWS_PER_QUERY };
      const { replayed, last, more } = found(await webhooks.replay(accountId, params.id, { query }));
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

const itemOf = (webhook: Webhook): z.output<typeof WebhookItem> => ({
  id: webhook.id,
  url: webhook.url,
  description: webhook.description,
  eventTypes: [...webhook.eventTypes],
  enabled: webhook.disabledReason === undefined,
  disabledReason: webhook.disabledReason ?? null,
  failingSince: timeOrNull(webhook.failingSinceMs),
  previousSecretUntil: timeOrNull(webhook.previousSecretUntilMs),
  createdAt: isoTime(webhook.createdAtMs),
  updatedAt: isoTime(webhook.updatedAtMs),
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
