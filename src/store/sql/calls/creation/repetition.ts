import type { Kysely, Transaction } from "kysely";
import type { AccountId, AgentId, CallId } from "../../../../core/ids.ts";
import type { NewCall, Repetition } from "../../../calls/call-store.ts";
import type { Tables } from "../../tables.ts";
import type { CallsContext } from "../context.ts";
import { createdRecordOf } from "../rows.ts";
import { findRequest, isExpired, type RequestClocks } from "./idempotent-requests.ts";

/** What a request with the same idempotency key created before, and its call while that waits for its stream. */
interface FoundRequest {
  repetition: Repetition;
  waitingId?: CallId;
}

/** See `CallStore.findRepeated`. */
export async function findRepeated(context: CallsContext, call: NewCall): Promise<Repetition | undefined> {
  const { database } = context;
  const found = await findRepetition(database.db, call, context);
  if (found?.waitingId === undefined) return found?.repetition;
  return await database.transaction((tx) => repeat(tx, call, context));
}

/** See `CallStore.repeatedAgentVersion`. */
export async function repeatedAgentVersion(
  { database, clock, age }: CallsContext,
  { accountId, agentId, keyHash }: { accountId: AccountId; agentId: AgentId; keyHash: string },
): Promise<number | undefined> {
  const before = await database.db
    .selectFrom("idempotent_requests as request")
    .innerJoin("calls", "calls.id", "request.call_id")
    .select("calls.agent_version")
    .where("request.account_id", "=", accountId)
    .where("request.key_hash", "=", keyHash)
    .where("calls.agent_id", "=", agentId)
    .where((requests) => requests.not(isExpired(requests, { clock, age })))
    .executeTakeFirst();
  return before?.agent_version ?? undefined;
}

/** Reports the repetition within the transaction, in which the waiting call can neither be redeemed nor end. */
export async function repeat(
  tx: Transaction<Tables>,
  call: NewCall,
  { database, clock, age, emit }: CallsContext,
): Promise<Repetition | undefined> {
  const found = await findRepetition(tx, call, { clock, age }, database.locksRows);
  if (found?.waitingId !== undefined) emit({ kind: "repeated", callId: found.waitingId, spec: call.spec });
  return found?.repetition;
}

/** What the request of the call repeats; undefined for nothing, and without an idempotency key. */
async function findRepetition(
  db: Kysely<Tables>,
  { accountId, idempotency }: NewCall,
  clocks: RequestClocks,
  locksCall = false,
): Promise<FoundRequest | undefined> {
  if (idempotency === undefined) return undefined;
  const { keyHash } = idempotency;
  const before = await findRequest(db, { accountId, keyHash }, clocks, locksCall);
  if (before === undefined) return undefined;
  if (before.fingerprint !== idempotency.fingerprint) return { repetition: { kind: "mismatch" } };
  return {
    repetition: {
      kind: "replayed",
      call: createdRecordOf(before),
      sealedToken: before.sealed_token,
      ...(before.node !== null && { node: before.node }),
    },
    ...(before.status === "created" && { waitingId: before.id }),
  };
}
