import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PARTIAL_SUFFIX } from "../../store/bucket/shared-files.ts";
import { makePrivateFolder } from "../../store/data-dir/data-dir.ts";
import type { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import type { Transcription } from "../../store/transcription-store.ts";
import { audioUnavailable } from "./fetch-audio.ts";

const FILE_MODE = 0o600;

export interface AudioFilesOptions {
  audio: Pick<TranscriptionAudio, "path" | "fetch" | "ensureShared" | "release" | "removeHere" | "isShared">;
  /** The bytes of an address that a client has chosen. */
  fetch: (url: string, signal: AbortSignal) => AsyncIterable<Buffer>;
  /** The bytes of a call's recording, as they were before they were encrypted; undefined where there is none. */
  readRecording: (transcription: Transcription) => Promise<AsyncIterable<Buffer> | undefined>;
}

/** Sees to it that the audio of transcriptions is on the disk. A file has its name when it is complete. */
export class AudioFiles {
  readonly #options: AudioFilesOptions;

  constructor(options: AudioFilesOptions) {
    this.#options = options;
  }

  /** The path of the audio, which is fetched where it is not there. Rejects with `audio_unavailable` and the system's errors. */
  async pathOf(transcription: Transcription, signal: AbortSignal): Promise<string> {
    const { audio } = this.#options;
    const path = audio.path(transcription.id);
    if (!(await audio.fetch(transcription.id))) await this.#write(path, transcription, signal);
    // A copy of a recording is made again from that.
    if (transcription.source !== "call") await audio.ensureShared(transcription.id);
    return path;
  }

  async #write(path: string, transcription: Transcription, signal: AbortSignal): Promise<void> {
    makePrivateFolder(dirname(path));
    const partial = `${path}${PARTIAL_SUFFIX}`;
    try {
      const bytes = await this.#bytesOf(transcription, signal);
      await pipeline(Readable.from(bytes), createWriteStream(partial, { mode: FILE_MODE }), { signal });
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /** The audio is not used here any more: where other nodes have it, it leaves this disk. */
  async release({ id, source }: Transcription): Promise<void> {
    const { audio } = this.#options;
    if (audio.isShared && source === "call") await audio.removeHere(id);
    else await audio.release(id);
  }

  async #bytesOf(transcription: Transcription, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { fetch, readRecording } = this.#options;
    const { url, callId } = transcription;
    if (url !== undefined) return fetch(url, signal);
    if (callId === undefined) throw audioUnavailable("the uploaded audio has been deleted");
    const recording = await readRecording(transcription);
    if (recording === undefined) throw audioUnavailable("the call has no recording, or it has been deleted");
    return recording;
  }
}
