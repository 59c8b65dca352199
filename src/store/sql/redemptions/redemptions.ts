import { type Kysely, type QueryCreator, type Selectable, sql, type Transaction } from "kysely";
import type { AccountProviders } from "../../../core/accounts/account-providers.ts";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { CallSpec, ConnectionType, ToolSpec } from "../../../core/calls/spec.ts";
import type { Clock } from "../../../core/clock.ts";
import { type EpochMs, elapsedMs } from "../../../core/clocks.ts";
import { mediaKeyText } from "../../../core/encryption/chunks.ts";
import { unavailable } from "../../../core/errors.ts";
import {
  type AccountId,
  type CallId,
  type CarrierId,
  liveTranscriptionOf,
  type NodeName,
  type TranscriptionId,
} from "../../../core/ids.ts";
import { secretsIn } from "../../../core/tools/http-tool.ts";
import type { RedeemedCall } from "../../call-handoff.ts";
import type { CallPrompts, CallSettings } from "../../calls/call-store.ts";
import type { HolderOf, NodeHolder } from "../../cluster/node-store.ts";
import type {
  Redeemer,
  Redemptions,
  ReturnedCall,
  StreamAuthentication,
  StreamProof,
  UnpersistedPrompts,
} from "../../redemptions.ts";
import type { Keyring } from "../../sealing/seal.ts";
import { openedSecrets, openToolSecrets } from "../accounts/account-secrets.ts";
import { settingsOf } from "../accounts/accounts.ts";
import { callData } from "../calls/event-data.ts";
import { EXPIRED } from "../calls/rows.ts";
import { settleWebCalls } from "../calls/web-calls.ts";
import { holderRow, lockHolder } from "../cluster/nodes.ts";
import { type CombinedQuery, type RowsOfTable, runCombined, withInserts } from "../combined-writes.ts";
import type { SqlDatabase } from "../database.ts";
import { SqlJobs } from "../job-queue/jobs.ts";
import { insertMediaKey, type NewMediaKey, SqlMediaKeys } from "../media-keys.ts";
import type { SqlStoreOptions } from "../store-options.ts";
import type { Tables } from "../tables.ts";
import { openCredentials } from "../telephony/carriers.ts";
import { isUnwanted, SqlEvents } from "../webhooks/events.ts";

/** See `Redemptions`. A token is marked as used by one conditional UPDATE, so one of concurrent ones succeeds. */
export class SqlRedemptions implements Redemptions {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #unpersisted: Pick<UnpersistedPrompts, "get">;
  /** Undefined where media are not encrypted. */
  readonly #mediaKeys: SqlMediaKeys | undefined;
  /** Opens the API keys of accounts. */
  readonly #secretsKeys: Keyring | undefined;
  readonly #isAuthenticStream: StreamAuthentication | undefined;
  readonly #events: SqlEvents;
  readonly #holderOf: HolderOf;

  constructor(database: SqlDatabase, options: SqlStoreOptions) {
    const { clock, age, unpersisted, mediaSealing, secretsKeys, isAuthenticStream } = options;
    this.#database = database;
    this.#holderOf = options.holderOf ?? (() => undefined);
    this.#events = new SqlEvents(database, clock, new SqlJobs(database, clock, age));
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#unpersisted = unpersisted;
    this.#secretsKeys = secretsKeys;
    this.#isAuthenticStream = isAuthenticStream;
    this.#mediaKeys = mediaSealing && new SqlMediaKeys(database, clock, mediaSealing);
  }

  async redeem(
    tokenHash: string,
    redeemer: Redeemer,
    only?: readonly ConnectionType[],
    proof?: StreamProof,
  ): Promise<RedeemedCall | undefined> {
    try {
      // A used or expired token costs one read and no transaction.
      const call = await this.#redeemable(tokenHash, only, proof);
      if (call === undefined) return undefined;
      const token = { tokenHash, redeemer, nowMs: this.#clock.epochMs() };
      const words: CallPrompts | undefined =
        call.words === null ? this.#unpersisted.get(call.id) : JSON.parse(call.words);
      if (words === undefined) {
        await this.#database.readCommitted((tx) => this.#redeemWithoutWords(tx, token, call));
        return undefined;
      }
      const mediaKey = this.#mediaKeys?.newKey(call.account_id, call.id);
      const redeemed = await this.#redeemed(call, words, mediaKey);
      const isTaken =
        (await this.#takeAtOnce(token, call, mediaKey)) ||
        (await this.#database.readCommitted((tx) => this.#takeInTransaction(tx, token, call, mediaKey)));
      return isTaken ? redeemed : undefined;
    } catch (error) {
      throw unavailable("the outcome of the redemption is unknown", error);
    }
  }

  /** The call of a token that can be redeemed at present: by this sender, or for one of these connection types. */
  async #redeemable(
    tokenHash: string,
    only: readonly ConnectionType[] | undefined,
    proof: StreamProof | undefined,
  ): Promise<RedeemableCall | undefined> {
    const call = await this.#db
      .selectFrom("stream_tokens as token")
      .innerJoin("calls", "calls.id", "token.call_id")
      // None of them changes before the call has ended.
      .select(REDEEMABLE_COLUMNS)
      .where("token.token_hash", "=", tokenHash)
      .where("token.redeemed_at", "is", null)
      .where("token.boot_id", "=", this.#age.bootId)
      .where("token.expires_age_ms", ">", this.#age.nowMs())
      .executeTakeFirst();
    if (call === undefined) return undefined;
    if (call.words === null) await this.#assertWordsHere(call);
    const isAllowed =
      call.carrier_id === null
        ? only === undefined || only.includes(call.connection_type as ConnectionType)
        : await this.#isFromCarrier(call.carrier_id, proof);
    return isAllowed ? call : undefined;
  }

  /**
   * Rejects where the words of a call that stores none are in the memory of another node that is there: its token stays valid, for a
   * stream that reaches that node. Those of a node that is gone are lost.
   */
  async #assertWordsHere({ id, node }: { id: CallId; node: NodeName | null }): Promise<void> {
    const holder = this.#holderOf();
    if (holder === undefined || node === null || node === holder.name || this.#unpersisted.get(id) !== undefined)
      return;
    const { nowMs } = this.#database;
    const isThere = await this.#db
      .selectFrom("nodes")
      .select("name")
      .where("name", "=", node)
      .where("taken_by", "is", null)
      .where("lease_until", ">=", nowMs)
      .executeTakeFirst();
    if (isThere !== undefined) throw unavailable(`the words of the call are in the memory of node ${node}`);
  }

  async isStreamOf(callId: CallId, proof: StreamProof): Promise<boolean> {
    try {
      const call = await this.#db.selectFrom("calls").select("carrier_id").where("id", "=", callId).executeTakeFirst();
      return call !== undefined && call.carrier_id !== null && (await this.#isFromCarrier(call.carrier_id, proof));
    } catch (error) {
      throw unavailable("the credentials of the call cannot be read", error);
    }
  }

  /** Whether the sender knows the credentials of this carrier of an account. */
  async #isFromCarrier(id: CarrierId, proof: StreamProof | undefined): Promise<boolean> {
    const [keys, isAuthentic] = [this.#secretsKeys, this.#isAuthenticStream];
    if (proof === undefined || keys === undefined || isAuthentic === undefined) return false;
    const row = await this.#db
      .selectFrom("carriers")
      .select(["id", "carrier", "sealed_credentials"])
      .where("id", "=", id)
      .executeTakeFirst();
    return row !== undefined && isAuthentic(row.carrier, openCredentials(keys, row), proof);
  }

  /** What the worker gets. */
  async #redeemed(call: RedeemableCall, words: CallPrompts, mediaKey: NewMediaKey | undefined): Promise<RedeemedCall> {
    const accountId = call.account_id;
    const spec: CallSpec = { ...JSON.parse(call.settings), tools: JSON.parse(call.tools), ...words };
    const providers = await this.#providersOf(accountId);
    const keys = this.#secretsKeys;
    const toolSecrets =
      keys === undefined ? {} : await openToolSecrets(this.#db, keys, accountId, secretsNamedBy(spec.tools));
    return {
      ...{ callId: call.id, accountId, spec },
      ...(Object.keys(toolSecrets).length > 0 && { toolSecrets }),
      ...(mediaKey !== undefined && { mediaKey: mediaKeyText(mediaKey.key) }),
      ...(providers !== undefined && { providers }),
    };
  }

  /** Redeems in one statement, where the database can and no webhook or stream wants the event. False where it is to be done in a transaction. */
  async #takeAtOnce(token: Token, call: RedeemableCall, mediaKey: NewMediaKey | undefined): Promise<boolean> {
    const { combinesWrites, locksRows } = this.#database;
    if (!combinesWrites || liveTranscriptionOf(call.id) !== undefined) return false;
    const holder = this.#holderOf();
    const query: CombinedQuery =
      holder === undefined ? this.#db : this.#db.with("holder", (part) => holderRow(part, holder, locksRows));
    const taken = query
      .with("token", (part) =>
        this.#useToken(part, token)
          .where(isUnwanted(["call.started"], call.account_id, token.nowMs))
          // Its lock comes first: see `#lockNode`.
          .$if(holder !== undefined, (update) => update.where(sql<boolean>`exists (select 1 from holder)`)),
      )
      .with("call", (part) =>
        startCall(part, token, holder).where("id", "=", call.id).where(sql<boolean>`exists (select 1 from token)`),
      );
    const inserts: RowsOfTable[] =
      mediaKey === undefined
        ? []
        : [
            { table: "sealing_keys", rows: [mediaKey.sealingKey], skipsTaken: true },
            { table: "media_keys", rows: [mediaKey.row] },
          ];
    return await runCombined(withInserts(taken, "call", inserts), "call");
  }

  async #takeInTransaction(
    tx: Transaction<Tables>,
    token: Token,
    call: RedeemableCall,
    mediaKey: NewMediaKey | undefined,
  ): Promise<boolean> {
    if (!(await this.#take(tx, token))) return false;
    const live = liveTranscriptionOf(call.id);
    if (live !== undefined) await setLiveStart(tx, live, token.nowMs);
    const data = callData({ ...factsOf(call), status: "active", startedAtMs: token.nowMs });
    await this.#events.insert(tx, { accountId: call.account_id, type: "call.started", callId: call.id, data });
    if (mediaKey !== undefined) await insertMediaKey(tx, mediaKey);
    return true;
  }

  /** Whether the token could be used; its call is active then. */
  async #take(tx: Transaction<Tables>, token: Token): Promise<boolean> {
    const holder = await this.#lockNode(tx);
    const used = await this.#useToken(tx, token).executeTakeFirst();
    if (used === undefined) return false;
    return (await startCall(tx, token, holder).where("id", "=", used.call_id).executeTakeFirst()) !== undefined;
  }

  #useToken(query: QueryCreator<Tables>, { tokenHash, redeemer, nowMs }: Token) {
    return query
      .updateTable("stream_tokens")
      .set({ redeemed_at: nowMs, redemption_nonce: redeemer.nonce })
      .where("token_hash", "=", tokenHash)
      .where("redeemed_at", "is", null)
      .where("boot_id", "=", this.#age.bootId)
      .where("expires_age_ms", ">", this.#age.nowMs())
      .returning("call_id");
  }

  /** Uses the token of a call whose words are lost, with which no agent could speak. */
  async #redeemWithoutWords(tx: Transaction<Tables>, token: Token, call: RedeemableCall): Promise<void> {
    if (!(await this.#take(tx, token))) return;
    if (call.direction !== null) {
      // Its machine, which waits for the stream, ends the call.
      await tx
        .updateTable("calls")
        .set({ status: "ringing", ...NOT_REDEEMED })
        .where("id", "=", call.id)
        .execute();
      return;
    }
    // Its words were in the memory of an earlier control process.
    const { nowMs } = token;
    await tx
      .updateTable("calls")
      .set({ ...EXPIRED, started_at: null, ended_at: nowMs, worker_id: null, node_incarnation: null })
      .where("id", "=", call.id)
      .execute();
    await settleWebCalls(tx, [call.id]);
    const end = { status: EXPIRED.status, endedAtMs: nowMs, endReason: EXPIRED.end_reason };
    const data = callData({ ...factsOf(call), ...end });
    await this.#events.insert(tx, { accountId: call.account_id, type: "call.expired", callId: call.id, data });
  }

  /** Who carries the call. No other node takes the calls of this one until the transaction ends. */
  async #lockNode(tx: Transaction<Tables>): Promise<NodeHolder | undefined> {
    const holder = this.#holderOf();
    // Otherwise no node would take the call: they have looked for this one's before.
    if (holder !== undefined && !(await lockHolder(tx, holder, this.#database)))
      throw unavailable("other nodes have taken the calls of this one");
    return holder;
  }

  /** Undefined for an account that has those of the service. */
  async #providersOf(accountId: AccountId): Promise<AccountProviders | undefined> {
    const rows = await this.#db
      .selectFrom("accounts")
      .leftJoin("account_secrets as secret", (join) =>
        join.onRef("secret.account_id", "=", "accounts.id").on("secret.kind", "=", "provider_credential"),
      )
      .select(["accounts.settings", "secret.id", "secret.name", "secret.sealed_secret"])
      .where("accounts.id", "=", accountId)
      .execute();
    const [account] = rows;
    const allowed = account && settingsOf(account).providers;
    const keys = this.#secretsKeys;
    const credentials = keys === undefined ? {} : openedSecrets(keys, rows);
    const hasCredentials = Object.keys(credentials).length > 0;
    if (allowed === undefined && !hasCredentials) return undefined;
    return { ...(allowed !== undefined && { allowed }), ...(hasCredentials && { credentials }) };
  }

  async returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined> {
    try {
      return await this.#database.readCommitted((tx) => this.#return(tx, tokenHash, nonce));
    } catch (error) {
      if (error === CANNOT_BE_RETURNED) return undefined;
      throw error;
    }
  }

  /** The token comes first, as in `#redeem`: of concurrent returns and redemptions one waits for the other. */
  async #return(tx: Transaction<Tables>, tokenHash: string, nonce: string): Promise<ReturnedCall | undefined> {
    const token = await tx
      .updateTable("stream_tokens")
      .set({ redeemed_at: null, redemption_nonce: null })
      .where("token_hash", "=", tokenHash)
      .where("redemption_nonce", "=", nonce)
      .returning(["call_id", "boot_id", "expires_age_ms"])
      .executeTakeFirst();
    if (token === undefined) return undefined;
    const call = await tx
      .updateTable("calls")
      .set((calls) => ({
        status: calls.case().when("direction", "is", null).then("created").else("ringing").end(),
        ...NOT_REDEEMED,
      }))
      .where("id", "=", token.call_id)
      .where("status", "=", "active")
      // A telephone call has its carrier's id before its stream.
      .where((calls) => calls.or([calls("carrier_call_id", "is", null), calls("direction", "is not", null)]))
      .returning("id")
      .executeTakeFirst();
    if (call === undefined) throw CANNOT_BE_RETURNED;
    // Nothing was written with it, and the next redemption makes another.
    await tx.deleteFrom("media_keys").where("call_id", "=", call.id).execute();
    const live = liveTranscriptionOf(call.id);
    if (live !== undefined) await setLiveStart(tx, live, null);
    const isOfThisBoot = token.boot_id === this.#age.bootId;
    return { callId: call.id, remainingMs: isOfThisBoot ? elapsedMs(this.#age.nowMs(), token.expires_age_ms) : 0 };
  }
}

/** The stream of a live transcription has connected, or with `null` has not after all. */
const setLiveStart = (tx: Transaction<Tables>, id: TranscriptionId, startedAtMs: EpochMs | null) =>
  tx
    .updateTable("transcriptions")
    .set({ status: startedAtMs === null ? "queued" : "processing", started_at: startedAtMs })
    .where("id", "=", id)
    .execute();

const REDEEMABLE_COLUMNS = [
  "calls.id",
  "calls.account_id",
  "calls.agent_id",
  "calls.agent_version",
  "calls.created_at",
  "calls.connection_type",
  "calls.settings",
  "calls.tools",
  "calls.words",
  "calls.direction",
  "calls.carrier_id",
  "calls.node",
] as const;

/** A call that waits for its stream. */
type RedeemableCall = Pick<
  Selectable<Tables["calls"]>,
  (typeof REDEEMABLE_COLUMNS)[number] extends `calls.${infer Column}` ? Column : never
>;

/** A token that is used now. */
interface Token {
  tokenHash: string;
  redeemer: Redeemer;
  nowMs: EpochMs;
}

/** Makes a call active; which one is to be added. */
const startCall = (
  query: QueryCreator<Tables>,
  { redeemer: { workerId, connection, epoch }, nowMs }: Token,
  holder: NodeHolder | undefined,
) =>
  query
    .updateTable("calls")
    .set({
      ...{ status: "active", started_at: nowMs, worker_id: workerId, worker_connection: connection, epoch },
      ...(holder !== undefined && { node: holder.name, node_incarnation: holder.incarnation }),
    })
    .where("status", "in", ["created", "ringing"])
    .returning("id");

/** What an event says of the call. */
const factsOf = (call: RedeemableCall) => ({
  id: call.id,
  ...(call.agent_id !== null && { agentId: call.agent_id }),
  ...(call.agent_version !== null && { agentVersion: call.agent_version }),
  createdAtMs: call.created_at,
  settings: JSON.parse(call.settings) as Omit<CallSettings, "tools">,
});

const NOT_REDEEMED = { started_at: null, worker_id: null, worker_connection: 0, epoch: 0, node_incarnation: null };

/** Undoes a return: the call is over, or its stream has started. */
const CANNOT_BE_RETURNED = new Error("the call cannot be returned");

/** The names of the secrets that the headers of these tools have. */
const secretsNamedBy = (tools: readonly ToolSpec[]): readonly string[] => [
  ...new Set(
    tools.flatMap((tool) =>
      tool.kind === "http" || tool.kind === "mcp" ? Object.values(tool.headers).flatMap(secretsIn) : [],
    ),
  ),
];
