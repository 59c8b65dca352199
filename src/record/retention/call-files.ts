import { rm, stat } from "node:fs/promises";
import { systemErrorCodeOf } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import type { RetainedPart } from "../../core/retention.ts";
import { journalPath } from "../journal/reader.ts";
import { recordingPath } from "../recording/render.ts";
import { waveformPath } from "../recording/waveform.ts";

/**
 * The files of a call that hold its audio: its recording with the waveform, and its journal. Incomplete recordings of processes that died
 * are deleted at a start.
 */
export const audioFiles = (dataDir: string, callId: CallId): readonly string[] => [
  recordingPath(dataDir, callId),
  waveformPath(recordingPath(dataDir, callId)),
  journalPath(dataDir, callId),
];

/** The files of a call that hold its words as text. */
export const textFiles = (dataDir: string, callId: CallId): readonly string[] => [journalPath(dataDir, callId)];

/** The files that go with a part of a call. */
export const filesOf = (part: RetainedPart, dataDir: string, callId: CallId): readonly string[] =>
  part === "transcript" ? textFiles(dataDir, callId) : audioFiles(dataDir, callId);

/** The total size of those files that exist. Rejects with the system's error where a file cannot be read. */
export async function bytesOf(paths: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of paths) {
    try {
      bytes += (await stat(path)).size;
    } catch (error) {
      if (systemErrorCodeOf(error) !== "ENOENT") throw error;
    }
  }
  return bytes;
}

/** Deletes the files; missing ones are no error. Returns the bytes that were deleted. */
export async function deleteFiles(paths: readonly string[]): Promise<number> {
  const bytes = await bytesOf(paths);
  for (const path of paths) await rm(path, { force: true });
  return bytes;
}
