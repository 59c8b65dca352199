import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { readBucketConfig } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import { syncToDisk } from "../../core/sync-to-disk.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { secretsKeyPath } from "../../store/sealing/secrets-key.ts";
import { lockDataDir } from "../../store/sqlite/database/data-dir-lock.ts";
import type { AdminOutput } from "./output.ts";
import { exportDatabase, importLocked } from "./transfer.ts";

const DATABASE = "database.jsonl.gz";
/** What a data directory has beside the database. Sockets, locks and models are made again. */
const FOLDERS = ["journals", "recordings", "transcriptions", "documents"];
const KEYS = ["token-keys.json", "secrets-key"];
/** In a backup of a database that has a bucket: which one. */
const BUCKET = "bucket.json";
/** In a data directory, the id of the import of a restore that has begun. Once that has ended, it says nothing. */
const RESTORE_MARK = "restore-in-progress";
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Copies the database, the files of this disk and the keys into a new folder, also while the service runs. The database is first, so that
 * everything its records name is copied after it. What the bucket has is named and not copied: it may be more than a disk holds. A folder
 * that is incomplete is removed.
 */
export async function backup(place: StorePlace, folder: string, output: AdminOutput): Promise<void> {
  mkdirSync(folder, { mode: FOLDER_MODE });
  try {
    await exportDatabase(place, join(folder, DATABASE), output);
    copyFiles(place.dataDir, folder, output, { overwrites: false });
    await nameBucket(place, folder, output);
    syncToDisk(dirname(resolve(folder)));
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  const hasKey = existsSync(secretsKeyPath(folder));
  const key = hasKey
    ? "it holds secrets-key, which opens the secrets of webhooks and encrypted media"
    : "SECRETS_KEY is not in it: keep that apart";
  output.say(`backup complete in ${folder}; ${key}`);
}

/** Says, here and in the folder, which bucket has the rest; nothing where the database has none. */
async function nameBucket(place: StorePlace, folder: string, { say }: AdminOutput): Promise<void> {
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    const claim = await stores.bucketClaims.find();
    if (claim?.isConfirmed !== true) return;
    const url = readBucketConfig()?.url;
    const path = join(folder, BUCKET);
    writeFileSync(path, `${JSON.stringify({ url, databaseId: claim.databaseId })}\n`, { mode: FILE_MODE });
    syncToDisk(path);
    say(
      `the objects of the bucket${url === undefined ? "" : ` ${url}`} are not in it: copy those by the means of its store, ` +
        "from now on, or rely on it",
    );
  } finally {
    await stores.close();
  }
}

/**
 * Puts a backup into an empty data directory and an empty database, or into those that an interrupted restore has half
 * filled. The service must not run.
 */
export async function restore(place: StorePlace, folder: string, output: AdminOutput): Promise<void> {
  const { dataDir } = place;
  const mark = join(dataDir, RESTORE_MARK);
  const lock = lockDataDir(dataDir);
  try {
    await importLocked(place, join(folder, DATABASE), output, {
      // The files are those of a restore only where both have its id.
      check: (unfinishedId) => {
        if (unfinishedId === undefined || unfinishedId !== readIfThere(mark)) refuseFilled(dataDir);
      },
      begun: (id) => {
        writeFileSync(mark, id, { mode: FILE_MODE });
        syncToDisk(mark);
        syncToDisk(dataDir);
        copyFiles(folder, dataDir, output, { overwrites: true });
      },
    });
    rmSync(mark);
  } finally {
    lock.release();
  }
  sayBucket(folder, output);
  output.say(
    `restored from ${folder}; npm run admin -- recover makes records of calls since then, if their journals are there`,
  );
}

/** Where the rest of what was backed up is. */
function sayBucket(folder: string, { say }: AdminOutput): void {
  const text = readIfThere(join(folder, BUCKET));
  if (text === undefined) return;
  const { url } = BucketName.parse(JSON.parse(text));
  say(`the rest is in the bucket${url === undefined ? "" : ` ${url}`}: set BUCKET_URL to it, or to a copy of it`);
}

const BucketName = z.object({ url: z.string().optional() });

function refuseFilled(dataDir: string): void {
  const taken = [...FOLDERS, ...KEYS].filter((name) => isFilled(join(dataDir, name)));
  if (taken.length === 0) return;
  throw new Error(`${dataDir} already has ${taken.join(", ")}: restore into an empty data directory`);
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** Everything is on the disk when this returns. */
function copyFiles(from: string, to: string, output: AdminOutput, { overwrites }: { overwrites: boolean }): void {
  for (const name of FOLDERS) copyFolder(join(from, name), join(to, name), { name, overwrites, output });
  for (const name of KEYS) copyFile(join(from, name), join(to, name), overwrites);
  syncToDisk(to);
}

interface FolderCopy {
  name: string;
  overwrites: boolean;
  output: AdminOutput;
}

/** A file that is deleted meanwhile is left out. */
function copyFolder(from: string, to: string, { name, overwrites, output: { say, progress } }: FolderCopy): void {
  mkdirSync(to, { recursive: true, mode: FOLDER_MODE });
  const files = existsSync(from) ? readdirSync(from) : [];
  let copied = 0;
  for (const [at, file] of files.entries()) {
    progress(() => `${at} of ${files.length} files of ${name} copied`);
    if (copyFile(join(from, file), join(to, file), overwrites)) copied += 1;
  }
  syncToDisk(to);
  say(`${copied} files of ${name} copied`);
}

function copyFile(from: string, to: string, overwrites: boolean): boolean {
  try {
    cpSync(from, to, { errorOnExist: true, force: overwrites, preserveTimestamps: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  syncToDisk(to);
  return true;
}

const isFilled = (path: string): boolean =>
  existsSync(path) && (!FOLDERS.some((name) => path.endsWith(name)) || readdirSync(path).length > 0);
