import type { Schema } from "../../client/src/index.ts";
import type { Tone } from "../ui/tone.ts";

type Transcription = Schema<"TranscriptionSummary">;

const STATES: Readonly<Record<Transcription["status"], { text: string; tone: Tone }>> = {
  queued: { text: "waiting", tone: "neutral" },
  processing: { text: "in progress", tone: "active" },
  completed: { text: "complete", tone: "good" },
  failed: { text: "failed", tone: "bad" },
  cancelled: { text: "cancelled", tone: "neutral" },
};

const SOURCES: Readonly<Record<Transcription["source"], string>> = {
  upload: "file",
  url: "address",
  call: "recording of a call",
  live: "live stream",
};

/** The state of a transcription in words, and how it is marked. */
export const transcriptionStateOf = (status: Transcription["status"]) => STATES[status];

/** Where its audio comes from, in words. */
export const sourceText = (source: Transcription["source"]): string => SOURCES[source];

const choicesOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

/** The states and the sources by which lists are filtered. */
export const TRANSCRIPTION_STATUS_CHOICES = Object.entries(STATES).map(([value, { text }]) => ({ value, label: text }));
export const TRANSCRIPTION_SOURCE_CHOICES = choicesOf(SOURCES);

/** What a transcription is called on pages. */
export function transcriptionName({
  source,
  fileName,
  url,
  callId,
}: Pick<Transcription, "source" | "fileName" | "url" | "callId">): string {
  if (fileName !== null && fileName !== "") return fileName;
  if (url !== null) return url.split("/").findLast((part) => part !== "") ?? url;
  return callId === null ? sourceText(source) : `Recording of ${callId}`;
}

/** Whether nothing more becomes of it. */
export const isTranscriptionOver = ({ status }: Pick<Transcription, "status">): boolean =>
  status !== "queued" && status !== "processing";
