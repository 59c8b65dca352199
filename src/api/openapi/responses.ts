import { STATUS_CODES } from "node:http";
import type { FastifySchema } from "fastify";
import type { OpenAPIV3_1 } from "openapi-types";
import { z } from "zod";
import { API_KEYS_MAX } from "../../core/limits/accounts/api-keys.ts";
import { USERS_MAX } from "../../core/limits/accounts/people.ts";
import { PUBLISHABLE_KEYS_MAX } from "../../core/limits/accounts/web-calls.ts";
import { AGENT_VERSIONS_MAX, AGENTS_PER_ACCOUNT_MAX } from "../../core/limits/agents/agents.ts";
import { BODY_BYTES_MAX } from "../../core/limits/control-api/api.ts";
import { WEBHOOKS_MAX } from "../../core/limits/control-api/webhooks.ts";
import { type ErrorBody, type ErrorCode, RETRY_AFTER_STATUSES, STATUS } from "../http/errors.ts";

/** The meaning of each code for the client, in Markdown; docs/errors.md shows them, too. */
export const CODE_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: "the request does not follow the OpenAPI document; `details` lists all problems",
  unknown_voice: "`GET /voices` lists no such voice, or several of this name",
  unknown_language: "`GET /languages` lists no such language; the message names those that there are",
  unauthorized:
    "there is no API key in the header X-API-Key, or one that is unknown, expired or revoked; below `/dashboard/session/` there is " +
    "no session, or the email or the password is wrong",
  forbidden:
    "the API key, or the role of a person, lacks a scope that the operation needs or the request would grant; the message names it. " +
    "A publishable key can only start web calls, from pages of its origins",
  listening_not_allowed: "the audio of the call may not be recorded, or the call is redacted when it is over",
  not_found: "the resource does not exist, or belongs to another account",
  method_not_allowed: "the path has other methods, which the header Allow names",
  not_acceptable: "the header Accept allows none of the formats of a transcription; the message names them",
  conflict: `not possible in the resource's current state, or the account has reached its limit of them (${AGENTS_PER_ACCOUNT_MAX.toLocaleString("en-US")} agents, ${AGENT_VERSIONS_MAX.toLocaleString("en-US")} published versions of an agent, ${WEBHOOKS_MAX} webhooks, ${API_KEYS_MAX} API keys, ${USERS_MAX} people, ${PUBLISHABLE_KEYS_MAX} publishable keys)`,
  already_on_hold: "the caller is on hold already, perhaps by the same request, repeated",
  not_on_hold: "the caller is not on hold; the hold may have ended by itself",
  recording_paused: "the recording is paused already, perhaps by the same request, repeated",
  recording_not_paused: "the recording is not paused",
  idempotency_mismatch: "the Idempotency-Key was used with another request",
  precondition_failed:
    "the header If-Match names another version than the agent, the tool or the account has: it was changed meanwhile",
  payload_too_large: `the body is larger than ${BODY_BYTES_MAX / 1_024} KiB`,
  unsupported_media_type:
    "the body is not application/json in UTF-8, or has a Content-Encoding; or an uploaded file is no WAV file, and FFmpeg, which reads " +
    "others, is not installed",
  range_not_satisfiable: "the header Range requests bytes outside the file",
  rate_limited:
    "the API key, the person or the account has reached its limit of requests a minute (`API_KEY_REQUESTS_PER_MINUTE`, " +
    "`ACCOUNT_REQUESTS_PER_MINUTE`), the API key its limit of concurrent calls (`CALLS_PER_API_KEY`), the account its own limit of " +
    "concurrent calls or of created calls a minute, or its limit of concurrent lists, downloads, questions to corpora, streams of " +
    "events, tests of tools or requests that ask an MCP server for its tools, or a publishable key or an address its limit of starts " +
    "a minute or of concurrent calls; or there were too many wrong passwords",
  spend_limit:
    "the calls of the account have reached a spend limit per minute, or those of a publishable key or an address their limit of " +
    "cost a day",
  internal: "a bug in the service; its log has details under the same `requestId`",
  overloaded:
    "there is no capacity for another call, the media workers do not keep up, or too many lists, downloads, questions to corpora, " +
    "streams of events or hashes of passwords are in progress",
  draining: "the service is about to stop",
  insufficient_storage: "free disk space is too low for new calls; live calls continue",
  database_lost:
    "the database does not answer, or its file was removed or replaced under the service, which writes nothing until it is back",
  unavailable:
    "a part of the service is not responding at present, a tool's schema cannot be checked within 10 s, or the voice may belong to a " +
    "provider that has never listed its own",
  node_unreachable:
    "the call is on another node of the cluster, which did not answer in time; the message names the node. What was asked for may have " +
    "been done: read the call before the request is repeated",
};

/** Statuses whose code has another meaning. */
export const MEANINGS_BY_STATUS: Readonly<Record<number, string>> = {
  408: "the request took too long to arrive",
  501:
    "the request is valid, but needs what this service lacks, and `message` says what: WebRTC without the optional package " +
    "`node-datachannel` (install it) or without `WEBRTC_UDP_PORTS` (set it), or saved tools, which are not in this version",
};

const CODES = Object.keys(STATUS) as ErrorCode[];
const REQUEST_ID = "req_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10";

const Problem = z
  .object({
    path: z.string().meta({ description: "JSON pointer (RFC 6901) to what is wrong; empty for the whole body." }),
    message: z.string().meta({ description: "A sentence: the field, what is allowed, and what was sent." }),
  })
  .meta({
    examples: [{ path: "/maxDuration", message: "maxDuration must be a whole number from 60 to 7200, not 7201" }],
  });

/** Used only by the document: `ApiError.body` creates the body of every error. */
const ErrorContent: z.ZodType<ErrorBody["error"]> = z
  .object({
    code: z.enum(CODES).meta({ description: "Stable code for programs; its meaning never changes." }),
    message: z.string().meta({ description: "For humans; the wording may change." }),
    details: z
      .array(Problem)
      .readonly()
      .meta({ description: "All problems of the request that can be located in it." }),
    requestId: z.string().meta({ description: "Also in the header X-Request-Id, and in the service's log." }),
  })
  .meta({ id: "Error", description: "The error: field `error` of every response that is not a success." });

/** Headers of responses, as the document describes them. */
export const HEADERS = {
  "X-Request-Id": {
    description: "Id of this request, also in the service's log.",
    required: true,
    schema: { type: "string", pattern: "^req_" },
    example: REQUEST_ID,
  },
  "Retry-After": {
    description: "Seconds to wait before a retry.",
    required: true,
    schema: { type: "integer", minimum: 1 },
    example: 5,
  },
  RateLimit: {
    description:
      "For each limit of requests that applies: its name, how many requests remain (`r`), and in how many seconds all of them are " +
      "available again (`t`). As the IETF's draft-ietf-httpapi-ratelimit-headers says.",
    schema: { type: "string" },
    example: '"api_key";r=59999;t=1, "account";r=119999;t=1',
  },
  "RateLimit-Policy": {
    description:
      "For each limit of requests that applies: its name, and its requests (`q`) within so many seconds (`w`).",
    schema: { type: "string" },
    example: '"api_key";q=60000;w=60, "account";q=120000;w=60',
  },
  "WWW-Authenticate": {
    description: "How to authenticate (RFC 9110, section 11.6.1): with a key in the header X-API-Key.",
    required: true,
    schema: { type: "string" },
    example: 'ApiKey realm="Trunkline", header="X-API-Key"',
  },
  Location: {
    description: "Address of the new resource, relative to the address of this request.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  "Idempotent-Replayed": {
    description: "Present when the response was created by an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
  "X-Accel-Buffering": {
    description: "`no`: a proxy that knows this header, such as nginx, sends each event on at once.",
    required: true,
    schema: { type: "string", enum: ["no"] },
  },
  ETag: {
    description:
      "Identifies this version of a recording, for If-Range and If-None-Match, or of an agent, for If-Match.",
    required: true,
    schema: { type: "string", pattern: '^"[^"]+"$' },
  },
  "Accept-Ranges": {
    description: "Byte ranges are supported.",
    required: true,
    schema: { type: "string", enum: ["bytes"] },
  },
  "Content-Range": {
    description: "The range of these bytes and the length of the file; with 416 only the length.",
    required: true,
    schema: { type: "string", pattern: "^bytes ([0-9]+-[0-9]+|[*])/[0-9]+$" },
  },
  "Content-Disposition": {
    description: "A name for the file.",
    required: true,
    schema: { type: "string" },
  },
  "Content-Length": {
    description: "The length of the whole file in bytes.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
} as const satisfies Record<string, OpenAPIV3_1.HeaderObject>;
export type HeaderName = keyof typeof HEADERS;

declare module "fastify" {
  interface FastifySchema {
    /** Headers of its responses by status, in addition to those of every response of its kind; for the OpenAPI document. */
    responseHeaders?: Readonly<Record<number, readonly HeaderName[]>>;
  }
}

/** Whether a route requires an API key: every route does, unless its schema declares its own `security`. */
export const requiresApiKey = (schema: FastifySchema): boolean => schema.security === undefined;

/** The statuses of a route's errors with their codes: those of every route of its kind, and its own. */
export function errorsOf(schema: FastifySchema): ReadonlyMap<number, readonly ErrorCode[]> {
  const errors = new Map<number, Set<ErrorCode>>();
  const add = (status: number, code: ErrorCode): void => {
    errors.set(status, (errors.get(status) ?? new Set()).add(code));
  };
  // Too many headers, or two Hosts, make any request invalid.
  add(400, "invalid_request");
  if (schema.body !== undefined) {
    add(408, "invalid_request");
    add(413, "payload_too_large");
    add(415, "unsupported_media_type");
  }
  if (requiresApiKey(schema)) {
    add(401, "unauthorized");
    add(403, "forbidden");
    add(429, "rate_limited");
    // The process that knows the API keys may not respond.
    add(503, "unavailable");
  }
  add(500, "internal");
  for (const code of schema.errors ?? []) add(STATUS[code], code);
  if (schema.mayBeUnsupported) add(501, "unavailable");
  return new Map([...errors].map(([status, codes]) => [status, CODES.filter((code) => codes.has(code))]));
}

/** The name of the component for a status with these codes. */
export const errorName = (status: number, codes: readonly ErrorCode[]): string =>
  `${codes.map(pascalCase).join("Or")}${status}`;

const pascalCase = (code: string): string =>
  code.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

/** `added` are headers in addition to those of every error with this status. */
export function errorResponse(
  status: number,
  codes: readonly ErrorCode[],
  added?: readonly HeaderName[],
): OpenAPIV3_1.ResponseObject {
  const meaning = (code: ErrorCode): string => MEANINGS_BY_STATUS[status] ?? CODE_MEANINGS[code];
  const examples = codes.map((code) => {
    const value: ErrorBody = { error: { code, message: plain(meaning(code)), details: [], requestId: REQUEST_ID } };
    return [code, { value }] as const;
  });
  return {
    description: [`${STATUS_CODES[status]}.`, ...codes.map((code) => `\`${code}\`: ${meaning(code)}.`)].join(" "),
    headers: headersOf(status, added),
    content: {
      "application/json": {
        schema: {
          type: "object",
          properties: {
            error: {
              allOf: [
                { $ref: `#/components/schemas/${ErrorContent.meta()?.id}` },
                { properties: { code: { enum: [...codes] } } },
              ],
            },
          },
          required: ["error"],
        },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

const plain = (markdown: string): string => markdown.replaceAll("`", "");

/** The headers of responses to requests with a valid API key. */
export const RATE_LIMIT_HEADERS = ["RateLimit", "RateLimit-Policy"] as const satisfies readonly HeaderName[];
/** Answers of an operation that requires an API key, before a valid one was found. */
const WITHOUT_API_KEY: readonly number[] = [401, 408];

/** The headers of a response with this status, and those that the route adds. */
export function headersOf(
  status: number,
  added: readonly HeaderName[] = [],
): NonNullable<OpenAPIV3_1.ResponseObject["headers"]> {
  const names: HeaderName[] = ["X-Request-Id"];
  if (status === 201) names.push("Location");
  if (status === 401) names.push("WWW-Authenticate");
  if (RETRY_AFTER_STATUSES.includes(status)) names.push("Retry-After");
  // Operations with and without an API key share their errors.
  if (status >= 400 && !WITHOUT_API_KEY.includes(status)) names.push(...RATE_LIMIT_HEADERS);
  const references = [...names, ...added].map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
  return Object.fromEntries(references);
}
