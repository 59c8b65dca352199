import type { MediaKey } from "../../core/encryption/chunks.ts";
import type { CallId } from "../../core/ids.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import { journalFileOf } from "../journal/reader.ts";
import type { JournalHeader } from "../journal/records.ts";
import { type Recording, type RenderProgress, recordingPath, renderRecording } from "../recording/render.ts";
import { redactJournal } from "../redaction/redact-journal.ts";
import type { SpanRequest } from "../traces/spans.ts";
import { type ProjectedCall, projectJournal } from "./projection.ts";

/** A projected call with the fields of its journal's header that a record needs. */
export type JournaledCall = Omit<ProjectedCall, "header"> & {
  header: Pick<JournalHeader, "accountId" | "startedAt" | "redaction">;
};

/** Makes the projection and the recording of a call that is over. Both may be requested repeatedly. */
export interface JournalProcessor {
  /**
   * Redacts the journal first, where its call is to be. Rejects as `projectJournal` does, and with `renderer_died` when every attempt
   * ended with the renderer's death. With `trace` the result has spans. With `isRedacted` a journal that is damaged is deleted.
   * Where that is undefined the store does not know the call, or has deleted its journal.
   */
  project(callId: CallId, trace?: SpanRequest, isRedacted?: boolean): Promise<JournaledCall>;
  /** Writes the call's recording; rejects as `renderRecording` does, and with `renderer_died`. */
  render(callId: CallId, onProgress?: (progress: RenderProgress) => void): Promise<Recording | undefined>;
}

/** The key of a call's journal and recording; undefined where they are not encrypted, or are deleted. */
export type FindMediaKey = (callId: CallId) => Promise<MediaKey | undefined>;

export const noKey: FindMediaKey = async () => undefined;

/** Runs in this process, on the journals and recordings of an installation; by default none is encrypted. */
export const localJournalProcessor = (
  dataDir: string,
  makeResampler: ResamplerFactory,
  findKey: FindMediaKey = noKey,
): JournalProcessor => ({
  async project(callId, trace, isRedacted) {
    const journal = journalFileOf(dataDir, callId, await findKey(callId));
    // Nothing of the call is stored or exported before that, and no recording is rendered.
    await redactJournal(journal, isRedacted);
    const { header, ...projected } = await projectJournal(journal, trace);
    const { accountId, startedAt, redaction } = header;
    return { ...projected, header: { accountId, startedAt, ...(redaction !== undefined && { redaction }) } };
  },
  async render(callId, onProgress) {
    const key = await findKey(callId);
    const recording = { path: recordingPath(dataDir, callId), key };
    return await renderRecording(journalFileOf(dataDir, callId, key), recording, makeResampler, onProgress);
  },
});
