import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { isoEpochMs, isoTime } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import { asAuditEventId } from "../../core/ids.ts";
import type { AuditEvent, AuditStore } from "../../store/accounts/audit-store.ts";
import { cursorOf, idOf } from "../http/responses/cursor.ts";
import { type AuditEventItem, AuditEventList, AuditFilters } from "./schemas.ts";

export interface AuditRoutesDeps {
  audit: Pick<AuditStore, "list">;
}

const LIST = {
  operationId: "listAuditEvents",
  scope: "admin",
  tags: ["audit"],
  summary: "List the audit log",
  description:
    "Who did what in the account, newest first: acts on API keys, people, agents and webhooks, and deletions of calls, by " +
    "requests, people and commands of the operator. Events are never changed or deleted. Filters can be combined.",
  querystring: AuditFilters,
  response: { 200: AuditEventList },
} as const;

/** Registers `GET /audit-events` in `scope`, which must require an API key. */
export function auditRoutes(scope: FastifyInstance, { audit }: AuditRoutesDeps): void {
  const app = scope.withTypeProvider<ZodTypeProvider>();

  app.get("/audit-events", { schema: LIST }, async ({ accountId, query }) => {
    const { limit, cursor, createdAfter, createdBefore, ...filters } = query;
    const times = { createdFromMs: timeOf(createdAfter), createdBeforeMs: timeOf(createdBefore) };
    const list = ["audit-events", accountId, { ...filters, ...times }];
    const afterAuditEventId = cursor === undefined ? undefined : asAuditEventId(idOf(cursor, list));
    const { events, more } = await audit.list(accountId, { ...filters, ...times, afterAuditEventId, limit });
    const last = events.at(-1);
    return { data: events.map(itemOf), nextCursor: more && last !== undefined ? cursorOf(last.id, list) : null };
  });
}

const timeOf = (text: string | undefined): EpochMs | undefined => (text === undefined ? undefined : isoEpochMs(text));

const itemOf = (event: AuditEvent): z.output<typeof AuditEventItem> => ({
  id: event.id,
  createdAt: isoTime(event.createdAtMs),
  actor: event.actor,
  action: event.action,
  target: event.target,
  details: { ...event.details },
  requestId: event.requestId ?? null,
});
