import { strict as assert } from "node:assert";
import type { FastifyRequest, preValidationHookHandler } from "fastify";
import type { z } from "zod";
import type { SpendUnit } from "../../core/billing/spend.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import { isoTime } from "../../core/clock.ts";
import type { AccountId, AgentId } from "../../core/ids.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { CallAdmission } from "../../store/admission/call-admission.ts";
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
import type { CreatedCall } from "./response-schemas.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** On the routes that create calls: the body as received; validation replaces `body` with the checked one. */
    sentBody: unknown;
  }
}

export interface CallCreationDeps {
  callAdmission: Pick<CallAdmission, "create">;
  callAcceptance: () => CallAcceptance;
  /** The limit that the account's calls have reached within the last minute; undefined when none is reached. */
  accountLimitReached: (accountId: AccountId) => SpendUnit | undefined;
  /** The beginning of every `websocketUrl`, for example `wss://media.example.com`, without a slash at the end. */
  publicMediaUrl: string;
  tokenTtlMs: number;
  /** A new stream token, signed so that workers accept it. */
  mintToken: () => string;
  log: Logger;
}

const captureBody: preValidationHookHandler = (request, _reply, done) => {
  request.sentBody = request.body;
  done();
};

/**
 * Options of every route that creates a call, in addition to a schema with `IdempotencyHeaders`. The schema's problems are not
 * thrown at once, because the response also reports those that only the handler can find: it calls `problemsOfRequest`.
 */
export const CREATE_CALL_OPTIONS = { attachValidation: true, preValidation: captureBody } as const;

/** The problems that the schema finds in a request (`schemaProblems`), and those of its query and its idempotency key. */
export function problemsOfRequest(request: FastifyRequest): readonly Problem[] {
  // Fastify stops at the first part that is wrong, and checks the headers last.
  const named = IdempotencyHeaders.safeParse(request.headers, { reportInput: true });
  return [
    ...schemaProblems(request),
    ...noQueryProblems(request.query),
    ...(named.success ? [] : problemsOf(named.error)),
  ];
}

/**
 * Throws the ApiError that `createCall` would throw for any body, before anything of this one is looked up or compiled. When the
 * request already has `problems`, throws those instead. An idempotent request may be refused for spending only after the store
 * has checked whether it was answered before.
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
  // When only the call slots are used up, the store still answers a repeated request.
  if (!state.accepted && state.reason !== "overloaded") return callsRefused(state.reason);
  const limit = headers["idempotency-key"] === undefined ? limitOf(accountId) : undefined;
  return limit && accountLimitError(limit);
}

/** The part of Fastify's reply that `createCall` uses. */
interface CreationReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

/**
 * Creates the call of a request that has been checked, or finds the call that the same request created before. Sets the status
 * and the headers of the response and returns its body. `agentId` is the saved agent from which `spec` was made. Throws ApiError:
 * 503 while no calls are accepted, 429 when the API key has reached its limit of calls or the account a spend limit, 409
 * `idempotency_mismatch`.
 */
export async function createCall(
  deps: CallCreationDeps,
  request: FastifyRequest,
  reply: CreationReply,
  spec: CallSpec,
  agentId?: AgentId,
): Promise<z.output<typeof CreatedCall>> {
  // The state may have changed while the request was checked.
  refuseEarly(deps, request);
  const fresh = deps.mintToken();
  const named = idempotencySealerOf(request, agentId);
  const over = deps.accountLimitReached(request.accountId);
  const creation = await deps.callAdmission.create(
    {
      accountId: request.accountId,
      agentId,
      apiKeyId: request.apiKeyId,
      spec,
      tokenHash: hashSecret(fresh),
      tokenTtlMs: deps.tokenTtlMs,
      idempotency: named?.seal(fresh),
    },
    over && "spend_limit",
  );
  if (creation.kind === "refused") {
    if (over !== undefined) throw accountLimitError(over);
    throw creation.reason === "overloaded" ? callsRefused(creation.reason) : tooManyCalls();
  }
  if (creation.kind === "mismatch") throw idempotencyMismatch();
  const { call } = creation;
  let token = fresh;
  if (creation.kind === "replayed") {
    assert.ok(named !== undefined, "only an idempotent request can be replayed");
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

/** Undefined for a request without an Idempotency-Key. */
function idempotencySealerOf(
  { headers, sentBody }: FastifyRequest,
  agentId: AgentId | undefined,
): IdempotencySealer | undefined {
  const name = headers["idempotency-key"];
  const apiKey = headers["x-api-key"];
  if (typeof name !== "string") return undefined;
  assert.ok(typeof apiKey === "string", "calls are only created with an API key");
  // The path adds only the agent's id. A missing body and an empty one are the same request.
  return new IdempotencySealer({ name, apiKey, asked: [agentId, sentBody ?? {}] });
}

const idempotencyMismatch = (): ApiError =>
  new ApiError(
    "idempotency_mismatch",
    "this Idempotency-Key was already used with another body, on another path, or with another API key of this account",
  );
