import { setImmediate } from "node:timers/promises";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import type { Database } from "libsql";
import { unavailable } from "../../../core/errors.ts";
import type { DatabaseFiles } from "./database-files.ts";

/**
 * How long the connection of the stores waits for another program's transaction, with the whole loop of its process. Redemptions have
 * a connection that does not wait; see QueuedRedemptions.
 */
export const BUSY_TIMEOUT_MS = 500;

/** SQLite's own codes for what may be over in a moment, or once somebody has made room; anything else is our bug. */
const TRANSIENT_CODES = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;

/**
 * Kysely's dialect for SQLite, for one open file that other programs may write to as well.
 *
 * All that writes is bracketed by BEGIN IMMEDIATE and COMMIT, and these run by `exec`, for two reasons. A transaction
 * that begins by reading fails, without waiting, when somebody has written since. And a prepared statement that met a
 * lock stays "in progress" in libsql (0.5.29) until it is garbage, and no later transaction can commit; `exec` leaves
 * no statement behind.
 */
export class SharedFileDialect extends SqliteDialect {
  readonly #file: GuardedFile;

  /** `files`: those of `database`, without which nothing is committed. */
  constructor(database: Database, files: DatabaseFiles) {
    super({ database });
    this.#file = { database, files, wasLocked: false };
  }

  override createDriver(): Driver {
    return new SharedFileDriver(this.#file);
  }

  override createAdapter(): DialectAdapter {
    return new SharedFileAdapter();
  }
}

interface GuardedFile {
  database: Database;
  files: DatabaseFiles;
  /** The last to write did not get the lock: its loop stood still for BUSY_MS. */
  wasLocked: boolean;
}

class SharedFileAdapter extends SqliteAdapter {
  /** SQLite does roll back CREATE TABLE; Kysely says no, and would leave half a migration behind a crash. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SharedFileDriver extends SqliteDriver {
  readonly #file: GuardedFile;

  constructor(file: GuardedFile) {
    super({ database: file.database });
    this.#file = file;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection();
    if (this.#file.wasLocked) {
      // Others wait for the same lock. The loop turns between them, or they would hold it for all of their waits together.
      this.#file.wasLocked = false;
      await setImmediate();
    }
    return new SharedFileConnection(this.#file, connection);
  }

  override async beginTransaction(): Promise<void> {
    begin(this.#file);
  }

  override async commitTransaction(): Promise<void> {
    commit(this.#file);
  }

  override async rollbackTransaction(): Promise<void> {
    rollBack(this.#file.database);
  }
}

class SharedFileConnection implements DatabaseConnection {
  readonly #file: GuardedFile;
  readonly #inner: DatabaseConnection;

  constructor(file: GuardedFile, inner: DatabaseConnection) {
    this.#file = file;
    this.#inner = inner;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { database } = this.#file;
    const bracketed = database.inTransaction || SelectQueryNode.is(query.query) || isPragma(query);
    if (!bracketed) begin(this.#file);
    try {
      const result = await this.#inner.executeQuery<Row>(query);
      if (!bracketed) commit(this.#file);
      return result;
    } catch (error) {
      if (!bracketed) rollBack(database);
      throw translated(error);
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#inner.streamQuery<Row>(query, chunkSize);
  }
}

/** Some of these may not stand in a transaction, a checkpoint for one. */
const isPragma = ({ sql }: CompiledQuery): boolean => /^pragma /i.test(sql);

function begin(file: GuardedFile): void {
  try {
    execute(file.database, "BEGIN IMMEDIATE");
  } catch (error) {
    file.wasLocked = isLocked(error);
    throw error;
  }
}

/** Once before, so that nothing is written to a file that is gone, and once after: what is acknowledged was in its place then. */
function commit({ database, files }: GuardedFile): void {
  files.assertPresent();
  execute(database, "COMMIT");
  files.assertPresent();
}

/** Runs a statement to its end. Throws `unavailable` where the database cannot do it just now. */
export function execute(file: Database, sql: string): void {
  try {
    file.exec(sql);
  } catch (error) {
    throw translated(error);
  }
}

/** SQLite has rolled back by itself after some errors, a full disk for one. */
function rollBack(file: Database): void {
  if (file.inTransaction) execute(file, "ROLLBACK");
}

/** What SQLite cannot do just now becomes our `unavailable`. */
function translated(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !TRANSIENT_CODES.test(code)) return error;
  return unavailable(`the database said ${code}`, error);
}

/** Whether an error, or what caused it, is that somebody else has the lock. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(error.code)) return true;
  return isLocked(error.cause);
}
