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
 * How long the stores' connection waits for another program's transaction, blocking its process's event loop. The
 * connection of redemptions does not wait; see QueuedRedemptions.
 */
export const BUSY_TIMEOUT_MS = 500;

/** SQLite's codes of temporary errors and of errors that an operator resolves; all others are bugs. */
const TRANSIENT_CODES = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|PROTOCOL|NOMEM)/;

/**
 * Kysely's dialect for one open SQLite file that other programs may write to as well.
 *
 * Every write is enclosed in BEGIN IMMEDIATE and COMMIT, which `exec` runs, for two reasons. A transaction that begins
 * with a read fails, without waiting, when another program has written since. And a prepared statement that met a lock
 * stays "in progress" in libsql (0.5.29) until it is garbage-collected, and no later transaction can commit; `exec`
 * leaves no statement.
 */
export class SharedFileDialect extends SqliteDialect {
  readonly #file: GuardedFile;

  /** `files` are the files of `database`; nothing is committed without them. */
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
  /** The last writer did not get the lock; it blocked the event loop for BUSY_TIMEOUT_MS. */
  wasLocked: boolean;
}

class SharedFileAdapter extends SqliteAdapter {
  /** SQLite rolls back CREATE TABLE. Kysely assumes that it does not, and a crash would leave half a migration. */
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
      // Other writers wait for the same lock. The event loop runs between them; otherwise they would block it for the
      // sum of their waits.
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

/** Some pragmas, such as a checkpoint, may not run in a transaction. */
const isPragma = ({ sql }: CompiledQuery): boolean => /^pragma /i.test(sql);

function begin(file: GuardedFile): void {
  try {
    execute(file.database, "BEGIN IMMEDIATE");
  } catch (error) {
    file.wasLocked = isLocked(error);
    throw error;
  }
}

/**
 * Checks the files before the commit, so that nothing is written to a removed file, and after it, so that acknowledged
 * data was in place.
 */
function commit({ database, files }: GuardedFile): void {
  files.assertPresent();
  execute(database, "COMMIT");
  files.assertPresent();
}

/** Runs a statement to completion. Throws `unavailable` where the database cannot do it at present. */
export function execute(file: Database, sql: string): void {
  try {
    file.exec(sql);
  } catch (error) {
    throw translated(error);
  }
}

/** SQLite rolls back by itself after some errors, such as a full disk. */
function rollBack(file: Database): void {
  if (file.inTransaction) execute(file, "ROLLBACK");
}

/** Maps temporary errors of SQLite to `unavailable`. */
function translated(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code !== "string" || !TRANSIENT_CODES.test(code)) return error;
  return unavailable(`the database is unavailable: ${code}`, error);
}

/** Whether an error or its cause is that another program has the lock. */
export function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(error.code)) return true;
  return isLocked(error.cause);
}
