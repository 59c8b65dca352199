import { strict as assert } from "node:assert";
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import { SOFTWARE } from "../../core/version.ts";
import { documentedSchemaOf } from "../http/documented-as.ts";
import { completeDocument, SCHEMAS } from "./document.ts";
import { HEADERS } from "./responses.ts";

const INFO = {
  title: "Trunkline",
  license: { name: "Apache License 2.0", identifier: "Apache-2.0" },
  version: SOFTWARE.split("/")[1] ?? "",
  description: `The control API of a self-hosted service for voice agents. \`POST /calls\` prepares a call and gives the \
\`websocketUrl\` of its media stream, which is good once and for a short time: hand it to the telephone \
carrier, or to the program that speaks for itself, at once. \
Everything else reads, ends and deletes what became of it.

- **Key**: every operation but the ones marked otherwise carries an API key in the header X-API-Key. An account sees what \
belongs to it and nothing else; the things of others are answered with 404, as those that do not exist.
- **Requests** are JSON in UTF-8. Fields that are not described here are refused by name, and so are query parameters of \
operations that ask for a key; all that is wrong with a request is told at once.
- **Answers** are JSON, and errors have one shape, \`{"error": Error}\`. Go by \`code\`. Fields may be added to answers in any \
version: ignore unknown fields. Malformed HTTP is answered with 400 or 408.
- **Methods**: every path answers OPTIONS with 204 and, where it answers GET, HEAD. Any other method is 405 \
\`method_not_allowed\`. Both have the header Allow, which names the methods of the path.
- **Lists** are \`{"data": [...], "nextCursor": null}\`. Where \`nextCursor\` is a string, the same request with it as \
\`cursor\` gives what follows.
- **Times** are ISO 8601 in UTC; durations say their unit in their names, and those of a call's settings are seconds.`,
} as const;

const TAGS = [
  { name: "calls", description: "Calls: create, observe, end, read, delete." },
  { name: "agents", description: "Saved configurations to make calls from." },
  { name: "voices", description: "The voices and languages that the configured TTS providers offer." },
  { name: "service", description: "The service itself. No API key required." },
];

const KEY_SCHEME = {
  type: "apiKey",
  in: "header",
  name: "X-API-Key",
  description: "Made by the operator of the service with `npm run api-keys`, and shown once.",
} as const;

const OPENAPI_ROUTE = {
  operationId: "getOpenapi",
  tags: ["service"],
  summary: "This document",
  description: "The OpenAPI document of exactly the version that answers.",
  security: [],
  response: { 200: z.looseObject({ openapi: z.string() }).meta({ description: "The document." }) },
};

export interface OpenapiOptions {
  /** Where this API is reached, each with the base path at its end; with none, the document speaks of its own address. */
  publicApiUrls: readonly string[];
  /** Where the routes that need a key stand, for example `/api/v1`. */
  basePath: string;
}

/**
 * Describes every route that is registered after it, in OpenAPI 3.1, at `{basePath}/openapi.json`. What the document says
 * of requests and answers is made from the schemas that check them; a route without an `operationId` is a bug.
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
      components: { securitySchemes: { apiKey: KEY_SCHEME }, headers: HEADERS },
    },
    stripBasePath: false,
    convertConstToEnum: false,
    transform: ({ schema: given, url, ...rest }) => {
      if (given?.hide) return { schema: given, url };
      assert.ok(given?.operationId, `${url} does not describe itself`);
      // The plugin's mark on every HEAD; ours have names of their own.
      const schema = { ...given, operationId: given.operationId.replace(/-head$/, "") };
      schemas.set(schema.operationId, schema);
      if (url.startsWith(`${basePath}/`)) return convert({ schema, url: url.slice(basePath.length), ...rest });
      const converted = convert({ schema, url, ...rest });
      const standsAtRoot: FastifySchema & { servers: typeof roots } = { ...converted.schema, servers: roots };
      return { ...converted, schema: standsAtRoot };
    },
    transformObject: (documents) => completeDocument(addComponents(documents) as OpenAPIV3_1.Document, schemas),
  });
  const route = (scope: FastifyInstance, _options: object, done: () => void): void => {
    let document: string | undefined;
    scope.get("/openapi.json", { schema: OPENAPI_ROUTE }, async (_request, reply) => {
      // Some 20 ms of work, once, for whoever asks first.
      document ??= JSON.stringify(scope.swagger());
      return reply.type("application/json; charset=utf-8").send(document);
    });
    done();
  };
  void app.register(route, { prefix: basePath });
}

/** What zod makes of a schema, put right where it says less than we know, or more than we promise. */
const override: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  const shown = documentedSchemaOf(zodSchema);
  if (shown !== undefined) {
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, inputOf(shown));
  }
  const { type } = zodSchema._zod.def;
  // An answer without a body, as the plugin wants to be told of it.
  if (type === "undefined") jsonSchema.type = "null";
  // Names in JSON are strings anyway, integers have no such end, and a format says what its pattern would, but legibly.
  if (type === "record") delete jsonSchema.propertyNames;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // To TypeScript it says that nobody changes the list, to OpenAPI that it is never sent.
  delete jsonSchema.readOnly;
};

/** A schema of what we are sent, with references to the components where it has a name. */
function inputOf(schema: z.ZodType): object {
  const { $schema: _, $defs: __, ...shown } = z.toJSONSchema(schema, { io: "input", override });
  const referring = (key: string, value: unknown): unknown =>
    key === "$ref" && typeof value === "string" ? `${value.replace("#/$defs/", SCHEMAS)}Input` : value;
  return JSON.parse(JSON.stringify(shown), referring);
}
