import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance, RouteOptions } from "fastify";

/** A JSON schema, as far as the tests look into it. */
export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

/** A part of the document that carries examples. */
export interface Described {
  description?: string;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
  schema?: Schema;
}

export interface Parameter extends Described {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  style?: string;
}

export interface Header extends Described {
  required?: boolean;
}

export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Described>;
}

/** One operation, with every reference but those within schemas resolved. */
export interface Operation {
  operationId: string;
  /** In upper case. */
  method: string;
  /** Where it is had, relative to where the document is had, with its parameters in braces. */
  address: string;
  /** The path of that. */
  path: string;
  tags: string[];
  summary: string;
  description: string;
  needsKey: boolean;
  /** That the API key must have; undefined where none is needed. */
  scope: string | undefined;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Described> };
  /** Every example of a body. */
  bodyExamples: unknown[];
  responses: Record<string, Response>;
}

/** An answer to hold against the document. Header names are in lower case. */
export interface GivenAnswer {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}

interface Json {
  [key: string]: unknown;
}

/** An OpenAPI 3.1 document, read by its own rules. */
export class OpenapiDocument {
  readonly json: Json;
  readonly operations: readonly Operation[];
  readonly #ajv: Ajv2020;

  constructor(json: Json) {
    this.json = json;
    this.#ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats.default(this.#ajv);
    for (const part of [...Object.keys(json), "discriminator"]) this.#ajv.addKeyword(part);
    this.#ajv.addSchema(closed(json) as Json, "openapi");
    this.operations = this.#readOperations();
  }

  operation(operationId: string): Operation {
    const found = this.operations.find((operation) => operation.operationId === operationId);
    if (found === undefined) throw new Error(`the document has no operation ${operationId}`);
    return found;
  }

  /** What is wrong with a value by a schema of the document; objects may only have the fields that it names. */
  problems(schema: Schema, value: unknown): string[] {
    const pointed = JSON.parse(JSON.stringify(closed(schema)), (key, text) =>
      key === "$ref" ? `openapi${text}` : text,
    );
    const validate = this.#ajv.compile(pointed);
    return validate(value) ? [] : (validate.errors ?? []).map(errorText);
  }

  /** What is wrong with an answer of an operation: an undocumented status, type or field, and what is missing. */
  answerProblems(operation: Operation, { status, headers, text }: GivenAnswer): string[] {
    const response = operation.responses[status];
    if (response === undefined) return [`status ${status} is not documented`];
    const problems = Object.entries(response.headers ?? {}).flatMap(([name, header]) =>
      this.#headerProblems(name, header, headers[name.toLowerCase()]),
    );
    if (operation.method === "HEAD" || response.content === undefined)
      return text === "" ? problems : [...problems, "has a body"];
    const [type = ""] = String(headers["content-type"]).split(";");
    const media = response.content[type];
    if (media === undefined) return [...problems, `the type ${type} is not documented`];
    return type === "application/json"
      ? [...problems, ...this.problems(media.schema ?? {}, JSON.parse(text))]
      : problems;
  }

  #headerProblems(name: string, header: Header, value: unknown): string[] {
    if (value === undefined) return header.required ? [`the header ${name} is missing`] : [];
    const typed = header.schema?.type === "integer" ? Number(value) : value;
    return this.problems(header.schema ?? {}, typed).map((problem) => `the header ${name}: ${problem}`);
  }

  #readOperations(): Operation[] {
    const json = this.json as { servers: { url: string }[]; paths: Record<string, Record<string, Json>> };
    return Object.entries(json.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, given]) => {
        const operation = this.#resolved(given) as unknown as Operation & {
          security?: { apiKey?: string[] }[];
          servers?: { url: string }[];
        };
        const [server] = operation.servers ?? json.servers;
        const address = (server?.url ?? "").replace(/\/$/, "") + path;
        return {
          ...operation,
          method: method.toUpperCase(),
          address,
          path: address.replace(/^https?:\/\/[^/]+/, ""),
          parameters: operation.parameters ?? [],
          bodyExamples: Object.values(operation.requestBody?.content ?? {}).flatMap((media) => [
            ...examplesOf(media),
            ...this.#schemaExamples(media.schema ?? {}),
          ]),
          needsKey: operation.security?.length !== 0,
          scope: operation.security?.[0]?.apiKey?.[0],
        };
      }),
    );
  }

  /** Of a schema, or of what it refers to or consists of. */
  #schemaExamples({ $ref, examples = [], anyOf = [] }: Schema): unknown[] {
    const parts = [...(anyOf as Schema[]), ...(typeof $ref === "string" ? [this.at($ref) as Schema] : [])];
    return [...(examples as unknown[]), ...parts.flatMap((part) => this.#schemaExamples(part))];
  }

  /** A part of the document without references, but for those of schemas. */
  #resolved(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((item) => this.#resolved(item));
    if (typeof part !== "object" || part === null) return part;
    if ("$ref" in part && typeof part.$ref === "string") return this.#resolved(this.at(part.$ref));
    return Object.fromEntries(
      Object.entries(part).map(([key, child]) => [key, key === "schema" ? child : this.#resolved(child)]),
    );
  }

  /** What stands at a reference. Throws when there is nothing. */
  at(reference: string): unknown {
    const keys = reference
      .replace(/^#\//, "")
      .split("/")
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    let at: unknown = this.json;
    for (const key of keys) at = (at as Json | undefined)?.[key];
    if (at === undefined) throw new Error(`the document has nothing at ${reference}`);
    return at;
  }
}

const errorText = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath} ${message} ${JSON.stringify(params)}`;

/** The same schemas, in which an object has the fields that are named and no others. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== "object" || value === null) return value;
  const copy: Json = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closed(child)]));
  const isOpen = copy.type === "object" && copy.properties !== undefined && copy.additionalProperties === undefined;
  return isOpen ? { ...copy, unevaluatedProperties: false } : copy;
}

/** The codes that an operation documents for an error's status; none for other answers. */
export function codesOf(operation: Operation, status: number): readonly string[] {
  const { properties = {} } = operation.responses[status]?.content?.["application/json"]?.schema ?? {};
  const { allOf = [] } = properties.error ?? {};
  const codes = (allOf as Schema[]).flatMap((part) => part.properties?.code?.enum ?? []);
  return codes as string[];
}

/** Every example that a described part carries. */
export const examplesOf = ({ example, examples = {} }: Described): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** The operations of an app that is not ready yet, without what the document leaves out on purpose; they are there once it is. */
export function routesOf(app: FastifyInstance): RouteOptions[] {
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => {
    if (!route.schema?.hide) routes.push(route);
  });
  return routes;
}
