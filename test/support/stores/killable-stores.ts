import type { Database } from "libsql";
import { systemClock } from "../../../src/core/clock.ts";
import { Pool } from "../../../src/store/postgres/pool.ts";
import { PostgresDatabase } from "../../../src/store/postgres/postgres-database.ts";
import { sqlStores } from "../../../src/store/sql/stores.ts";
import { databasePath, openDatabase } from "../../../src/store/sqlite/database/database.ts";
import { DatabaseFiles } from "../../../src/store/sqlite/database/database-files.ts";
import { SqliteDatabase } from "../../../src/store/sqlite/database/sqlite-database.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { ManualClock } from "../manual-clock.ts";
import { PostgresProxy } from "../postgres/proxy.ts";
import { hasPostgres } from "../postgres/server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { ageClockOf } from "../tokens.ts";
import { migratedDatabase, postgresServer } from "./every-store.ts";

/** How long a process lives: until its stores are about to do its n-th step. Then it does nothing more, as after `kill -9`. */
export class Lifetime {
  /** What it has begun: the texts of its statements, and the steps that a test names. */
  readonly steps: string[] = [];
  /** Statements and requests that are on their way. */
  inFlight = 0;
  #isOver = false;
  readonly #stepsMax: number;
  #onEnd = (): void => {};

  constructor(stepsMax = Number.POSITIVE_INFINITY) {
    this.#stepsMax = stepsMax;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Called once, at the moment of the end. */
  onEnd(task: () => void): void {
    this.#onEnd = task;
  }

  /** Ends it now. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd();
  }

  /** Throws instead of beginning a step after the end. */
  begin(step: string): void {
    if (this.steps.length === this.#stepsMax) this.end();
    if (this.#isOver) throw new Error(`killed before: ${step}`);
    this.steps.push(step);
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.inFlight += 1;
    try {
      return await work();
    } finally {
      this.inFlight -= 1;
    }
  }
}

/** A database that outlives the processes that use it. */
export interface SharedDatabase {
  /** The stores of another process, which end with it; `close` ends it, too. */
  open(life: Lifetime, clock: ManualClock): Promise<Stores>;
}

/** Every database, each with a factory of empty ones with the current schema. */
export const EVERY_SHARED_DATABASE: readonly {
  name: string;
  isHere: boolean;
  /** Whether several processes write at once. */
  isShared: boolean;
  make: () => Promise<SharedDatabase>;
}[] = [
  { name: "SQLite", isHere: true, isShared: false, make: sqlite },
  { name: "Postgres (only where postgresql is installed)", isHere: hasPostgres, isShared: true, make: postgres },
];

async function sqlite(): Promise<SharedDatabase> {
  const directory = temporaryDirectory();
  await (await openSqliteStores(directory, systemClock)).close();
  return {
    open: async (life, clock) => {
      const path = databasePath(directory);
      const file = openDatabase(path);
      life.onEnd(() => {
        // What the next process does with a transaction that a dead one has left.
        if (file.inTransaction) file.exec("ROLLBACK");
      });
      const database = new SqliteDatabase(mortalFile(file, life), path, new DatabaseFiles(path));
      return storesOf(database, clock);
    },
  };
}

const storesOf = (database: SqliteDatabase | PostgresDatabase, clock: ManualClock): Stores => ({
  ...sqlStores(database, { clock, age: ageClockOf(clock), unpersisted: new Map() }),
  isDatabaseLost: () => false,
  onServerChanged: () => {},
});

/** The file, each of whose statements is a step. */
const mortalFile = (file: Database, life: Lifetime): Database =>
  new Proxy(file, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "exec" && name !== "prepare") return value.bind(target);
      return (sql: string): unknown => {
        life.begin(sql);
        return value.call(target, sql);
      };
    },
  });

async function postgres(): Promise<SharedDatabase> {
  const url = await migratedDatabase();
  const { port } = await postgresServer();
  return {
    open: async (life, clock) => {
      const proxy = await PostgresProxy.start(port);
      life.onEnd(() => proxy.cutAll());
      const database = new PostgresDatabase(new MortalPool(proxy.url(url), life));
      const stores = storesOf(database, clock);
      return {
        ...stores,
        close: async () => {
          await stores.close();
          await proxy.close();
        },
      };
    },
  };
}

/** Connections whose statements are steps. */
class MortalPool extends Pool {
  readonly #life: Lifetime;

  constructor(url: string, life: Lifetime) {
    // Its queries take real time, of which the clock of a test knows nothing.
    super({ url, connectionsMax: 10, clock: systemClock });
    this.#life = life;
  }

  override async connect(): ReturnType<Pool["connect"]> {
    const life = this.#life;
    const connection = await life.during(() => super.connect());
    const query = async (sql: string, values: unknown[]): Promise<unknown> => {
      life.begin(sql);
      return await life.during(() => connection.query(sql, values));
    };
    return { query: query as unknown as typeof connection.query, release: () => connection.release() };
  }
}
