import { randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, rmSync } from "node:fs";
import Libsql from "libsql";
import { unavailable } from "../../core/errors.ts";
import { CORPUS_CACHE_KIB } from "../../core/limits/knowledge/retrieval.ts";

/**
 * What the terms of a file depend on besides its texts. A file of another format is made again: its terms would not be those of
 * questions. Raise the number with each change of the schema, of the words or of the stems; ICU, which comes with Node, splits words.
 */
export const INDEX_FORMAT = `2, ICU ${process.versions.icu}`;

/**
 * `terms` has no texts, only which terms are where; FTS5 splits what it is given at spaces, because all other characters that terms have are
 * letters to its tokenizer `ascii`. `frequencies` is beside it, since FTS5 counts the chunks of a term by reading all of them.
 */
const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  version INTEGER NOT NULL,
  name TEXT NOT NULL,
  is_complete INTEGER NOT NULL DEFAULT 0,
  UNIQUE (id, version)
);
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  document INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  page INTEGER,
  headings TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (document, ordinal)
);
CREATE VIRTUAL TABLE terms USING fts5(words, content = '', contentless_delete = 1, tokenize = 'ascii');
CREATE TABLE frequencies (term TEXT PRIMARY KEY, chunks INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, scale REAL NOT NULL, vector BLOB NOT NULL);
`;

/** The files of SQLite beside a database. */
const SUFFIXES = ["", "-wal", "-shm", "-journal"] as const;
const FILE_MODE = 0o600;
/** SQLite's own wait for a writer of the same process. */
const BUSY_TIMEOUT_MS = 5_000;

/** Whether SQLite says that a file is damaged, or none of its own. */
export const isCorrupt = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  /^SQLITE_(?:CORRUPT|NOTADB|IOERR_SHORT_READ|FORMAT)/.test(String(error.code));

/** The file of a corpus is missing, not complete, or of another format. */
class OtherFormatError extends Error {
  override readonly name = "OtherFormatError";
}

/** Whether a file that could not be opened is to be made again. Any other failure may be over soon: files open at once, a full disk. */
export const isLost = (error: unknown): boolean => error instanceof OtherFormatError || isCorrupt(error);

/** Removes the file of a corpus, with those beside it. Missing files are no error. */
export function removeCorpusFile(path: string): void {
  for (const suffix of SUFFIXES) rmSync(`${path}${suffix}`, { force: true });
}

/** Opens the file of a corpus for reading. Throws an error that `isLost` where it is to be made again, and otherwise `unavailable`. */
export function openForReading(path: string): Libsql.Database {
  // The library would make it.
  if (isMissing(path)) throw new OtherFormatError("there is no such file");
  let file: Libsql.Database | undefined;
  try {
    file = new Libsql(path);
    configure(file);
    file.exec("PRAGMA query_only = ON");
    if (!hasFormat(file)) throw new OtherFormatError("the file has another format");
    return file;
  } catch (error) {
    file?.close();
    if (isLost(error)) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw unavailable(`the index of a corpus cannot be opened: ${what}`, error);
  }
}

/** Without the table `meta` a file was not completed. */
const hasFormat = (file: Libsql.Database): boolean =>
  file.prepare("SELECT 1 FROM sqlite_master WHERE name = 'meta'").all().length > 0 &&
  metaOf(file, "format") === INDEX_FORMAT;

/**
 * Opens the file of a corpus for writing, and makes it, or makes it again where it is damaged, of another format or of another language.
 * Throws `unavailable` where an existing one cannot be opened, and SQLite's errors.
 */
export function openForWriting(path: string, languageId: string): Libsql.Database {
  const existing = openExisting(path, languageId);
  if (existing !== undefined) return existing;
  removeCorpusFile(path);
  closeSync(openSync(path, "ax", FILE_MODE));
  const file = new Libsql(path);
  try {
    configure(file);
    file.exec(SCHEMA);
    const put = file.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
    // The format last: a file without it is not complete.
    put.run("language", languageId);
    put.run("file", randomUUID());
    put.run("format", INDEX_FORMAT);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}

function openExisting(path: string, languageId: string): Libsql.Database | undefined {
  let file: Libsql.Database | undefined;
  try {
    file = openForReading(path);
    file.exec("PRAGMA query_only = OFF");
    if (metaOf(file, "language") === languageId) return file;
  } catch (error) {
    if (!isLost(error)) throw error;
  }
  file?.close();
  return undefined;
}

/** The language of the file of a corpus; undefined where it is missing, damaged or of another format. Throws as `openForReading`. */
export function languageOf(path: string): string | undefined {
  let file: Libsql.Database | undefined;
  try {
    file = openForReading(path);
    return metaOf(file, "language");
  } catch (error) {
    if (!isLost(error)) throw error;
    return undefined;
  } finally {
    file?.close();
  }
}

/** Whether there is no such file. An open connection to one that was removed goes on with what no other can read. */
export const isMissing = (path: string): boolean => !existsSync(path);

/** A value of the file's own; undefined where there is none. */
export const metaOf = (file: Libsql.Database, name: string): string | undefined =>
  (file.prepare("SELECT value FROM meta WHERE name = ?").get(name) as { value: string } | undefined)?.value;

function configure(file: Libsql.Database): void {
  file.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Questions are answered while a document is written.
  file.exec("PRAGMA journal_mode = WAL");
  // What a power failure takes is written again: the store has it.
  file.exec("PRAGMA synchronous = NORMAL");
  file.exec("PRAGMA secure_delete = ON");
  file.exec(`PRAGMA cache_size = -${CORPUS_CACHE_KIB}`);
  file.exec("PRAGMA temp_store = MEMORY");
}
