import { z } from "zod";
import type { AccountSecretId } from "../../core/ids.ts";
import { PROVIDER_CREDENTIAL_CHARS_MAX } from "../../core/limits/accounts/accounts.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { text } from "../http/requests/fields.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const credentialId = z.string().meta({
  description: "`credential_` and a UUIDv7.",
  examples: ["credential_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<AccountSecretId, string>;

export const CredentialParams = z.object({ id: credentialId });

const apiKeyRule = `must be 1 to ${PROVIDER_CREDENTIAL_CHARS_MAX} printable ASCII characters without spaces`;

/** Its problems never show it. */
const apiKey = z
  .string({ error: apiKeyRule })
  .superRefine((given, context) => {
    if (given.length <= PROVIDER_CREDENTIAL_CHARS_MAX && /^[\x21-\x7e]+$/.test(given)) return;
    context.addIssue({ code: "custom", message: apiKeyRule, params: { isSecret: true } });
  })
  .meta({
    description: "The API key that the provider gave to the account. No answer ever shows it.",
    examples: ["sk-example-0123456789abcdef"],
  });

const provider = text.meta({
  description: "The provider that gave the API key; it serves all stages in which calls use that provider.",
  examples: ["openai"],
});

/** `POST /provider-credentials`. */
export const NewCredentialBody = z.strictObject({ provider, apiKey }, { error: "must be a JSON object" }).meta({
  id: "NewProviderCredential",
  description: "An API key of the account at a provider.",
  examples: [{ provider: "openai", apiKey: "sk-example-0123456789abcdef" }],
});

export const CredentialItem = z
  .object({
    id: credentialId,
    provider,
    lastCharacters: z.string().meta({
      description: "The end of the API key, to tell it from others; empty for one of fewer than 16 characters.",
      examples: ["cdef"],
    }),
    createdAt: time,
  })
  .meta({ id: "ProviderCredential", description: "An API key of the account at a provider, without its text." });

export const CredentialFilters = z.strictObject(pageFields);

export const CredentialList = pageSchema(CredentialItem, "A page of provider credentials, oldest first.");
