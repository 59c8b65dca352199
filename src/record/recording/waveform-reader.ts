import { access } from "node:fs/promises";
import type { Waveform } from "../../core/calls/waveform.ts";
import { systemErrorCodeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { FindMediaKey } from "../finalization/journal-processor.ts";
import { recordingPath } from "./render.ts";
import { readWaveform, waveformPath } from "./waveform.ts";

export interface WaveformReaderOptions {
  dataDir: string;
  findKey: FindMediaKey;
  /** Makes the waveform of a recording that has none. */
  makeWaveform: (callId: CallId) => Promise<void>;
  /** Runs work on the files of a call alone: none is deleted meanwhile. */
  withFiles: <T>(callId: CallId, work: () => Promise<T>) => Promise<T>;
}

/** Reads the waveforms of recordings. Those of recordings that an earlier version has rendered are made when they are read first. */
export class WaveformReader {
  readonly #options: WaveformReaderOptions;

  constructor(options: WaveformReaderOptions) {
    this.#options = options;
  }

  /** Rejects as `readWaveform` does for a call without a recording, and with what `makeWaveform` rejects with. */
  async read(callId: CallId, buckets: number): Promise<Waveform> {
    const { dataDir, findKey, makeWaveform, withFiles } = this.#options;
    const path = waveformPath(recordingPath(dataDir, callId));
    const key = await findKey(callId);
    try {
      return await readWaveform({ path, key }, buckets);
    } catch (error) {
      if (systemErrorCodeOf(error) !== "ENOENT") throw error;
    }
    // Another request may have been faster.
    await withFiles(callId, () => access(path).catch(() => makeWaveform(callId)));
    return await readWaveform({ path, key }, buckets);
  }
}
