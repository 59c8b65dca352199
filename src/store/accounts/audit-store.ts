import type { ActorKind, AuditAction } from "../../core/accounts/audit-actions.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, AuditEventId } from "../../core/ids.ts";

/** Who does something. `id` is that of the API key or the user; of an operator the name on the machine. */
export interface Actor {
  kind: ActorKind;
  id: string;
}

/** The circumstances of an act, which its audit event records. */
export interface Act {
  actor: Actor;
  /** The request that caused it, if one did. */
  requestId?: string | undefined;
}

/** What the service does by itself. */
export const BY_SERVICE: Act = { actor: { kind: "service", id: "service" } };

/** Names of fields, scopes, times and counts: never a text that somebody wrote, and never a secret. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** The names of the fields that a change gives. */
export const changedIn = (changes: object): readonly string[] =>
  Object.entries(changes)
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);

export interface NewAuditEvent extends Act {
  accountId: AccountId;
  action: AuditAction;
  /** What was acted upon: its kind, which begins the action's name, and its id. */
  target: { kind: string; id: string };
  details?: AuditDetails;
}

export interface AuditEvent extends NewAuditEvent {
  /** `audit_...` */
  id: AuditEventId;
  details: AuditDetails;
  createdAtMs: EpochMs;
}

/** Which events of an account to list. */
export interface AuditQuery {
  action?: AuditAction | undefined;
  actorKind?: ActorKind | undefined;
  actorId?: string | undefined;
  targetKind?: string | undefined;
  targetId?: string | undefined;
  createdFromMs?: EpochMs | undefined;
  createdBeforeMs?: EpochMs | undefined;
  /** Only events after this one in the list's order. */
  afterAuditEventId?: AuditEventId | undefined;
  /** The maximum number of events; at least 1. */
  limit: number;
}

/**
 * The audit log. Events are only added: nothing changes or deletes one. The other stores append events in the
 * transactions of the acts. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface AuditStore {
  append(event: NewAuditEvent): Promise<AuditEvent>;
  /** The account's events, newest first; `more` when others follow. */
  list(accountId: AccountId, query: AuditQuery): Promise<{ events: readonly AuditEvent[]; more: boolean }>;
}
