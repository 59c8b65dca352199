import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDataDir } from "../../store/data-dir/data-dir.ts";
import type { StorePlace } from "../../store/open-stores.ts";
import { secretsKeyPath } from "../../store/sealing/secrets-key.ts";
import { exportDatabase, importDatabase } from "./transfer.ts";

type Say = (line: string) => void;

const DATABASE = "database.jsonl.gz";
/** What a data directory has beside the database. Sockets, locks and models are made again. */
const FOLDERS = ["journals", "recordings"];
const KEYS = ["token-keys.json", "secrets-key"];
const FOLDER_MODE = 0o700;

/**
 * Copies the database, journals, recordings and keys into a new folder, also while the service runs. The database is
 * first, so that everything its records name is copied after it. A folder that is incomplete is removed.
 */
export async function backup(place: StorePlace, folder: string, say: Say): Promise<void> {
  mkdirSync(folder, { mode: FOLDER_MODE });
  try {
    await exportDatabase(place, join(folder, DATABASE), say);
    for (const name of FOLDERS) say(`${copyFolder(join(place.dataDir, name), join(folder, name))} files of ${name}`);
    for (const name of KEYS) copyFile(join(place.dataDir, name), join(folder, name));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const hasKey = existsSync(secretsKeyPath(folder));
  const key = hasKey
    ? "it holds secrets-key, which opens the secrets of webhooks"
    : "SECRETS_KEY is not in it: keep that apart";
  say(`backup complete in ${folder}; ${key}`);
}

/** Puts a backup into an empty data directory and an empty database. The service must not run. */
export async function restore(place: StorePlace, folder: string, say: Say): Promise<void> {
  openDataDir(place.dataDir);
  const taken = [...FOLDERS, ...KEYS].filter((name) => isFilled(join(place.dataDir, name)));
  if (taken.length > 0) {
    throw new Error(`${place.dataDir} already has ${taken.join(", ")}: restore into an empty data directory`);
  }
  await importDatabase(place, join(folder, DATABASE), say);
  for (const name of FOLDERS) say(`${copyFolder(join(folder, name), join(place.dataDir, name))} files of ${name}`);
  for (const name of KEYS) copyFile(join(folder, name), join(place.dataDir, name));
  say(
    `restored from ${folder}; npm run admin -- recover makes records of calls since then, if their journals are there`,
  );
}

/** A file that is deleted meanwhile is left out. Returns how many were copied. */
function copyFolder(from: string, to: string): number {
  mkdirSync(to, { recursive: true, mode: FOLDER_MODE });
  if (!existsSync(from)) return 0;
  return readdirSync(from).filter((name) => copyFile(join(from, name), join(to, name))).length;
}

function copyFile(from: string, to: string): boolean {
  try {
    cpSync(from, to, { errorOnExist: true, force: false, preserveTimestamps: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const isFilled = (path: string): boolean =>
  existsSync(path) && (!FOLDERS.some((name) => path.endsWith(name)) || readdirSync(path).length > 0);
