import { SESSION_BASE } from "../../app/addresses.ts";

const fileUrl = (of: string, id: string, file: string): string =>
  `${SESSION_BASE}/api/v1/${of}/${encodeURIComponent(id)}/${file}`;

/** Where the audio of a transcription is, while it is kept. */
export const audioUrl = (id: string): string => fileUrl("transcriptions", id, "audio");

/** Where the recording of a call is. */
export const recordingUrl = (callId: string): string => fileUrl("calls", callId, "recording");
