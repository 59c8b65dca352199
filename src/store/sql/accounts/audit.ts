import type { Kysely, Selectable } from "kysely";
import type { ActorKind, AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Clock } from "../../../core/clock.ts";
import type { AccountId } from "../../../core/ids.ts";
import { newId } from "../../../core/new-id.ts";
import type { AuditEvent, AuditQuery, AuditStore, NewAuditEvent } from "../../accounts/audit-store.ts";
import type { Tables } from "../tables.ts";

/** See `AuditStore`. */
export class SqlAudit implements AuditStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  append(event: NewAuditEvent): Promise<AuditEvent> {
    return this.insert(this.#db, event);
  }

  /** Appends an event in the transaction `tx` of the act. */
  async insert(
    tx: Kysely<Tables>,
    { accountId, actor, action, target, details = {}, requestId }: NewAuditEvent,
  ): Promise<AuditEvent> {
    const row = {
      id: newId("audit"),
      account_id: accountId,
      actor_kind: actor.kind,
      actor_id: actor.id,
      action,
      target_kind: target.kind,
      target_id: target.id,
      details: JSON.stringify(details),
      request_id: requestId ?? null,
      created_at: this.#clock.epochMs(),
    };
    await tx.insertInto("audit_events").values(row).execute();
    return eventOf(row);
  }

  async list(
    accountId: AccountId,
    { afterAuditEventId, limit, createdFromMs, createdBeforeMs, ...filters }: AuditQuery,
  ): Promise<{ events: readonly AuditEvent[]; more: boolean }> {
    let selected = this.#db.selectFrom("audit_events").selectAll().where("account_id", "=", accountId);
    for (const [name, column] of FILTERS) {
      const value = filters[name];
      if (value !== undefined) selected = selected.where(column, "=", value);
    }
    if (createdFromMs !== undefined) selected = selected.where("created_at", ">=", createdFromMs);
    if (createdBeforeMs !== undefined) selected = selected.where("created_at", "<", createdBeforeMs);
    if (afterAuditEventId !== undefined) selected = selected.where("id", "<", afterAuditEventId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    return { events: rows.slice(0, limit).map(eventOf), more: rows.length > limit };
  }
}

const FILTERS = [
  ["action", "action"],
  ["actorKind", "actor_kind"],
  ["actorId", "actor_id"],
  ["targetKind", "target_kind"],
  ["targetId", "target_id"],
] as const;

const eventOf = (row: Selectable<Tables["audit_events"]>): AuditEvent => ({
  id: row.id,
  accountId: row.account_id,
  actor: { kind: row.actor_kind as ActorKind, id: row.actor_id },
  action: row.action as AuditAction,
  target: { kind: row.target_kind, id: row.target_id },
  details: JSON.parse(row.details),
  ...(row.request_id !== null && { requestId: row.request_id }),
  createdAtMs: row.created_at,
});
