import { rmSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";
import type { TransferSums } from "../../store/transfer-store.ts";
import { TransferFile, writeTransferFile } from "./transfer-file.ts";

type Say = (line: string) => void;

/** Progress is said every so many rows. */
const PROGRESS_ROWS = 10_000;

/** Writes everything that the database has to a new file, also while the service runs. A file that is incomplete is removed. */
export async function exportDatabase(place: StorePlace, path: string, say: Say): Promise<void> {
  const stores = await openStores(place, systemClock);
  let isComplete = false;
  try {
    let rows = 0;
    const sums = await writeTransferFile(path, await stores.transfer.schemaVersion(), (take) =>
      stores.transfer.export(async (row) => {
        rows += 1;
        if (rows % PROGRESS_ROWS === 0) say(`${rows} rows, at ${row.table}`);
        await take(row);
      }),
    );
    isComplete = true;
    say(`exported ${total(sums)} rows: ${summary(sums)}`);
  } catch (error) {
    // A file that was there before is not ours.
    if (!isComplete && (error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(path, { force: true });
    throw error;
  } finally {
    await stores.close();
  }
}

/** Reads an export into an empty database, and compares what arrived. The service must not run. */
export async function importDatabase(place: StorePlace, path: string, say: Say): Promise<void> {
  const file = await TransferFile.open(path);
  const lock = lockDataDir(place.dataDir);
  const stores = await openStores(place, systemClock);
  try {
    const schema = await stores.transfer.schemaVersion();
    if (schema !== file.schema) {
      throw new Error(
        `${path} has the schema ${file.schema}, and this version has ${schema}: export and import with the same version`,
      );
    }
    if (!(await stores.transfer.isEmpty())) {
      throw new Error("the database is not empty: import into a new one, before a service has used it");
    }
    let said = 0;
    await stores.transfer.import(file.rows(), (rows) => {
      if (rows - said < PROGRESS_ROWS) return;
      said = rows;
      say(`${rows} rows`);
    });
    say("comparing");
    const differing = differences(file.sums, await stores.transfer.sums());
    if (differing.length > 0) throw new Error(`the import is wrong, use none of it: ${differing.join("; ")}`);
    say(`imported ${total(file.sums)} rows, counted and compared: ${summary(file.sums)}`);
  } finally {
    await stores.close();
    lock.release();
  }
}

const total = (sums: TransferSums): number => Object.values(sums).reduce((sum, { rows }) => sum + rows, 0);

const summary = (sums: TransferSums): string =>
  Object.entries(sums)
    .filter(([, { rows }]) => rows > 0)
    .map(([table, { rows }]) => `${rows} ${table}`)
    .join(", ");

function differences(expected: TransferSums, found: TransferSums): string[] {
  return Object.entries(expected).flatMap(([table, { rows, digest }]) => {
    const other = found[table];
    if (other === undefined) return [`${table} is missing`];
    if (other.rows !== rows) return [`${table} has ${other.rows} rows instead of ${rows}`];
    return other.digest === digest ? [] : [`${table} has other contents`];
  });
}
