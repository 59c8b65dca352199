import { type Kysely, type QueryCreator, type Selectable, sql, type Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import { addMs, elapsedMs } from "../../../core/clocks.ts";
import type { CallId, NodeName } from "../../../core/ids.ts";
import { NODE_LEASE_MS, NODES_TAKEN_MAX } from "../../../core/limits/cluster/nodes.ts";
import type {
  NewNode,
  NodeHolder,
  NodeLoad,
  NodeRecord,
  NodeState,
  NodeStore,
  Registration,
  Renewal,
  TakenNode,
} from "../../cluster/node-store.ts";
import { hasValidToken } from "../calls/rows.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";

type Row = Selectable<Tables["nodes"]>;

/**
 * See `NodeStore`. A transaction that writes what only a holder may write locks the holder's row as `lockHolder` does; one that ends a
 * holder locks it for an update. So one of the two waits for the other, and a renewal, which changes no key of the row, for neither.
 */
export class SqlNodes implements NodeStore {
  readonly #database: SqlDatabase;
  readonly #age: AgeClock;

  /** `age` measures the age of tokens. */
  constructor(database: SqlDatabase, age: AgeClock) {
    this.#database = database;
    this.#age = age;
  }

  register(node: NewNode): Promise<Registration> {
    return this.#database.readCommitted((tx) => this.#register(tx, node));
  }

  async #register(tx: Transaction<Tables>, node: NewNode): Promise<Registration> {
    const { holder, installation } = node;
    const nowMs = await this.#nowMs(tx);
    const lease = { started_at: nowMs, lease_until: addMs(nowMs, NODE_LEASE_MS), renewed_since: nowMs };
    const row = {
      installation,
      incarnation: holder.incarnation,
      ...descriptionColumns(node),
      ...loadColumns(NOTHING_YET),
      ...lease,
      taken_by: null,
    };
    const isNew = await tx
      .insertInto("nodes")
      .values({ name: holder.name, ...row })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .returning("name")
      .executeTakeFirst();
    if (isNew !== undefined) return { kind: "registered", calls: 0 };
    const before = await this.#locked(tx, holder.name);
    if (before === undefined) throw new Error("a node was deleted while it was registered");
    const leaseLeftMs = elapsedMs(nowMs, before.lease_until);
    if (before.installation !== installation && before.taken_by === null && leaseLeftMs > 0)
      return { kind: "held", leaseLeftMs };
    if (before.journal_version > node.journalVersion) {
      const calls = await countActive(tx, before.incarnation);
      if (calls > 0) return { kind: "unreadable", calls, version: before.version };
    }
    await tx.updateTable("nodes").set(row).where("name", "=", holder.name).execute();
    return { kind: "registered", calls: (await moveCalls(tx, before.incarnation, holder)).length };
  }

  async #locked(tx: Transaction<Tables>, name: NodeName): Promise<Row | undefined> {
    return await tx
      .selectFrom("nodes")
      .selectAll()
      .where("name", "=", name)
      .$if(this.#database.locksRows, (query) => query.forUpdate())
      .executeTakeFirst();
  }

  async renew(holder: NodeHolder, load: NodeLoad): Promise<Renewal> {
    const { nowMs, db } = this.#database;
    const renewed = await db
      .updateTable("nodes")
      .set((nodes) => ({
        ...loadColumns(load),
        renewed_since: nodes.case().when("lease_until", "<", nowMs).then(nowMs).else(nodes.ref("renewed_since")).end(),
        lease_until: sql`${nowMs} + ${sql.lit(NODE_LEASE_MS)}` as never,
      }))
      .where("name", "=", holder.name)
      .where("incarnation", "=", holder.incarnation)
      .where("taken_by", "is", null)
      .returning("name")
      .executeTakeFirst();
    if (renewed !== undefined) return "renewed";
    const row = await db
      .selectFrom("nodes")
      .select(["incarnation", "taken_by"])
      .where("name", "=", holder.name)
      .executeTakeFirst();
    const isTaken = row !== undefined && (row.taken_by !== null || row.incarnation > holder.incarnation);
    return isTaken ? "taken" : "unknown";
  }

  takeExpired(holder: NodeHolder): Promise<readonly TakenNode[]> {
    return this.#takeExpired(holder);
  }

  async #takeExpired(holder: NodeHolder): Promise<readonly TakenNode[]> {
    const { nowMs, db } = this.#database;
    // Most of the time there is none, which needs no lock.
    const expired = await db
      .selectFrom("nodes")
      .select("name")
      .where("lease_until", "<", nowMs)
      .where("taken_by", "is", null)
      .where("name", "!=", holder.name)
      // A node of a newer version writes journals that this one may not be able to read: a node of that version takes its calls.
      .where("journal_version", "<=", journalVersionOf(db, holder))
      .orderBy("name")
      .limit(NODES_TAKEN_MAX)
      .execute();
    const taken: TakenNode[] = [];
    for (const { name } of expired) {
      try {
        const node = await this.#database.readCommitted((tx) => this.#take(tx, holder, name));
        if (node !== undefined) taken.push(node);
      } catch (error) {
        // No other node takes what this one has taken.
        if (taken.length === 0) throw error;
        break;
      }
    }
    return taken;
  }

  /** Undefined where another node is faster, the lease was renewed meanwhile, or the holder may take none. */
  async #take(tx: Transaction<Tables>, holder: NodeHolder, name: NodeName): Promise<TakenNode | undefined> {
    const { nowMs, locksRows } = this.#database;
    if (!(await lockHolder(tx, holder, this.#database, NODE_LEASE_MS))) return undefined;
    const expired = await tx
      .selectFrom("nodes")
      .select("incarnation")
      .where("name", "=", name)
      .where("lease_until", "<", nowMs)
      .where("taken_by", "is", null)
      // Another node that takes it, or one that takes this one, is not waited for.
      .$if(locksRows, (query) => query.forUpdate().skipLocked())
      .executeTakeFirst();
    if (expired === undefined) return undefined;
    await tx.updateTable("nodes").set({ taken_by: holder.name }).where("name", "=", name).execute();
    return { name, callIds: await moveCalls(tx, expired.incarnation, holder) };
  }

  async list(): Promise<readonly NodeRecord[]> {
    const { db } = this.#database;
    const rows = await db
      .selectFrom("nodes")
      .selectAll()
      .select(sql<number>`lease_until - ${this.#database.nowMs}`.as("lease_left_ms"))
      .orderBy("name")
      .execute();
    const waiting = await db
      .selectFrom("calls")
      .select(["node", "connection_type"])
      .select(({ fn }) => fn.countAll<number>().as("calls"))
      .where("status", "=", "created")
      .where("node", "is not", null)
      .where((calls) => hasValidToken(calls, this.#age))
      .groupBy(["node", "connection_type"])
      .execute();
    const waitingOf = (name: NodeName, isWebrtc: boolean): number =>
      waiting
        .filter(({ node, connection_type: type }) => node === name && (type === "webrtc") === isWebrtc)
        .reduce((sum, { calls }) => sum + Number(calls), 0);
    return rows.map((row) => ({
      ...recordOf(row),
      leaseLeftMs: Number(row.lease_left_ms),
      waitingCalls: waitingOf(row.name, false),
      waitingWebrtcCalls: waitingOf(row.name, true),
    }));
  }

  async leave(holder: NodeHolder): Promise<void> {
    const { db, nowMs } = this.#database;
    await db
      .updateTable("nodes")
      .set({ lease_until: nowMs, state: "draining" satisfies NodeState })
      .where("name", "=", holder.name)
      .where("incarnation", "=", holder.incarnation)
      .where("taken_by", "is", null)
      .execute();
  }

  dissolve(): Promise<boolean> {
    return this.#database.readCommitted(async (tx) => {
      const nodes = await tx
        .selectFrom("nodes")
        .select(["taken_by", sql<number>`lease_until - ${this.#database.nowMs}`.as("lease_left_ms")])
        .$if(this.#database.locksRows, (query) => query.forUpdate())
        .execute();
      if (nodes.some((node) => node.taken_by === null && node.lease_left_ms > 0)) return false;
      await tx
        .updateTable("calls")
        .set({ node_incarnation: null })
        .where("status", "=", "active")
        .where("node_incarnation", "is not", null)
        .execute();
      await tx
        .updateTable("calls")
        .set({ node: null })
        .where("status", "in", ["created", "queued", "ringing"])
        .where("node", "is not", null)
        .execute();
      await tx.deleteFrom("nodes").execute();
      return true;
    });
  }

  async listUnnamed(): Promise<readonly CallId[]> {
    const rows = await this.#database.db
      .selectFrom("calls")
      .select("id")
      .where("status", "=", "active")
      .where("node_incarnation", "is", null)
      .execute();
    return rows.map(({ id }) => id);
  }

  async adopt({ name, incarnation }: NodeHolder, callIds: readonly CallId[]): Promise<number> {
    if (callIds.length === 0) return 0;
    const { numUpdatedRows } = await this.#database.db
      .updateTable("calls")
      .set({ node: name, node_incarnation: incarnation })
      .where("id", "in", callIds)
      .where("status", "=", "active")
      .where("node_incarnation", "is", null)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  async #nowMs(tx: Kysely<Tables>) {
    const { nowMs } = await tx.selectNoFrom(this.#database.nowMs.as("nowMs")).executeTakeFirstOrThrow();
    return nowMs;
  }
}

/**
 * Whether this start still holds its calls, and, with `sinceMs`, has renewed its lease without a gap for so long. Until the transaction
 * ends, no other node takes them. For the store's own transactions, which call it before anything else.
 */
export async function lockHolder(
  tx: Transaction<Tables>,
  holder: NodeHolder,
  { locksRows, nowMs }: Pick<SqlDatabase, "locksRows" | "nowMs">,
  sinceMs?: number,
): Promise<boolean> {
  let query = holderRow(tx, holder, locksRows);
  if (sinceMs !== undefined)
    query = query
      .where(sql<boolean>`renewed_since + ${sql.lit(sinceMs)} <= ${nowMs}`)
      .where("lease_until", ">=", nowMs);
  return (await query.executeTakeFirst()) !== undefined;
}

/** The row that `lockHolder` locks, for a statement that does the same by itself. */
export const holderRow = (query: QueryCreator<Tables>, { name, incarnation }: NodeHolder, locksRows: boolean) =>
  query
    .selectFrom("nodes")
    .select("name")
    .where("name", "=", name)
    .where("incarnation", "=", incarnation)
    .where("taken_by", "is", null)
    .$if(locksRows, (locking) => locking.forKeyShare());

const journalVersionOf = (db: Kysely<Tables>, { name }: NodeHolder) =>
  db.selectFrom("nodes as own").select("own.journal_version").where("own.name", "=", name);

async function countActive(tx: Transaction<Tables>, incarnation: number): Promise<number> {
  const { calls } = await tx
    .selectFrom("calls")
    .select(({ fn }) => fn.countAll<number>().as("calls"))
    .where("status", "=", "active")
    .where("node_incarnation", "=", incarnation)
    .executeTakeFirstOrThrow();
  return Number(calls);
}

/** Moves the active calls of a start to another holder, which ends them. */
async function moveCalls(tx: Transaction<Tables>, incarnation: number, to: NodeHolder): Promise<CallId[]> {
  const moved = await tx
    .updateTable("calls")
    .set({ node: to.name, node_incarnation: to.incarnation })
    .where("status", "=", "active")
    .where("node_incarnation", "=", incarnation)
    .returning("id")
    .execute();
  return moved.map(({ id }) => id);
}

const NOTHING_YET: NodeLoad = { state: "refusing", callSlots: 0, calls: 0, webrtcSlots: 0, webrtcCalls: 0 };

const loadColumns = ({ state, callSlots, calls, webrtcSlots, webrtcCalls }: NodeLoad) => ({
  state,
  call_slots: callSlots,
  calls,
  webrtc_slots: webrtcSlots,
  webrtc_calls: webrtcCalls,
});

const descriptionColumns = ({ mediaUrl, webrtcUrl, relayUrl, version, ipcVersion, journalVersion }: NewNode) => ({
  media_url: mediaUrl ?? null,
  webrtc_url: webrtcUrl ?? null,
  relay_url: relayUrl ?? null,
  version,
  ipc_version: ipcVersion,
  journal_version: journalVersion,
});

const recordOf = (row: Row): Omit<NodeRecord, "leaseLeftMs" | "waitingCalls" | "waitingWebrtcCalls"> => ({
  name: row.name,
  incarnation: row.incarnation,
  mediaUrl: row.media_url ?? undefined,
  webrtcUrl: row.webrtc_url ?? undefined,
  relayUrl: row.relay_url ?? undefined,
  version: row.version,
  ipcVersion: row.ipc_version,
  journalVersion: row.journal_version,
  state: row.state as NodeState,
  callSlots: row.call_slots,
  calls: row.calls,
  webrtcSlots: row.webrtc_slots,
  webrtcCalls: row.webrtc_calls,
  startedAtMs: row.started_at,
  takenBy: row.taken_by ?? undefined,
});
