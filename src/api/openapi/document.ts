import { strict as assert } from "node:assert";
import { STATUS_CODES } from "node:http";
import type { FastifySchema } from "fastify";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import type { Scope } from "../../core/accounts/scopes.ts";
import { errorName, errorResponse, errorsOf, headersOf, RATE_LIMIT_HEADERS, requiresApiKey } from "./responses.ts";

declare module "fastify" {
  interface FastifySchema {
    /** The body as a form, which the route reads itself, in addition to `body`; for the OpenAPI document. */
    multipart?: OpenAPIV3_1.SchemaObject;
  }
}

/** The path of a document's named schemas. */
export const SCHEMAS = "#/components/schemas/";

/** The end of the names of request schemas; all other schemas are those of responses. */
const INPUT = "Input";

type Responses = Record<string, OpenAPIV3_1.ResponseObject | OpenAPIV3_1.ReferenceObject>;
type Schemas = Record<string, OpenAPIV3_1.SchemaObject>;
type Discriminator = NonNullable<OpenAPIV3_1.SchemaObject["discriminator"]>;

/**
 * Adds to a document what its generators cannot know: errors, headers, discriminators, whether a body is optional. `schemas` are
 * those of the routes, by `operationId`. Modifies the document.
 */
export function completeDocument(
  { openapi, info, paths = {}, components, ...rest }: OpenAPIV3_1.Document,
  schemas: ReadonlyMap<string, FastifySchema>,
): OpenAPIV3_1.Document {
  const responses: Responses = {};
  for (const item of Object.values(paths)) {
    for (const [method, operation] of Object.entries(item ?? {}) as [string, OpenAPIV3_1.OperationObject][]) {
      const schema = schemas.get(operation.operationId ?? "");
      assert.ok(schema);
      completeRequest(operation, schema);
      if (schema.scope !== undefined) addScope(operation, schema.scope, schema.acceptsPublishableKeys);
      operation.responses = { ...successResponses(operation, schema), ...errorResponses(schema, method, responses) };
    }
  }
  const named = withNamedDefaults(referencedSchemas({ ...components?.schemas }, [paths, responses]));
  for (const [name, schema] of Object.entries(named)) {
    if (!name.endsWith(INPUT)) allowExtraFields(schema);
    const discriminator = discriminatorOf(schema, named);
    if (discriminator !== undefined) schema.discriminator = discriminator;
  }
  // In reading order.
  const inOrder = { ...rest, paths: byTags(paths, rest.tags ?? []) };
  return { openapi, info, ...inOrder, components: { ...components, responses, schemas: named } };
}

/** In the order of the tags; within one tag, in the order of registration. */
function byTags(paths: OpenAPIV3_1.PathsObject, tags: readonly { name: string }[]): OpenAPIV3_1.PathsObject {
  const place = ([, item]: [string, object | undefined]): number => {
    const [operation] = Object.values(item ?? {}) as OpenAPIV3_1.OperationObject[];
    return tags.findIndex(({ name }) => name === operation?.tags?.[0]);
  };
  return Object.fromEntries(Object.entries(paths).sort((one, other) => place(one) - place(other)));
}

function completeRequest(operation: OpenAPIV3_1.OperationObject, schema: FastifySchema): void {
  for (const parameter of (operation.parameters ?? []) as OpenAPIV3_1.ParameterObject[]) {
    const { type } = parameter.schema as OpenAPIV3_1.SchemaObject;
    // Node has header names in lower case; documentation shows them capitalised.
    if (parameter.in === "header")
      parameter.name = parameter.name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
    if (parameter.in === "query" && type === "object") Object.assign(parameter, { style: "deepObject", explode: true });
  }
  const body = operation.requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
  if (body !== undefined && schema.multipart !== undefined) {
    body.content = { ...body.content, "multipart/form-data": { schema: schema.multipart } };
  }
  if (body !== undefined) body.required = !(schema.body as z.ZodType).safeParse(undefined).success;
}

/** OpenAPI 3.1 gives the roles that a security scheme must have in its list. Most viewers do not show them. */
function addScope(operation: OpenAPIV3_1.OperationObject, scope: Scope, acceptsPublishableKeys = false): void {
  operation.security = [{ apiKey: [scope] }, ...(acceptsPublishableKeys ? [{ publishableKey: [] }] : [])];
  const required = acceptsPublishableKeys ? "Requires a publishable key, or the scope" : "Requires the scope";
  operation.description = `${operation.description} ${required} \`${scope}\`.`;
}

function successResponses({ responses = {} }: OpenAPIV3_1.OperationObject, schema: FastifySchema): Responses {
  const described = schema.response as Record<string, z.ZodType | { description: string }>;
  const found = Object.entries(responses).map(([status, response]) => {
    const answer = described[status];
    const description = answer instanceof z.ZodType ? answer.meta()?.description : answer?.description;
    const ofKey = requiresApiKey(schema) ? RATE_LIMIT_HEADERS : [];
    const headers = headersOf(Number(status), [...ofKey, ...(schema.responseHeaders?.[Number(status)] ?? [])]);
    return [status, { ...response, description: description ?? STATUS_CODES[status] ?? "", headers }] as const;
  });
  allowExtraFields(found);
  return Object.fromEntries(found);
}

/** Adds each response to `shared` under its name, unless the route adds headers of its own. */
function errorResponses(schema: FastifySchema, method: string, shared: Responses): Responses {
  const found: Responses = {};
  for (const [status, codes] of errorsOf(schema)) {
    const added = schema.responseHeaders?.[status];
    const response = errorResponse(status, codes, added);
    if (method === "head") delete response.content;
    if (method === "head" || added !== undefined) found[status] = response;
    else {
      const name = errorName(status, codes);
      shared[name] = response;
      found[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  return found;
}

/**
 * Moves each input field with a default into a named schema, to which the field refers. In a response a field with a default is
 * always present, in a request it is optional, and client generators cannot distinguish the two: openapi-typescript makes every
 * property with `default` required. Modifies the schemas.
 */
function withNamedDefaults(schemas: Schemas): Schemas {
  const named: Schemas = { ...schemas };
  for (const [name, { properties = {} }] of Object.entries(schemas).filter(([key]) => key.endsWith(INPUT))) {
    for (const [field, property] of Object.entries(properties)) {
      if (!("default" in property)) continue;
      const { description, ...rest } = property;
      const key = `${name.slice(0, -INPUT.length)}${field[0]?.toUpperCase()}${field.slice(1)}${INPUT}`;
      named[key] = rest;
      properties[field] = { $ref: `${SCHEMAS}${key}`, ...(description !== undefined && { description }) };
    }
  }
  return Object.fromEntries(Object.entries(named).sort(([one], [other]) => one.localeCompare(other)));
}

/** Responses may get more fields, and never omit one for its default: only request schemas are closed and have defaults. */
function allowExtraFields(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if ("additionalProperties" in value && value.additionalProperties === false) delete value.additionalProperties;
  if ("default" in value && "type" in value && isTypeName(value.type)) delete value.default;
  for (const [key, child] of Object.entries(value)) if (!/^examples?$/.test(key)) allowExtraFields(child);
}

/** False for the schema of a property with the name `type`. */
const isTypeName = (type: unknown): boolean => typeof type === "string" || Array.isArray(type);

/** The property that distinguishes the named alternatives of a schema; undefined for a schema without one. */
function discriminatorOf({ oneOf = [] }: OpenAPIV3_1.SchemaObject, all: Schemas): Discriminator | undefined {
  const references = oneOf.map((part) => ("$ref" in part ? part.$ref : ""));
  const [first] = references;
  if (first === undefined) return undefined;
  for (const propertyName of constantsOf(first, all).keys()) {
    const values = references.map((reference) => constantsOf(reference, all).get(propertyName));
    const mapping = Object.fromEntries(references.map((reference, index) => [values[index], reference]));
    if (!values.includes(undefined) && Object.keys(mapping).length === values.length) return { propertyName, mapping };
  }
  return undefined;
}

/** The constant properties of a named schema, or those that all its alternatives share, with their values. */
function constantsOf(reference: string, all: Schemas): ReadonlyMap<string, string> {
  const { oneOf = [], properties = {} } = all[reference.slice(SCHEMAS.length)] ?? {};
  const constants = Object.entries(properties).flatMap(([name, property]) =>
    "const" in property ? [[name, String(property.const)] as const] : [],
  );
  const [first, ...others] = oneOf.map((part) => constantsOf("$ref" in part ? part.$ref : "", all));
  if (first === undefined) return new Map(constants);
  return new Map([...first].filter(([name, value]) => others.every((other) => other.get(name) === value)));
}

/** The schemas of `all` that `parts`, or these schemas themselves, refer to by name. */
function referencedSchemas(all: Schemas, parts: unknown): Schemas {
  const found = new Map<string, OpenAPIV3_1.SchemaObject>();
  const look = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const child of Object.values(part)) look(child);
    if (!("$ref" in part) || typeof part.$ref !== "string" || !part.$ref.startsWith(SCHEMAS)) return;
    const name = part.$ref.slice(SCHEMAS.length);
    const schema = all[name];
    assert.ok(schema, `there is no schema ${name}`);
    if (found.has(name)) return;
    found.set(name, schema);
    look(schema);
  };
  look(parts);
  return Object.fromEntries([...found].sort(([one], [other]) => one.localeCompare(other)));
}
