import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { openStores } from "../../../src/store/open-stores.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { ServiceProcess, until } from "../../support/services/service.ts";

const NEXT = "INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-next-version', '2027-01-01T00:00:00.000Z')";

const LINE =
  "the database has the schema of a later version (9999-next-version), and nothing was changed: " +
  "start that version, or restore a backup from before it";

let server: PostgresServer | undefined;
async function newPostgresDatabase(): Promise<string> {
  server = await PostgresServer.start();
  return await server.createDatabase();
}
afterAll(() => server?.remove());

test.for([
  { name: "SQLite", isHere: true },
  { name: "Postgres (only where postgresql is installed)", isHere: hasPostgres },
])(
  "K13: a start on a schema of a later version ends with one line that says what to do, on $name",
  {
    timeout: 60_000,
  },
  async ({ name, isHere }, { skip }) => {
    if (!isHere) skip();
    const dataDir = mkdtempSync(join(tmpdir(), "trunkline-newer-"));
    const databaseUrl = name === "SQLite" ? undefined : await newPostgresDatabase();
    await (await openStores({ dataDir, databaseUrl }, systemClock)).close();
    if (databaseUrl === undefined) {
      const file = new Libsql(join(dataDir, "trunkline.db"));
      file.exec(NEXT);
      file.close();
    } else await server?.query(NEXT, databaseUrl);
    const service = new ServiceProcess({
      dataDir,
      env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
    });
    expect(await service.exited).toBe(1);
    const reasons = service.log.filter(({ process, level }) => process === "control" && level === "fatal");
    expect(reasons).toMatchObject([{ code: "bad_configuration", err: { message: LINE } }]);
    expect(service.stdout.split("9999-next-version")).toHaveLength(1 + 2);
    expect(service.stderr).toBe("");
    await until("the other processes of the service to end", 10_000, () => service.living().length === 0);
  },
);
