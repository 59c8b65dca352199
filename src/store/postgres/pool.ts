import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import { NODE_TRANSACTION_IDLE_MS_MAX } from "../../core/limits/cluster/nodes.ts";
import {
  POSTGRES_CONNECT_MS_MAX,
  POSTGRES_IDLE_MS_MAX,
  POSTGRES_KEEP_ALIVE_MS,
  POSTGRES_QUERY_MS_MAX,
} from "../../core/limits/storage/postgres.ts";
import { translated } from "./errors.ts";

export interface PoolOptions {
  /** As libpq reads it: `postgres://user:password@host:port/database?sslmode=...`. */
  url: string;
  connectionsMax: number;
  clock: Clock;
  /** False for work that may take long: migrations, exports. */
  limitsQueries?: boolean;
  /** False for transactions that a crash of the server or a power failure may undo: they commit without waiting for the disk. */
  waitsForDisk?: boolean;
  /** The server ends transactions of a process that stands still, because their locks hold up other nodes. */
  endsIdleTransactions?: boolean;
}

/** What the server shows of every connection of this software. */
export const APPLICATION_NAME = "trunkline";

/** `bigint`, which holds times and counts of this service, all of them below 2^53. */
const INT8 = 20;

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: "text") =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as pg.CustomTypesConfig["getTypeParser"],
};

/**
 * A pool of connections as Kysely uses it. A query that exceeds its time, also when the server or the network hangs,
 * rejects with `unavailable`, and its connection is closed, because its state is unknown.
 */
export class Pool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #clock: Clock;
  readonly #queryMsMax: number | undefined;

  constructor(options: PoolOptions) {
    const { url, connectionsMax, clock, limitsQueries = true, waitsForDisk = true } = options;
    this.#clock = clock;
    this.#queryMsMax = limitsQueries ? POSTGRES_QUERY_MS_MAX : undefined;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: POSTGRES_CONNECT_MS_MAX,
      idleTimeoutMillis: POSTGRES_IDLE_MS_MAX,
      application_name: APPLICATION_NAME,
      keepAlive: true,
      // A connection whose way is lost fails while nothing uses it, rather than at the next request.
      keepAliveInitialDelayMillis: POSTGRES_KEEP_ALIVE_MS,
      types,
      ...(!waitsForDisk && { options: "-c synchronous_commit=off" }),
      // Below the limit of this process, so that the server reports the reason.
      ...(limitsQueries && {
        statement_timeout: POSTGRES_QUERY_MS_MAX - 500,
        lock_timeout: POSTGRES_QUERY_MS_MAX - 500,
      }),
      ...(options.endsIdleTransactions === true && {
        idle_in_transaction_session_timeout: NODE_TRANSACTION_IDLE_MS_MAX,
      }),
    });
    // An idle connection was lost; the next request opens another.
    this.#pool.on("error", ignore);
    // Without a listener the loss of a connection in use ends the process; its query rejects. It listens before the one who asked has the
    // connection: the server may say in one packet that it is ready, and that it ends.
    this.#pool.on("connect", (client) => client.on("error", ignore));
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new Connection(await this.#pool.connect(), this.#clock, this.#queryMsMax);
    } catch (error) {
      throw translated(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #clock: Clock;
  readonly #queryMsMax: number | undefined;
  #isBroken = false;

  constructor(client: pg.PoolClient, clock: Clock, queryMsMax: number | undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#queryMsMax = queryMsMax;
  }

  // Kysely's interface also has cursors, which this service does not use.
  query: PostgresPoolClient["query"] = (async (text: string, values: unknown[]) => {
    if (this.#isBroken) throw unavailable("the connection to the database was closed");
    try {
      return await this.#withinLimit(this.#client.query(text, values));
    } catch (error) {
      this.#isBroken ||= !(error instanceof pg.DatabaseError);
      throw translated(error);
    }
  }) as unknown as PostgresPoolClient["query"];

  release(): void {
    this.#client.release(this.#isBroken);
  }

  async #withinLimit<T>(result: Promise<T>): Promise<T> {
    const queryMsMax = this.#queryMsMax;
    if (queryMsMax === undefined) return await result;
    let cancel = (): void => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(queryMsMax, () => reject(new Error(`no answer within ${queryMsMax} ms`)));
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      cancel();
      // After a timeout the query may still fail; its result is not awaited any more.
      result.catch(ignore);
    }
  }
}

const ignore = (): void => {};
