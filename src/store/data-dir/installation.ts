import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { syncToDisk } from "../../core/sync-to-disk.ts";

const FILE_NAME = "installation-id";
const FILE_MODE = 0o600;

/**
 * The id of a data directory, which is made when it is first asked for. It shows whether a start is the same node again or another one with
 * its name. Throws the system's errors.
 */
export function installationId(dataDir: string): string {
  const path = join(dataDir, FILE_NAME);
  try {
    const known = readFileSync(path, "utf8").trim();
    if (known !== "") return known;
  } catch (error) {
    if (systemErrorCodeOf(error) !== "ENOENT") throw error;
  }
  const id = randomUUID();
  writeFileSync(path, `${id}\n`, { mode: FILE_MODE });
  syncToDisk(path);
  return id;
}
