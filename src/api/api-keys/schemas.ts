import { z } from "zod";
import { SCOPE_MEANINGS, SCOPES } from "../../core/accounts/scopes.ts";
import type { ApiKeyId } from "../../core/ids.ts";
import {
  API_KEY_NAME_CHARS_MAX,
  API_KEY_OVERLAP_S_DEFAULT,
  API_KEY_OVERLAP_S_MAX,
} from "../../core/limits/accounts/api-keys.ts";
import { API_KEY_STATUSES } from "../../store/accounts/api-key-store.ts";
import { meaningsOf } from "../calls/schemas/meanings.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { oneOf, wholeNumber } from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const apiKeyId = z.string().meta({
  description: "`key_` and a UUIDv7.",
  examples: ["key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<ApiKeyId, string>;

export const ApiKeyParams = z.object({ id: apiKeyId });

const nameRule = {
  error: `must be a string of 1 to ${API_KEY_NAME_CHARS_MAX} characters that is not blank and has no control characters`,
};
const scopesRule = { error: "must be a list of scopes without repetitions, and not empty" };
const expiryRule = { error: "must be a time in ISO 8601 with its zone, such as 2027-01-31T00:00:00Z, or null" };

const name = z
  .string(nameRule)
  .refine((value) => [...value].length <= API_KEY_NAME_CHARS_MAX && !isBlank(value) && !/\p{Cc}/u.test(value), nameRule)
  .meta({ description: "What it is for.", examples: ["front desk"] });
const scopes = z
  .array(oneOf(SCOPES), scopesRule)
  .min(1, scopesRule)
  .refine((given) => new Set(given).size === given.length, scopesRule)
  .meta({ description: `What it may do. ${meaningsOf(SCOPE_MEANINGS)}`, examples: [["read", "calls"]] });
const expiresAt = z.iso
  .datetime({ offset: true, ...expiryRule })
  .nullable()
  .meta({ description: "From then on it is refused; null: never.", examples: ["2999-01-31T00:00:00.000Z"] });

/** `POST /api-keys`. */
export const NewApiKeyBody = z.strictObject({ name, scopes: scopes.optional(), expiresAt: expiresAt.optional() }).meta({
  id: "NewApiKey",
  description: "What it is for and what it may do. Without `scopes` it has all but `admin`.",
  examples: [{ name: "front desk", scopes: ["read", "calls"] }, { name: "shop" }],
});

/** `PATCH /api-keys/{id}`. */
export const ApiKeyChangesBody = z
  .strictObject({ name: name.optional(), scopes: scopes.optional(), expiresAt: expiresAt.optional() })
  .meta({ id: "ApiKeyChanges", description: "What to change; the rest stays.", examples: [{ scopes: ["read"] }] });

/** `POST /api-keys/{id}/rotate`. */
export const ApiKeyRotationBody = z
  .strictObject({
    overlapSeconds: wholeNumber(0, API_KEY_OVERLAP_S_MAX)
      .default(API_KEY_OVERLAP_S_DEFAULT)
      .meta({ description: "How long the previous text works, too.", examples: [3_600] }),
  })
  .meta({ id: "ApiKeyRotation", description: "How to rotate.", examples: [{ overlapSeconds: 3_600 }] });

const EXAMPLE = {
  id: "key_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10" as ApiKeyId,
  name: "front desk",
  prefix: "tlk_ZkQ3x8Wn",
  status: "active" as const,
  scopes: ["read", "calls"] as const,
  expiresAt: null,
  lastUsedAt: "2026-11-21T08:00:00.000Z",
  previousWorksUntil: null,
  revokedAt: null,
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
};

const fields = {
  id: apiKeyId,
  name: z.string().meta({ description: "What it is for." }),
  prefix: z.string().meta({ description: "The first characters of its text, to tell API keys apart." }),
  status: z.enum(API_KEY_STATUSES).meta({ description: "Only an `active` one is accepted." }),
  scopes: z.array(z.enum(SCOPES)).readonly().meta({ description: "What it may do." }),
  expiresAt: time.nullable().meta({ description: "From then on it is refused; null: never." }),
  lastUsedAt: time.nullable().meta({ description: "Its last use, up to about a minute late; null before the first." }),
  previousWorksUntil: time
    .nullable()
    .meta({ description: "After a rotation: until when the previous text works, too. Null when it does not." }),
  revokedAt: time.nullable().meta({ description: "When it was revoked." }),
  createdAt: time,
  updatedAt: time.meta({ description: "When it was last changed, rotated or revoked." }),
};

export const ApiKeyItem = z
  .object(fields)
  .meta({ id: "ApiKey", description: "An API key, without its text.", examples: [EXAMPLE] });

export const ApiKeyWithText = z
  .object({
    ...fields,
    key: z.string().meta({ description: "Its text: the header X-API-Key. It is not shown again." }),
  })
  .meta({
    id: "ApiKeyWithText",
    description: "An API key with its text.",
    examples: [{ ...EXAMPLE, key: "tlk_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE" }],
  });

export const ApiKeyFilters = z.strictObject({
  ...pageFields,
  status: oneOf(API_KEY_STATUSES).optional().meta({ description: "API keys that are in this state now." }),
});

export const ApiKeyList = pageSchema(ApiKeyItem, "A page of API keys, oldest first.");
