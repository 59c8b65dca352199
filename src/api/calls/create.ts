import { strict as assert } from "node:assert";
import type { FastifyRequest, preValidationHookHandler } from "fastify";
import type { z } from "zod";
import type { SpendUnit } from "../../core/billing/spend.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallStore } from "../../store/call-store.ts";
import { hashSecret } from "../../store/secrets.ts";
import {
  ApiError,
  accountLimitError,
  callsRefused,
  invalidRequest,
  type Problem,
  tooManyCalls,
} from "../http/errors.ts";
import type { CallAcceptance } from "../http/health.ts";
import { IdempotencyHeaders, IdempotencySealer } from "../http/idempotency.ts";
import { noQueryProblems } from "../http/query.ts";
import { problemsOf, schemaProblems } from "../http/validation.ts";
import { isoTime } from "./item.ts";
import type { CreatedCall } from "./request-schemas.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** On the routes that create calls: the body as it came, which validation replaces by the checked one. */
    sentBody: unknown;
  }
}

export interface CallCreationDeps {
  calls: Pick<CallStore, "create">;
  callAcceptance: () => CallAcceptance;
  /** The limit that the account's calls have reached within the last minute; undefined where they have not. */
  accountLimitReached: (accountId: string) => SpendUnit | undefined;
  /** What a `websocketUrl` begins with, for example `wss://media.example.com`, without a slash at the end. */
  publicMediaUrl: string;
  tokenTtlMs: number;
  /** A new stream token, signed so that workers know it. */
  mintToken: () => string;
  log: Logger;
}

const captureBody: preValidationHookHandler = (request, _reply, done) => {
  request.sentBody = request.body;
  done();
};

/**
 * What every route that creates a call is registered with, beside a schema with `IdempotencyHeaders`. The schema's problems
 * are not thrown at once, because those that only the handler can find belong to the same answer: it asks `problemsOfRequest`.
 */
export const CREATE_CALL_OPTIONS = { attachValidation: true, preValidation: captureBody } as const;

/** What the schema has against a request, as `schemaProblems` tells it, and what is wrong with its query and its name. */
export function problemsOfRequest(request: FastifyRequest): readonly Problem[] {
  // Fastify looks no further than the first part that is wrong, and the headers come last.
  const named = IdempotencyHeaders.safeParse(request.headers, { reportInput: true });
  return [
    ...schemaProblems(request),
    ...noQueryProblems(request.query),
    ...(named.success ? [] : problemsOf(named.error)),
  ];
}

/**
 * Throws the ApiError that `createCall` would throw for any body, before anything of this one is looked up or compiled; where the request
 * has `problems` already, those. A request that its client named may only be refused for spending once the store has looked whether it
 * was answered before.
 */
export function refuseEarly(
  deps: Pick<CallCreationDeps, "callAcceptance" | "accountLimitReached">,
  request: Pick<FastifyRequest, "accountId" | "headers">,
  problems: readonly Problem[] = [],
): void {
  const refusal = earlyRefusalOf(deps, request);
  if (refusal !== undefined) throw problems.length > 0 ? invalidRequest(problems) : refusal;
}

function earlyRefusalOf(
  { callAcceptance, accountLimitReached: limitOf }: Pick<CallCreationDeps, "callAcceptance" | "accountLimitReached">,
  { accountId, headers }: Pick<FastifyRequest, "accountId" | "headers">,
): ApiError | undefined {
  const state = callAcceptance();
  // Where only the places are taken, the store still answers a request that comes again.
  if (!state.accepted && state.reason !== "overloaded") return callsRefused(state.reason);
  const limit = headers["idempotency-key"] === undefined ? limitOf(accountId) : undefined;
  return limit && accountLimitError(limit);
}

/** What `createCall` needs of Fastify's reply. */
interface CreationReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Creates the call of a request that has been checked, or finds the one that the same request made before, and sets the status
 * and the headers of the answer. Returns its body. `agentId` names the saved agent that `spec` was made of. Throws ApiError:
 * 503 while no calls are taken, 429 when the API key has as many as it may or the account may spend no more, 409 `idempotency_mismatch`.
 */
export async function createCall(
  deps: CallCreationDeps,
  request: FastifyRequest,
  reply: CreationReply,
  spec: CallSpec,
  agentId?: string,
): Promise<z.output<typeof CreatedCall>> {
  // Much may have changed while the request was checked.
  refuseEarly(deps, request);
  const fresh = deps.mintToken();
  const named = idempotencySealerOf(request, agentId);
  const over = deps.accountLimitReached(request.accountId);
  const creation = await deps.calls.create(
    {
      accountId: request.accountId,
      agentId,
      apiKeyId: request.apiKeyId,
      spec,
      tokenHash: hashSecret(fresh),
      tokenTtlMs: deps.tokenTtlMs,
      idempotency: named?.seal(fresh),
    },
    () => (over === undefined ? undefined : "spend_limit"),
  );
  if (creation.kind === "refused") {
    if (over !== undefined) throw accountLimitError(over);
    throw creation.reason === "overloaded" ? callsRefused(creation.reason) : tooManyCalls();
  }
  if (creation.kind === "mismatch") throw idempotencyMismatch();
  const { call } = creation;
  let token = fresh;
  if (creation.kind === "replayed") {
    assert.ok(named !== undefined, "a request without a name was repeated");
    token = named.open(creation.sealedToken);
    reply.header("idempotent-replayed", "true");
  } else {
    deps.log.info({ callId: call.id, accountId: call.accountId, requestId: request.id }, "call created");
  }
  reply.code(201);
  reply.header("location", `${request.server.prefix}/calls/${call.id}`);
  return {
    id: call.id,
    websocketUrl: `${deps.publicMediaUrl}/stream/${token}`,
    status: call.status,
    connectionType: call.settings.connectionType,
    createdAt: isoTime(call.createdAtMs),
  };
}

/** Undefined for a request that its client did not name. */
function idempotencySealerOf(
  { headers, sentBody }: FastifyRequest,
  agentId: string | undefined,
): IdempotencySealer | undefined {
  const name = headers["idempotency-key"];
  const apiKey = headers["x-api-key"];
  if (typeof name !== "string") return undefined;
  assert.ok(typeof apiKey === "string", "calls are only created with an API key");
  // The path says no more than which agent is called. No body and an empty one ask for the same.
  return new IdempotencySealer({ name, apiKey, asked: [agentId, sentBody ?? {}] });
}

const idempotencyMismatch = (): ApiError =>
  new ApiError(
    "idempotency_mismatch",
    "this Idempotency-Key was used before: with another body, on another path, or with another API key of this account",
  );
