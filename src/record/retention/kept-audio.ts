import type { Transcription } from "../../store/transcription-store.ts";

/** Whether the audio of a transcription stays when that is over, until retention deletes it. */
export function keepsAudio(
  { hasAudio, deletesAudio, source, options }: Transcription,
  encryptsMedia: boolean,
): boolean {
  const isRedacted = options.redact !== undefined && options.redact.length > 0;
  // A copy of a recording would outlive its call. A file that should be gone was written after the end.
  return hasAudio && !deletesAudio && !encryptsMedia && !isRedacted && source !== "call";
}
