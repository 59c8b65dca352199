import type { Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../core/age-clock.ts";
import type { ConnectionType } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { unavailable } from "../../core/errors.ts";
import type { RedeemedCall } from "../call-handoff.ts";
import type { CallPrompts, CallSettings } from "../call-store.ts";
import type { Redeemer, Redemptions, ReturnedCall, UnpersistedPrompts } from "../redemptions.ts";
import { callData } from "./calls/event-data.ts";
import { EXPIRED } from "./calls/rows.ts";
import type { SqlDatabase } from "./database.ts";
import { SqlJobs } from "./jobs.ts";
import type { Tables } from "./tables.ts";
import { SqlEvents } from "./webhooks/events.ts";

/** See `Redemptions`. A token is marked as used by one conditional UPDATE, so one of concurrent ones succeeds. */
export class SqlRedemptions implements Redemptions {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #unpersisted: Pick<UnpersistedPrompts, "get">;
  readonly #events: SqlEvents;

  constructor(database: SqlDatabase, clock: Clock, age: AgeClock, unpersisted: Pick<UnpersistedPrompts, "get">) {
    this.#database = database;
    this.#events = new SqlEvents(clock, new SqlJobs(database, clock, age));
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#unpersisted = unpersisted;
  }

  async redeem(
    tokenHash: string,
    redeemer: Redeemer,
    only?: readonly ConnectionType[],
  ): Promise<RedeemedCall | undefined> {
    try {
      // A used or expired token costs one read and no transaction. A call's connection type never changes.
      if (!(await this.#isRedeemable(tokenHash, only))) return undefined;
      return await this.#database.transaction((tx) => this.#redeem(tx, tokenHash, redeemer));
    } catch (error) {
      throw unavailable("the outcome of the redemption is unknown", error);
    }
  }

  /** Whether a token can be redeemed at present, for one of these connection types. */
  async #isRedeemable(tokenHash: string, only: readonly ConnectionType[] | undefined): Promise<boolean> {
    const token = await this.#db
      .selectFrom("stream_tokens")
      .select("call_id")
      .where("token_hash", "=", tokenHash)
      .where("redeemed_at", "is", null)
      .where("boot_id", "=", this.#age.bootId)
      .where("expires_age_ms", ">", this.#age.nowMs())
      .executeTakeFirst();
    if (token === undefined || only === undefined) return token !== undefined;
    const call = await this.#db
      .selectFrom("calls")
      .select("connection_type")
      .where("id", "=", token.call_id)
      .executeTakeFirst();
    return call !== undefined && only.includes(call.connection_type as ConnectionType);
  }

  async #redeem(
    tx: Transaction<Tables>,
    tokenHash: string,
    { workerId, connection, epoch, nonce }: Redeemer,
  ): Promise<RedeemedCall | undefined> {
    const nowMs = this.#clock.epochMs();
    const token = await tx
      .updateTable("stream_tokens")
      .set({ redeemed_at: nowMs, redemption_nonce: nonce })
      .where("token_hash", "=", tokenHash)
      .where("redeemed_at", "is", null)
      .where("boot_id", "=", this.#age.bootId)
      .where("expires_age_ms", ">", this.#age.nowMs())
      .returning("call_id")
      .executeTakeFirst();
    if (token === undefined) return undefined;
    const call = await tx
      .updateTable("calls")
      .set({ status: "active", started_at: nowMs, worker_id: workerId, worker_connection: connection, epoch })
      .where("id", "=", token.call_id)
      .where("status", "=", "created")
      .returning(["id", "account_id", "agent_id", "created_at", "settings", "tools", "words"])
      .executeTakeFirst();
    if (call === undefined) return undefined;
    const words: CallPrompts | undefined =
      call.words === null ? this.#unpersisted.get(call.id) : JSON.parse(call.words);
    if (words === undefined) {
      // Its words were in the memory of an earlier control process.
      await tx
        .updateTable("calls")
        .set({ ...EXPIRED, started_at: null, ended_at: nowMs, worker_id: null })
        .where("id", "=", call.id)
        .execute();
      return undefined;
    }
    const settings: Omit<CallSettings, "tools"> = JSON.parse(call.settings);
    const spec = { ...settings, tools: JSON.parse(call.tools), ...words };
    const data = callData({
      id: call.id,
      ...(call.agent_id !== null && { agentId: call.agent_id }),
      status: "active",
      createdAtMs: call.created_at,
      startedAtMs: nowMs,
      settings,
    });
    await this.#events.insert(tx, { accountId: call.account_id, type: "call.started", callId: call.id, data });
    return { callId: call.id, accountId: call.account_id, spec };
  }

  returnRedemption(tokenHash: string, nonce: string): Promise<ReturnedCall | undefined> {
    return this.#database.transaction(async (tx) => {
      const token = await tx
        .selectFrom("stream_tokens")
        .select(["call_id", "boot_id", "expires_age_ms"])
        .where("token_hash", "=", tokenHash)
        .where("redemption_nonce", "=", nonce)
        .executeTakeFirst();
      if (token === undefined) return undefined;
      const call = await tx
        .updateTable("calls")
        .set({ status: "created", started_at: null, worker_id: null, worker_connection: 0, epoch: 0 })
        .where("id", "=", token.call_id)
        .where("status", "=", "active")
        .where("carrier_call_id", "is", null)
        .returning("id")
        .executeTakeFirst();
      if (call === undefined) return undefined;
      await tx
        .updateTable("stream_tokens")
        .set({ redeemed_at: null, redemption_nonce: null })
        .where("token_hash", "=", tokenHash)
        .execute();
      const isOfThisBoot = token.boot_id === this.#age.bootId;
      return { callId: call.id, remainingMs: isOfThisBoot ? elapsedMs(this.#age.nowMs(), token.expires_age_ms) : 0 };
    });
  }
}
