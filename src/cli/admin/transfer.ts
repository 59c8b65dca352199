import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { systemClock } from "../../core/clock.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";
import type { TransferStore, TransferSums } from "../../store/transfer-store.ts";
import type { AdminOutput } from "./output.ts";
import { TransferFile, writeTransferFile } from "./transfer-file.ts";

/** Writes everything that the database has to a new file, also while the service runs. A file that is incomplete is removed. */
export async function exportDatabase(place: StorePlace, path: string, output: AdminOutput): Promise<void> {
  const stores = await openStores(place, systemClock, { migrates: false });
  let isComplete = false;
  try {
    let rows = 0;
    const sums = await writeTransferFile(path, await stores.transfer.schemaVersion(), (take) =>
      stores.transfer.export(async (row) => {
        rows += 1;
        output.progress(() => `${rows} rows exported, at ${row.table}`);
        await take(row);
      }),
    );
    isComplete = true;
    output.say(`exported ${total(sums)} rows: ${summary(sums)}`);
  } catch (error) {
    // A file that was there before is not ours.
    if (!isComplete && (error as NodeJS.ErrnoException).code !== "EEXIST") rmSync(path, { force: true });
    throw error;
  } finally {
    await stores.close();
  }
}

/**
 * Reads an export into an empty database, or into one that an interrupted import has half filled, and compares what
 * arrived. The service must not run.
 */
export async function importDatabase(place: StorePlace, path: string, output: AdminOutput): Promise<void> {
  const lock = lockDataDir(place.dataDir);
  try {
    await importLocked(place, path, output);
  } finally {
    lock.release();
  }
}

/** What else an import brings. */
export interface BesideImport {
  /** Throws where it must not begin. `unfinishedId` is that of an import into this database that was interrupted. */
  check: (unfinishedId: string | undefined) => void;
  /** After it no service starts until the import has ended. An import that continues another has its id. */
  begun: (id: string) => void;
}

/** As `importDatabase`, for a caller that holds the lock of the data directory. */
export async function importLocked(
  place: StorePlace,
  path: string,
  output: AdminOutput,
  beside?: BesideImport,
): Promise<void> {
  const file = await TransferFile.open(path);
  const stores = await openStores(place, systemClock, { migrates: false, acceptsUnfinishedImport: true });
  try {
    const { transfer } = stores;
    await checkSchema(transfer, file, path);
    const unfinishedId = await transfer.unfinishedImport();
    beside?.check(unfinishedId);
    if (unfinishedId !== undefined) await deleteHalf(transfer, output);
    else if (!(await transfer.isEmpty())) {
      throw new Error("the database is not empty: import into a new one, before a service has used it");
    }
    const id = unfinishedId ?? randomUUID();
    await transfer.beginImport(id);
    beside?.begun(id);
    await transfer.import(file.rows(), (rows) => output.progress(() => `${rows} rows imported`));
    await compare(transfer, file, output);
    await transfer.endImport();
    output.say(`imported ${total(file.sums)} rows, counted and compared: ${summary(file.sums)}`);
  } finally {
    await stores.close();
  }
}

async function checkSchema(transfer: TransferStore, file: TransferFile, path: string): Promise<void> {
  const schema = await transfer.schemaVersion();
  if (schema === file.schema) return;
  throw new Error(
    `${path} has the schema ${file.schema}, and this version has ${schema}: export and import with the same version`,
  );
}

async function deleteHalf(transfer: TransferStore, { say, progress }: AdminOutput): Promise<void> {
  say("an import into this database was interrupted: its rows are deleted, and it starts again");
  await transfer.deleteAll((rows) => progress(() => `${rows} rows of the interrupted import deleted`));
}

async function compare(transfer: TransferStore, file: TransferFile, output: AdminOutput): Promise<void> {
  let compared = 0;
  const sums = await transfer.export(async ({ table }) => {
    compared += 1;
    output.progress(() => `${compared} of ${total(file.sums)} rows compared, at ${table}`);
  });
  const differing = differences(file.sums, sums);
  if (differing.length > 0) throw new Error(`the import is wrong, use none of it: ${differing.join("; ")}`);
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
