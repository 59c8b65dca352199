import { open, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCodeOf } from "../../core/errors.ts";
import { asTranscriptionId, type TranscriptionId } from "../../core/ids.ts";
import { makePrivateFolder } from "./data-dir.ts";

const SUFFIX = ".audio";
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

  /** A missing file is no error. */
  async remove(id: TranscriptionId): Promise<void> {
    await rm(this.path(id), { force: true });
  }

  /** The ids of the transcriptions of all files. */
  async ids(): Promise<readonly TranscriptionId[]> {
    try {
      const names = await readdir(transcriptionFolder(this.#dataDir));
      return names
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => asTranscriptionId(name.slice(0, -SUFFIX.length)));
    } catch (error) {
      if (systemErrorCodeOf(error) === "ENOENT") return [];
      throw error;
    }
  }
}
