import type { CallId } from "../../core/ids.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import { journalPath } from "../journal/reader.ts";
import type { JournalHeader } from "../journal/records.ts";
import { type Recording, recordingPath, renderRecording } from "../recording/render.ts";
import { type ProjectedCall, projectJournal } from "./projection.ts";

/** A projected call with the fields of its journal's header that a record needs. */
export type JournaledCall = Omit<ProjectedCall, "header"> & { header: Pick<JournalHeader, "accountId" | "startedAt"> };

/** Makes the projection and the recording of a call that is over. Both may be requested repeatedly. */
export interface JournalProcessor {
  /** Rejects as `projectJournal` does, and with `renderer_died` when every attempt ended with the renderer's death. */
  project(callId: CallId): Promise<JournaledCall>;
  /** Writes the call's recording; rejects as `renderRecording` does, and with `renderer_died`. */
  render(callId: CallId): Promise<Recording | undefined>;
}

/** Runs in this process, on the journals and recordings of an installation. */
export const localJournalProcessor = (dataDir: string, makeResampler: ResamplerFactory): JournalProcessor => ({
  async project(callId) {
    const { header, ...projected } = await projectJournal(journalPath(dataDir, callId));
    return { ...projected, header: { accountId: header.accountId, startedAt: header.startedAt } };
  },
  render: (callId) => renderRecording(journalPath(dataDir, callId), recordingPath(dataDir, callId), makeResampler),
});
