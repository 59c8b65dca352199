import { open, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asTranscriptionId, type TranscriptionId } from "../../core/ids.ts";
import { PARTIAL_SUFFIX, type SharedFiles, transcriptionKey } from "../bucket/shared-files.ts";
import { makePrivateFolder } from "./data-dir.ts";

const SUFFIX = ".audio";
const FILE_MODE = 0o600;

/** The file of the audio of a transcription, whatever its source. */
const transcriptionAudioPath = (dataDir: string, id: TranscriptionId): string =>
  join(transcriptionFolder(dataDir), `${id}${SUFFIX}`);

export const transcriptionFolder = (dataDir: string): string => join(dataDir, "transcriptions");

/**
 * The files of the audio of transcriptions: on this disk, or in the bucket where one is configured; then this disk has those that are
 * uploaded or transcribed here, as long as they are. What uses the bucket rejects as `SharedFiles` does.
 */
export class TranscriptionAudio {
  readonly #dataDir: string;
  readonly #shared: SharedFiles | undefined;

  constructor(dataDir: string, shared?: SharedFiles) {
    this.#dataDir = dataDir;
    this.#shared = shared;
  }

  /** Whether other machines have the same files. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  path(id: TranscriptionId): string {
    return transcriptionAudioPath(this.#dataDir, id);
  }

  /** Opens a new file for writing, which only this user can read. Rejects with the system's error. */
  async create(id: TranscriptionId) {
    makePrivateFolder(resolve(transcriptionFolder(this.#dataDir)));
    return await open(this.path(id), "wx", FILE_MODE);
  }

  /** A new file is complete: without a bucket it stays on this disk, otherwise all nodes have it from now on. */
  async share(id: TranscriptionId): Promise<void> {
    await this.#shared?.reserve(transcriptionKey(id));
    await this.#shared?.store(transcriptionKey(id), this.path(id));
  }

  /** Shares the file of this disk, unless the bucket is known to have it: an earlier attempt may have failed to. */
  async ensureShared(id: TranscriptionId): Promise<void> {
    if (this.#shared?.hasCopy(this.path(id)) === false) await this.share(id);
  }

  /** Brings the file to this disk. Resolves with whether it is here now. */
  async fetch(id: TranscriptionId): Promise<boolean> {
    if ((await this.#bytesHere(id)) !== undefined) return true;
    makePrivateFolder(resolve(transcriptionFolder(this.#dataDir)));
    return (await this.#shared?.fetch(transcriptionKey(id), this.path(id))) ?? false;
  }

  /** The file is not used any more: it leaves this disk where the bucket has it. */
  async release(id: TranscriptionId): Promise<void> {
    await this.#shared?.dropCopy(this.path(id));
  }

  /** Brings a file to the bucket that came to this disk before there was one, or that a process has left here. */
  async adopt(id: TranscriptionId): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return;
    if ((await shared.bytesOf(transcriptionKey(id))) === undefined) await this.share(id);
    await rm(this.path(id), { force: true });
  }

  /** The file in the bucket, to be read by ranges; undefined where there is none. */
  async openShared(id: TranscriptionId) {
    return await this.#shared?.open(transcriptionKey(id));
  }

  /** The length of the file, wherever it is; 0 where there is none. */
  async bytes(id: TranscriptionId): Promise<number> {
    return (await this.#bytesHere(id)) ?? (await this.#shared?.bytesOf(transcriptionKey(id))) ?? 0;
  }

  async #bytesHere(id: TranscriptionId): Promise<number | undefined> {
    try {
      return (await stat(this.path(id))).size;
    } catch (error) {
      if (systemErrorCodeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Removes the file, and what was fetched of it so far, and what the bucket has of it. A missing file is no error. */
  async remove(id: TranscriptionId): Promise<void> {
    await this.removeHere(id);
    await this.#shared?.remove(transcriptionKey(id));
  }

  /** Removes the file from this disk alone. */
  async removeHere(id: TranscriptionId): Promise<void> {
    await rm(this.path(id), { force: true });
    await rm(`${this.path(id)}${PARTIAL_SUFFIX}`, { force: true });
  }

  /** Removes what earlier processes have fetched of files without completing them: before anything is fetched. */
  async removePartial(): Promise<void> {
    const names = (await this.#names()).filter((name) => name.endsWith(PARTIAL_SUFFIX));
    for (const name of names) await rm(join(transcriptionFolder(this.#dataDir), name), { force: true });
  }

  /** The ids of the transcriptions of all files. */
  async ids(): Promise<readonly TranscriptionId[]> {
    const names = (await this.#names()).filter((name) => name.endsWith(SUFFIX));
    return names.map((name) => asTranscriptionId(name.slice(0, -SUFFIX.length)));
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(transcriptionFolder(this.#dataDir));
    } catch (error) {
      if (systemErrorCodeOf(error) === "ENOENT") return [];
      throw error;
    }
  }
}
