import type { ResamplerFactory } from "../../media/resampler.ts";
import { journalPath } from "../journal/reader.ts";
import type { JournalHeader } from "../journal/records.ts";
import { type Recording, recordingPath, renderRecording } from "../recording/render.ts";
import { type ProjectedCall, projectJournal } from "./projection.ts";

/** A projected call with what a record needs of its journal's header. */
export type JournaledCall = Omit<ProjectedCall, "header"> & { header: Pick<JournalHeader, "accountId" | "startedAt"> };

/** What is made of the journal of a call that is over; both may be asked for again and again. */
export interface JournalProcessor {
  /** Rejects as `projectJournal` does, and with `renderer_died` when no attempt survived the journal. */
  project(callId: string): Promise<JournaledCall>;
  /** Writes the call's recording; rejects as `renderRecording` does, and with `renderer_died`. */
  render(callId: string): Promise<Recording | undefined>;
}

/** Works in this process, on the journals and recordings of an installation. */
export const localJournalProcessor = (dataDir: string, makeResampler: ResamplerFactory): JournalProcessor => ({
  async project(callId) {
    const { header, ...projected } = await projectJournal(journalPath(dataDir, callId));
    return { ...projected, header: { accountId: header.accountId, startedAt: header.startedAt } };
  },
  render: (callId) => renderRecording(journalPath(dataDir, callId), recordingPath(dataDir, callId), makeResampler),
});
