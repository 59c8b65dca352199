import { open, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asTranscriptionId, type TranscriptionId } from "../../core/ids.ts";
import { makePrivateFolder } from "./data-dir.ts";

const SUFFIX = ".audio";
/** Of a file that is being fetched. */
const PARTIAL_SUFFIX = ".part";
const FILE_MODE = 0o600;

/** The file of the audio of a transcription, whatever its source. */
export const transcriptionAudioPath = (dataDir: string, id: TranscriptionId): string =>
  join(transcriptionFolder(dataDir), `${id}${SUFFIX}`);

export const transcriptionFolder = (dataDir: string): string => join(dataDir, "transcriptions");

/** The files of the audio of transcriptions. */
export class TranscriptionAudio {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  path(id: TranscriptionId): string {
    return transcriptionAudioPath(this.#dataDir, id);
  }

  /** Opens a new file for writing, which only this user can read. Rejects with the system's error. */
  async create(id: TranscriptionId) {
    makePrivateFolder(resolve(transcriptionFolder(this.#dataDir)));
    return await open(this.path(id), "wx", FILE_MODE);
  }

  /** Removes the file, and what was fetched of it so far. A missing file is no error. */
  async remove(id: TranscriptionId): Promise<void> {
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
