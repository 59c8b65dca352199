import { type FileHandle, open, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asDocumentId, type DocumentId } from "../../core/ids.ts";
import { makePrivateFolder } from "./data-dir.ts";

const FILE_MODE = 0o600;
/** `<id>.<version>.document`: a file that came with this version; `.fetched` and `.chunks` are work files of its processing. */
const NAME = /^(doc_[0-9a-f-]{36})\.(\d{1,9})\.(document|fetched|chunks)$/;

/** A file of a document, by its version. */
export interface DocumentFile {
  readonly id: DocumentId;
  readonly version: number;
  /** It is needed only while the document is processed. */
  readonly isTemporary: boolean;
}

export const documentFolder = (dataDir: string): string => join(dataDir, "documents");

/** The files of documents. Their paths are made of ids and versions alone, never of a name that a client gave. */
export class DocumentFiles {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
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

  /** Removes the file of this version. A missing file is no error. */
  async remove(id: DocumentId, version: number): Promise<void> {
    await rm(this.path(id, version), { force: true });
  }

  /** Removes what processing this version has left. */
  async removeTemporary(id: DocumentId, version: number): Promise<void> {
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
