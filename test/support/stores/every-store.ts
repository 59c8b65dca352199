import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { StoreOptions, Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "../../contract/store/calls.ts";
import { ManualClock } from "../manual-clock.ts";
import { hasPostgres, PostgresServer } from "../postgres/server.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { ageClockOf } from "../tokens.ts";
import { migratedFile } from "./migrated-file.ts";

export interface StoreUnderTest {
  name: string;
  /** False where its database is not installed. */
  isHere: boolean;
  /** Empty stores. */
  make: () => StoresUnderTest;
}

export const SQLITE: StoreUnderTest = { name: "SQLite", isHere: true, make: sqlite };
export const POSTGRES: StoreUnderTest = {
  name: "Postgres (only where postgresql is installed)",
  isHere: hasPostgres,
  make: postgres,
};
function sqlite(): StoresUnderTest {
  const directory = temporaryDirectory();
  let copied: Promise<void> | undefined;
  return underTest(async (clock, options) => {
    copied ??= migratedFile().then((path) => copyFileSync(path, join(directory, "trunkline.db")));
    await copied;
    return await openSqliteStores(directory, clock, options);
  });
}

function postgres(): StoresUnderTest {
  let url: Promise<string> | undefined;
  return underTest(async (clock, options) => {
    url ??= migratedDatabase();
    return await openPostgresStores(await url, clock, options);
  });
}

function underTest(open: (clock: Clock, options: StoreOptions) => Promise<Stores>): StoresUnderTest {
  const clock = new ManualClock();
  return {
    clock,
    open: ({ wallMs = 0, bootId, ...keys } = {}) => {
      const wall: Clock = {
        nowMs: () => clock.nowMs(),
        epochMs: () => addMs(clock.epochMs(), wallMs),
        after: (delayMs, task) => clock.after(delayMs, task),
      };
      return open(wall, { ageClock: ageClockOf(clock, bootId), ...keys });
    },
  };
}

let server: Promise<PostgresServer> | undefined;
let template: Promise<string> | undefined;

/** The server of this test file, which starts with its first use. */
export function postgresServer(): Promise<PostgresServer> {
  server ??= PostgresServer.start();
  return server;
}

/** A new database with the current schema: a copy, because migrating each takes longer than most tests. */
export async function migratedDatabase(): Promise<string> {
  const running = await postgresServer();
  template ??= (async () => {
    const url = await running.createDatabase();
    await (await openPostgresStores(url, systemClock)).close();
    return new URL(url).pathname.slice(1);
  })();
  return await running.createDatabase(await template);
}

afterAll(async () => {
  await (await server)?.remove();
  server = undefined;
  template = undefined;
});
