import { strict as assert } from "node:assert";
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import { SCOPES } from "../../core/accounts/scopes.ts";
import { SOFTWARE } from "../../core/runtime/version.ts";
import { documentedSchemaOf } from "../http/documented-as.ts";
import { completeDocument, SCHEMAS } from "./document.ts";
import { HEADERS } from "./responses.ts";

const INFO = {
  title: "Trunkline",
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  version: SOFTWARE.split("/")[1] ?? "",
  description: `The control API of a self-hosted service for voice AI agents. \`POST /calls\` creates a call and returns the \
single-use, short-lived \`websocketUrl\` of its media stream: hand it to the carrier or to your own WebSocket client at once. \
The other operations read, end and delete calls.
- **API key**: every operation requires an API key in the header X-API-Key, except where marked otherwise. An account sees only \
its own resources; those of other accounts are 404.
- **Scopes**: an API key has some of the scopes \`${SCOPES.join("`, `")}\`, and each operation requires one of them; without it the \
response is 403 \`forbidden\`.
- **Requests** are JSON in UTF-8. Unknown fields are refused by name, and so are unknown query parameters of operations that \
require an API key. All problems of a request are reported together.
- **Responses** are JSON, and errors have one shape, \`{"error": Error}\`. Rely on \`code\`. Any version may add fields to \
responses: ignore unknown fields. Malformed HTTP is answered with 400 or 408.
- **Methods**: every path answers OPTIONS with 204 and, where it answers GET, HEAD. Any other method is 405 \
\`method_not_allowed\`. Both have the header Allow, which names the methods of the path.
- **Lists** are \`{"data": [...], "nextCursor": null}\`. Where \`nextCursor\` is a string, the same request with it as \
\`cursor\` returns the next page.
- **Times** are ISO 8601 in UTC; durations have their unit in their names, except those of a call's settings, which are seconds.`,
} as const;

const TAGS = [
  { name: "calls", description: "Calls: create, observe, end, read, delete." },
  { name: "transcriptions", description: "Transcriptions of files, recordings and live streams." },
  { name: "corpora", description: "Documents that agents answer from." },
  { name: "agents", description: "Saved configurations to make calls from." },
  { name: "webhooks", description: "Events of calls, sent to an address of yours." },
  { name: "events", description: "The events of the account as they happen." },
  { name: "api-keys", description: "The API keys of the account." },
  { name: "users", description: "The people of the account, who sign in to the dashboard." },
  { name: "publishable-keys", description: "Keys by which web pages start calls." },
  { name: "audit", description: "Who did what in the account." },
  { name: "accounts", description: "What the account may have, and for how long it keeps its calls." },
  { name: "provider-credentials", description: "The account's own API keys of providers." },
  { name: "carriers", description: "The account's credentials at telephone carriers." },
  { name: "phone-numbers", description: "The telephone numbers of the account, and which agents answer them." },
  { name: "tools", description: "Saved tools of calls and agents: HTTP requests, tools of clients, MCP servers." },
  { name: "tool-secrets", description: "The account's own secrets for headers of HTTP tools." },
  { name: "usage", description: "Calls, minutes and cost." },
  { name: "voices", description: "The voices and languages that the configured TTS providers offer." },
  { name: "status", description: "The state of the whole service." },
  { name: "service", description: "The service itself. No API key required." },
];

const KEY_SCHEME = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  description:
    "Created with `POST /api-keys`, or by the operator of the service with `npm run api-keys`, and shown once.",
} as const;

const PUBLISHABLE_KEY_SCHEME = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  description: "Created with `POST /publishable-keys`, for web pages.",
} as const;

const OPENAPI_ROUTE = {
  operationId: "getOpenapi",
  tags: ["service"],
  summary: "This document",
  description: "The OpenAPI document of the running version.",
  security: [],
  response: { 200: z.looseObject({ openapi: z.string() }).meta({ description: "The document." }) },
};

export interface OpenapiOptions {
  /** The addresses of this API, each with the base path at its end; without any, the document refers to its own address. */
  publicApiUrls: readonly string[];
  /** The prefix of the routes that require an API key, for example `/api/v1`. */
  basePath: string;
}

/**
 * Describes every route that is registered after it, in OpenAPI 3.1, at `{basePath}/openapi.json`. Requests and responses are
 * described by the schemas that validate them; a route without an `operationId` is a bug.
 */
export function openapiRoute(app: FastifyInstance, { publicApiUrls, basePath }: OpenapiOptions): void {
  const urls = publicApiUrls.length === 0 ? [basePath] : publicApiUrls;
  const roots = urls.map((url) => ({ url: url.slice(0, -basePath.length) || "/" }));
  const schemas = new Map<string, FastifySchema>();
  const convert = createJsonSchemaTransform({ zodToJsonConfig: { override } });
  const addComponents = createJsonSchemaTransformObject({ zodToJsonConfig: { override } });
  void app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: INFO,
      servers: urls.map((url) => ({ url })),
      tags: TAGS,
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: KEY_SCHEME, publishableKey: PUBLISHABLE_KEY_SCHEME }, headers: HEADERS },
    },
    stripBasePath: false,
    convertConstToEnum: false,
    transform: ({ schema: given, url, ...rest }) => {
      if (given?.hide) return { schema: given, url };
      assert.ok(given?.operationId, `${url} has no operationId`);
      // The plugin appends this suffix for every HEAD; our HEAD routes have ids of their own.
      const schema = { ...given, operationId: given.operationId.replace(/-head$/, "") };
      schemas.set(schema.operationId, schema);
      if (url.startsWith(`${basePath}/`)) return convert({ schema, url: url.slice(basePath.length), ...rest });
      const converted = convert({ schema, url, ...rest });
      const schemaAtRoot: FastifySchema & { servers: typeof roots } = { ...converted.schema, servers: roots };
      return { ...converted, schema: schemaAtRoot };
    },
    transformObject: (documents) => completeDocument(addComponents(documents) as OpenAPIV3_1.Document, schemas),
  });
  const route = (scope: FastifyInstance, _options: object, done: () => void): void => {
    let document: string | undefined;
    scope.get("/openapi.json", { schema: OPENAPI_ROUTE }, async (_request, reply) => {
      // About 20 ms of work, done once, on the first request.
      document ??= JSON.stringify(scope.swagger());
      return reply.type("application/json; charset=utf-8").send(document);
    });
    done();
  };
  void app.register(route, { prefix: basePath });
}

/** Corrects zod's JSON Schema where it says less than we know, or more than we promise. */
const override: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  const shown = documentedSchemaOf(zodSchema);
  if (shown !== undefined) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, inputOf(shown));
  }
  const { type } = zodSchema._zod.def;
  // The plugin's notation for a response without a body.
  if (type === "undefined") jsonSchema.type = "null";
  // JSON names are always strings, integers have no such bound, and a format says the same as its pattern, but legibly.
  if (type === "record") delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // `readonly` means immutable in TypeScript, but never sent in OpenAPI.
  delete jsonSchema.readOnly;
};

/** The schema of a request, with references to the components for named schemas. */
function inputOf(schema: z.ZodType): object {
  const { $schema: _, $defs: __, ...shown } = z.toJSONSchema(schema, { io: "input", override });
  const referring = (key: string, value: unknown): unknown =>
    key === "$ref" && typeof value === "string" ? `${value.replace("#/$defs/", SCHEMAS)}Input` : value;
  return JSON.parse(JSON.stringify(shown), referring);
}
