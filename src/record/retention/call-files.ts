import { rm, stat } from "node:fs/promises";
import { journalPath } from "../journal/reader.ts";
import { recordingPath } from "../recording/render.ts";

/** The files of a call that hold its audio: its recording and its journal. What a lost process left of a recording is swept. */
export const audioFiles = (dataDir: string, callId: string): readonly string[] => [
  recordingPath(dataDir, callId),
  journalPath(dataDir, callId),
];

/** The files of a call that hold its words as text. */
export const textFiles = (dataDir: string, callId: string): readonly string[] => [journalPath(dataDir, callId)];

/** The bytes of those of the files that are there. Rejects with the system's error where it does not let them be seen. */
export async function bytesOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    try {
      bytes += (await stat(path)).size;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return bytes;
}

/** Deletes the files; those that are not there are no error. Returns the bytes that were deleted. */
export async function deleteFiles(paths: readonly string[]): Promise<number> {
  const bytes = await bytesOf(paths);
  for (const path of paths) await rm(path, { force: true });
  return bytes;
}
