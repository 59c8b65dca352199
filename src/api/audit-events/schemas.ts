import { z } from "zod";
import {
  ACTOR_KINDS,
  ACTOR_MEANINGS,
  AUDIT_ACTION_MEANINGS,
  AUDIT_ACTIONS,
} from "../../core/accounts/audit-actions.ts";
import { meaningsOf } from "../calls/schemas/meanings.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { oneOf } from "../http/requests/fields.ts";
import { parameter } from "../http/requests/query.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

const TARGET_KINDS = [...new Set(AUDIT_ACTIONS.map((action) => action.slice(0, action.indexOf("."))))];

const timeRule = {
  error: "must be a time in ISO 8601 with its zone, such as 2026-11-21T08:00:00Z; in a query, + is written %2B",
};
const givenTime = z.iso.datetime({ offset: true, ...timeRule });

export const AuditFilters = z.strictObject({
  ...pageFields,
  action: oneOf(AUDIT_ACTIONS).optional().meta({ description: "Events of this action." }),
  actorKind: oneOf(ACTOR_KINDS).optional().meta({ description: "Acts of this kind of actor." }),
  actorId: parameter.optional().meta({
    description: "Acts of this actor.",
    examples: ["key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
  }),
  targetKind: oneOf(TARGET_KINDS).optional().meta({ description: "Acts on this kind of thing." }),
  targetId: parameter.optional().meta({
    description: "Acts on this one.",
    examples: ["agent_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
  }),
  createdAfter: givenTime.optional().meta({
    description: "Events of this time or later.",
    examples: ["2026-11-21T08:00:00.000Z"],
  }),
  createdBefore: givenTime.optional().meta({
    description: "Events before this time.",
    examples: ["2026-11-22T08:00:00.000Z"],
  }),
});

export const AuditEventItem = z
  .object({
    id: z.string().meta({ description: "`audit_` and a UUIDv7." }),
    createdAt: time,
    actor: z
      .object({
        kind: z.enum(ACTOR_KINDS).meta({ description: meaningsOf(ACTOR_MEANINGS) }),
        id: z.string().meta({ description: "The id of the API key or the user, or the name of the operator's user." }),
      })
      .meta({ description: "Who did it." }),
    action: z.enum(AUDIT_ACTIONS).meta({ description: `What was done: ${meaningsOf(AUDIT_ACTION_MEANINGS)}` }),
    target: z
      .object({ kind: z.string(), id: z.string() })
      .meta({ description: "What it was done to. It may no longer exist." }),
    details: z.record(z.string(), z.unknown()).meta({
      description:
        "Depends on the action: `changed` (the names of the fields), `scopes`, `role`, `kind` (of a link), `expiresAt`, `overlapSeconds`, `eventTypes`, " +
        "`enabled`. Never a secret, and never a text that somebody wrote.",
    }),
    requestId: z.string().nullable().meta({ description: "The request that did it; null for commands." }),
  })
  .meta({
    id: "AuditEvent",
    description: "One act.",
    examples: [
      {
        id: "audit_019aa5c8-6a11-7c0d-8b55-0f1e2d3c4b5a",
        createdAt: "2026-11-21T08:00:00.000Z",
        actor: { kind: "api_key", id: "key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10" },
        action: "api_key.rotated",
        target: { kind: "api_key", id: "key_019aa5c8-7b22-7a1f-9d66-1a2b3c4d5e6f" },
        details: { overlapSeconds: 3_600 },
        requestId: "req_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10",
      },
    ],
  });

export const AuditEventList = pageSchema(AuditEventItem, "A page of the audit log, newest first.");
