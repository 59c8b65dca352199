import { access, type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asDocumentId, type DocumentId } from "../../core/ids.ts";
import { documentKey, PARTIAL_SUFFIX, type SharedFiles } from "../bucket/shared-files.ts";
import { makePrivateFolder } from "./data-dir.ts";

const FILE_MODE = 0o600;
/** `<id>.<version>.document`: a file that came with this version; the others are work files of its processing. */
const NAME = /^(doc_[0-9a-f-]{36})\.(\d{1,9})\.(document|document\.part|fetched|chunks)$/;

/** A file of a document, by its version. */
export interface DocumentFile {
  readonly id: DocumentId;
  readonly version: number;
  /** It is needed only while the document is processed. */
  readonly isTemporary: boolean;
}

export const documentFolder = (dataDir: string): string => join(dataDir, "documents");

/**
 * The files of documents: on this disk, or in the bucket where one is configured; then this disk has those that are uploaded or processed
 * here, as long as they are. Their paths are made of ids and versions alone, never of a name that a client gave. What uses the bucket
 * rejects as `SharedFiles` does.
 */
export class DocumentFiles {
  readonly #dataDir: string;
  readonly #shared: SharedFiles | undefined;

  constructor(dataDir: string, shared?: SharedFiles) {
    this.#dataDir = dataDir;
    this.#shared = shared;
  }

  /** The file that was uploaded with this version. */
  path(id: DocumentId, version: number): string {
    return this.#path(id, version, "document");
  }

  /** What was fetched to process this version. */
  fetchedPath(id: DocumentId, version: number): string {
    return this.#path(id, version, "fetched");
  }

  /** The chunks of this version before they are stored. */
  chunksPath(id: DocumentId, version: number): string {
    return this.#path(id, version, "chunks");
  }

  #path(id: DocumentId, version: number, kind: string): string {
    return join(documentFolder(this.#dataDir), `${id}.${version}.${kind}`);
  }

  /** Opens the new file of this version for writing, which only this user can read. Rejects with the system's error. */
  async create(id: DocumentId, version: number): Promise<FileHandle> {
    this.makeFolder();
    return await open(this.path(id, version), "wx", FILE_MODE);
  }

  makeFolder(): void {
    makePrivateFolder(resolve(documentFolder(this.#dataDir)));
  }

  /**
   * A new file is complete: without a bucket it stays on this disk, otherwise all nodes have it from now on. False where another node is
   * storing a file of this version.
   */
  async share(id: DocumentId, version: number): Promise<boolean> {
    if (this.#shared === undefined) return true;
    if (!(await this.#shared.reserve(documentKey(id, version)))) return false;
    await this.#shared.store(documentKey(id, version), this.path(id, version));
    return true;
  }

  /** Brings the file of this version to this disk, if there is one. */
  async fetch(id: DocumentId, version: number): Promise<void> {
    if (this.#shared === undefined || (await isThere(this.path(id, version)))) return;
    await this.#shared.fetch(documentKey(id, version), this.path(id, version));
  }

  /** The file is not used any more: it leaves this disk where the bucket has it. */
  async release(id: DocumentId, version: number): Promise<void> {
    await this.#shared?.dropCopy(this.path(id, version));
  }

  /** Brings a file to the bucket that came to this disk before there was one, or that a process has left here. */
  async adopt(id: DocumentId, version: number): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return;
    const isInBucket = (await shared.bytesOf(documentKey(id, version))) !== undefined;
    if (isInBucket || (await this.share(id, version))) await this.removeHere(id, version);
  }

  /** Removes the file of this version, and what the bucket has of it. A missing file is no error. */
  async remove(id: DocumentId, version: number): Promise<void> {
    await this.removeHere(id, version);
    await this.#shared?.remove(documentKey(id, version));
  }

  /** Removes the file of this version from this disk alone. */
  async removeHere(id: DocumentId, version: number): Promise<void> {
    await rm(this.path(id, version), { force: true });
  }

  /** Removes what processing this version has left. */
  async removeTemporary(id: DocumentId, version: number): Promise<void> {
    await rm(`${this.path(id, version)}${PARTIAL_SUFFIX}`, { force: true });
    await rm(this.fetchedPath(id, version), { force: true });
    await rm(this.chunksPath(id, version), { force: true });
  }

  /** Every file of a document. */
  async all(): Promise<readonly DocumentFile[]> {
    let names: readonly string[];
    try {
      names = await readdir(documentFolder(this.#dataDir));
    } catch (error) {
      if (systemErrorCodeOf(error) === "ENOENT") return [];
      throw error;
    }
    return names.flatMap((name) => {
      const [, id, version, kind] = NAME.exec(name) ?? [];
      if (id === undefined) return [];
      return [{ id: asDocumentId(id), version: Number(version), isTemporary: kind !== "document" }];
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (systemErrorCodeOf(error) === "ENOENT") return false;
    throw error;
  }
}
