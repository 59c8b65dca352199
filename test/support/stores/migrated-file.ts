import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { ManualClock } from "../manual-clock.ts";
import { ageClockOf } from "../tokens.ts";

let migrated: Promise<string> | undefined;

/** A new database of SQLite with the current schema, to copy: applying all migrations takes longer than most tests. */
export function migratedFile(): Promise<string> {
  migrated ??= (async () => {
    const [directory, clock] = [mkdtempSync(join(tmpdir(), "trunkline-migrated-")), new ManualClock()];
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    await (await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) })).close();
    return join(directory, "trunkline.db");
  })();
  return migrated;
}
