import type { Schema } from "../../../client/src/index.ts";

export type AuditEvent = Schema<"AuditEvent">;

/** As objects, so that the compiler finds one that is missing when the API has another. */
const ALL_ACTIONS: Readonly<Record<AuditEvent["action"], true>> = {
  "account.created": true,
  "account.updated": true,
  "api_key.created": true,
  "api_key.updated": true,
  "api_key.rotated": true,
  "api_key.revoked": true,
  "provider_credential.created": true,
  "provider_credential.deleted": true,
  "tool_secret.created": true,
  "tool_secret.deleted": true,
  "tool.created": true,
  "tool.updated": true,
  "tool.deleted": true,
  "carrier.created": true,
  "carrier.updated": true,
  "carrier.deleted": true,
  "phone_number.imported": true,
  "phone_number.updated": true,
  "phone_number.attached": true,
  "phone_number.detached": true,
  "phone_number.deleted": true,
  "publishable_key.created": true,
  "publishable_key.updated": true,
  "publishable_key.revoked": true,
  "agent.created": true,
  "agent.updated": true,
  "agent.published": true,
  "agent.deleted": true,
  "webhook.created": true,
  "webhook.updated": true,
  "webhook.deleted": true,
  "webhook.secret_rotated": true,
  "user.invited": true,
  "user.invitation_accepted": true,
  "user.updated": true,
  "user.link_created": true,
  "user.password_reset": true,
  "user.password_changed": true,
  "user.signed_in": true,
  "user.signed_out": true,
  "user.removed": true,
  "owner_link.created": true,
  "owner_link.used": true,
  "call.listened": true,
  "call.deleted": true,
  "transcription.deleted": true,
  "corpus.created": true,
  "corpus.updated": true,
  "corpus.deleted": true,
  "document.created": true,
  "document.replaced": true,
  "document.reprocessed": true,
  "document.deleted": true,
};
const ALL_ACTORS: Readonly<Record<AuditEvent["actor"]["kind"], string>> = {
  user: "a person",
  api_key: "an API key",
  operator: "the operator",
  service: "the service",
};

export const ACTOR_CHOICES = Object.entries(ALL_ACTORS).map(([value, label]) => ({ value, label }));

/** What an actor is, in words. */
export const actorText = (kind: AuditEvent["actor"]["kind"]): string => ALL_ACTORS[kind];

/** The kinds of things that are acted upon. */
export const TARGET_KINDS: readonly string[] = [
  ...new Set(Object.keys(ALL_ACTIONS).map((action) => action.slice(0, action.indexOf(".")))),
];

/** The actions on a kind of thing, or all. */
export const actionsOn = (targetKind: string | undefined): string[] =>
  Object.keys(ALL_ACTIONS).filter((action) => targetKind === undefined || action.startsWith(`${targetKind}.`));
