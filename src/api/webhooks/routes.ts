import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import { isObject } from "../../core/json.ts";
import { WEBHOOKS_MAX } from "../../core/limits/control-api/webhooks.ts";
import { isAllowedToolUrl } from "../../core/tools/addresses.ts";
import type { Webhook, WebhookStore } from "../../store/webhooks/webhook-store.ts";
import { actOf } from "../http/access/auth.ts";
import { ApiError, found, invalidRequest, notFound } from "../http/errors.ts";
import { NoQuery, noQueryProblems } from "../http/requests/query.ts";
import { problem, schemaProblems } from "../http/requests/validation.ts";
import {
  NewWebhookBody,
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
  scope: "write",
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
  scope: "read",
  tags,
  summary: "List webhooks",
  description: `The account's webhooks, oldest first; there are at most ${WEBHOOKS_MAX}.`,
  querystring: NoQuery,
  response: { 200: WebhookList },
} as const;

const READ = {
  operationId: "getWebhook",
  scope: "read",
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
  scope: "write",
  tags,
  summary: "Change a webhook",
  description:
    "Deliveries that wait go to the new URL. Enabling a webhook that was disabled forgets its failures. What waited when it was " +
    "disabled can be replayed; events that happened while it was disabled have no delivery.",
  params: WebhookParams,
  querystring: NoQuery,
  body: WebhookChanges,
  response: { 200: WebhookItem },
  errors: ["not_found", "unavailable"],
} as const;

const DELETE = {
  operationId: "deleteWebhook",
  scope: "write",
  tags,
  summary: "Delete a webhook",
  description: "The webhook and its deliveries are gone; what waits is not sent.",
  params: WebhookParams,
  querystring: NoQuery,
  response: { 204: z.undefined().meta({ description: "The webhook was deleted." }) },
  errors: ["not_found", "unavailable"],
} as const;

const ROTATE = {
  operationId: "rotateWebhookSecret",
  scope: "write",
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

/** Registers the routes of `/webhooks` in `scope`, which must require an API key. */
export function webhookRoutes(scope: FastifyInstance, { webhooks, webhooksAllowLoopback }: WebhookRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  /** Reports a URL that is not allowed together with the problems that the schema finds. */
  const requireValid = (request: FastifyRequest): void => {
    const url = isObject(request.body) ? request.body.url : undefined;
    const isRefused =
      typeof url === "string" && URL.canParse(url) && !isAllowedToolUrl(new URL(url), webhooksAllowLoopback);
    const rule = "must be an https:// or http:// address of the public internet, without a password";
    const refused = isRefused ? [problem(["url"], rule, url)] : [];
    const problems = [...schemaProblems(request), ...noQueryProblems(request.query), ...refused];
    if (problems.length > 0) throw invalidRequest(problems);
  };

  app.post("/webhooks", { schema: CREATE, attachValidation: true }, async (request, reply) => {
    requireValid(request);
    const { accountId, body } = request;
    const created = await webhooks.create(accountId, body, actOf(request));
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
    itemOf(found(await webhooks.get(accountId, params.id), "webhook")),
  );

  app.patch("/webhooks/:id", { schema: UPDATE, attachValidation: true }, async (request) => {
    requireValid(request);
    const { accountId, params, body } = request;
    return itemOf(found(await webhooks.update(accountId, params.id, body, actOf(request)), "webhook"));
  });

  app.delete("/webhooks/:id", { schema: DELETE }, async (request, reply) => {
    if (!(await webhooks.remove(request.accountId, request.params.id, actOf(request)))) throw notFound("webhook");
    return reply.code(204).send();
  });

  app.post("/webhooks/:id/rotate-secret", { schema: ROTATE }, async (request) => {
    const { accountId, params, body } = request;
    const overlapMs = body.overlapSeconds * 1_000;
    const rotated = found(await webhooks.rotateSecret(accountId, params.id, overlapMs, actOf(request)), "webhook");
    return { ...itemOf(rotated.webhook), secret: rotated.secret };
  });
}

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
