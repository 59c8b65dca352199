import { z } from "zod";
import type { AccountSecretId } from "../../core/ids.ts";
import { TOOL_SECRET_HOSTS_MAX } from "../../core/limits/accounts/accounts.ts";
import { TOOL_HEADER_CHARS_MAX } from "../../core/limits/agents/tools.ts";
import { SECRET_NAME } from "../../core/tools/http-tool.ts";
import { exactHost } from "../../core/tools/secrets.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const toolSecretId = z.string().meta({
  description: "`tool_secret_` and a UUIDv7.",
  examples: ["tool_secret_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<AccountSecretId, string>;

export const ToolSecretParams = z.object({ id: toolSecretId });

const valueRule = `must be 1 to ${TOOL_HEADER_CHARS_MAX} characters of printable ASCII, without spaces at its ends`;

/** Its problems never show it. */
const value = z
  .string({ error: valueRule })
  .superRefine((given, context) => {
    if (given.length <= TOOL_HEADER_CHARS_MAX && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given)) return;
    context.addIssue({ code: "custom", message: valueRule, params: { isSecret: true } });
  })
  .meta({ description: "The secret. No answer ever shows it.", examples: ["shop-example-0123456789abcdef"] });

const nameRule = "must be 1 to 64 of A-Z, 0-9 and _";

const name = z
  .string({ error: nameRule })
  .regex(SECRET_NAME, { error: nameRule })
  .meta({
    description: "Its name in headers of HTTP tools: `{{NAME}}`.",
    examples: ["SHOP_TOKEN"],
  });

const HOST_RULE = "must be host or host:port as URLs spell it, without wildcards, such as api.example.com";

const host = z.string({ error: HOST_RULE }).superRefine((given, context) => {
  const exact = exactHost(given);
  if (exact === given) return;
  const message = exact === undefined ? HOST_RULE : `${HOST_RULE} (here ${exact})`;
  context.addIssue({ code: "custom", message, input: given });
});

const hostsRule = { error: `must be a list of 1 to ${TOOL_SECRET_HOSTS_MAX} servers` };

const hosts = z
  .array(host, hostsRule)
  .min(1, hostsRule)
  .max(TOOL_SECRET_HOSTS_MAX, hostsRule)
  .meta({
    description: "The servers that may receive it, over `https`. No other one ever does.",
    examples: [["api.example.com"]],
  });

/** `POST /tool-secrets`. */
export const NewToolSecretBody = z.strictObject({ name, hosts, value }, { error: "must be a JSON object" }).meta({
  id: "NewToolSecret",
  description: "A secret for headers of HTTP tools.",
  examples: [{ name: "SHOP_TOKEN", hosts: ["api.example.com"], value: "shop-example-0123456789abcdef" }],
});

export const ToolSecretItem = z
  .object({
    id: toolSecretId,
    name,
    hosts: z.array(z.string()).meta({ description: "The servers that may receive it." }),
    lastCharacters: z.string().meta({
      description: "The end of the secret, to tell it from others; empty for one of fewer than 16 characters.",
      examples: ["cdef"],
    }),
    createdAt: time,
  })
  .meta({ id: "ToolSecret", description: "A secret for headers of HTTP tools, without its text." });

export const ToolSecretFilters = z.strictObject(pageFields);

export const ToolSecretList = pageSchema(ToolSecretItem, "A page of tool secrets, oldest first.");
