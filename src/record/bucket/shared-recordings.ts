import { systemErrorCodeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import { ObjectFile } from "../../store/bucket/object-file.ts";
import { putFile } from "../../store/bucket/put-file.ts";
import { recordingPath } from "../recording/render.ts";
import { writeAtomically } from "../recording/wav-file.ts";
import { waveformPath } from "../recording/waveform.ts";
import { recordingKey, waveformKey } from "./keys.ts";

/** The recordings of calls in the bucket, with their waveforms, as they are on the disk that rendered them: encrypted where those are. */
export class SharedRecordings {
  readonly #bucket: Bucket;
  readonly #dataDir: string;
  /** Those that this process knows to be there. */
  readonly #stored = new Set<CallId>();

  constructor(bucket: Bucket, dataDir: string) {
    this.#bucket = bucket;
    this.#dataDir = dataDir;
  }

  /** Stores the recording of this disk and its waveform. Rejects with the file system's error where it is not here, and as `Bucket` does. */
  async store(callId: CallId): Promise<void> {
    const path = recordingPath(this.#dataDir, callId);
    // The recording last: where it is, its waveform is.
    await putFile(this.#bucket, waveformKey(callId), waveformPath(path)).catch((error: unknown) => {
      // An earlier version made none.
      if (systemErrorCodeOf(error) !== "ENOENT") throw error;
    });
    await putFile(this.#bucket, recordingKey(callId), path);
    this.#stored.add(callId);
  }

  /** Whether the recording that is on this disk, so long, is in the bucket. Rejects as `Bucket` does. */
  async has(callId: CallId, bytes: number): Promise<boolean> {
    if (this.#stored.has(callId)) return true;
    if ((await this.#bucket.bytesOf(recordingKey(callId))) !== bytes) return false;
    this.#stored.add(callId);
    return true;
  }

  /** The recording, to be read by ranges; undefined where there is none. Rejects as `Bucket` does. */
  async open(callId: CallId): Promise<{ file: ObjectFile; bytes: number } | undefined> {
    const bytes = await this.#bucket.bytesOf(recordingKey(callId));
    return bytes === undefined ? undefined : { file: new ObjectFile(this.#bucket, recordingKey(callId)), bytes };
  }

  /** Writes the waveform beside the place of the recording. Resolves with whether there is one. Rejects as `Bucket` does. */
  async fetchWaveform(callId: CallId): Promise<boolean> {
    const bytes = await this.#bucket.get(waveformKey(callId));
    if (bytes === undefined) return false;
    // As it is: where media are encrypted, so are these bytes.
    await writeAtomically(waveformPath(recordingPath(this.#dataDir, callId)), (file) => file.write(bytes), "waveform");
    return true;
  }

  /** Deletes the recording and its waveform. */
  async remove(callId: CallId): Promise<void> {
    this.#stored.delete(callId);
    await this.#bucket.delete([recordingKey(callId), waveformKey(callId)]);
  }
}
