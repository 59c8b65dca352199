import type { Kysely, Selectable, Transaction } from "kysely";
import type { AuditAction } from "../../../core/accounts/audit-actions.ts";
import type { Role } from "../../../core/accounts/roles.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import type { UserId } from "../../../core/ids.ts";
import type { Act, AuditDetails } from "../../accounts/audit-store.ts";
import { createUserSecret, hashSecret } from "../../secrets.ts";
import type { LinkKind, UserRecord } from "../../users/user-store.ts";
import type { SqlAudit } from "../accounts/audit.ts";
import type { Tables } from "../tables.ts";

export type UserRow = Selectable<Tables["users"]>;
export type SecretKind = LinkKind | "session" | "device";

/** What the secrets of a person look like: see `createUserSecret`. */
const TEXT_OF: Readonly<Record<SecretKind, Parameters<typeof createUserSecret>[0]>> = {
  session: "session",
  device: "device",
  invitation: "link",
  reset: "link",
};

export const recordOf = (row: UserRow): UserRecord => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  name: row.name,
  role: row.role as Role,
  status: row.password_hash === null ? "invited" : "active",
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  ...(row.last_sign_in_at !== null && { lastSignInAtMs: row.last_sign_in_at }),
});

/** Stores a new secret of a person and returns its text. */
export async function addSecret(
  tx: Transaction<Tables>,
  { id, account_id }: UserRow,
  kind: SecretKind,
  nowMs: EpochMs,
  lifetimeMs: number,
): Promise<{ secret: string; expiresAtMs: EpochMs }> {
  const secret = createUserSecret(TEXT_OF[kind]);
  const expiresAtMs = addMs(nowMs, lifetimeMs);
  const row = { hash: hashSecret(secret), account_id, user_id: id, kind, created_at: nowMs, expires_at: expiresAtMs };
  await tx.insertInto("user_secrets").values(row).execute();
  return { secret, expiresAtMs };
}

/** Deletes all secrets of these kinds that a person has. */
export async function endSecrets(tx: Kysely<Tables>, userId: UserId, kinds: readonly SecretKind[]): Promise<void> {
  await tx.deleteFrom("user_secrets").where("user_id", "=", userId).where("kind", "in", kinds).execute();
}

/** Appends an act on a person to the audit log. */
export async function recordAct(
  audit: SqlAudit,
  tx: Transaction<Tables>,
  { id, account_id: accountId }: Pick<UserRow, "id" | "account_id">,
  act: Act,
  action: AuditAction,
  details: AuditDetails = {},
): Promise<void> {
  await audit.insert(tx, { ...act, accountId, action, target: { kind: "user", id }, details });
}
