import type { Stores } from "../../../src/store/stores.ts";
import { allBytes } from "../temporary-directory.ts";

/** Every value in every table, and every byte of every file below `directory`, the database's own where it is one. */
export async function everythingIn(stores: Stores, directory: string): Promise<string> {
  const rows: string[] = [];
  await stores.transfer.export(async ({ row }) => void rows.push(JSON.stringify(row)));
  return [...rows, allBytes(directory)].join("\n");
}
