import { asCallId, type CallId } from "../../core/ids.ts";

/**
 * `live`: the bytes that the worker wrote, while it writes them. Each redaction has an edition of its own, which replaces them when the
 * call is over.
 */
export type Edition = "live" | `redacted-${string}`;

export const isEdition = (text: string): text is Edition => text === "live" || text.startsWith("redacted-");

const OFFSET_DIGITS = 15;

/** Below this are all journals. */
export const JOURNALS_PREFIX = "journals/";
/** Below this are all recordings, with their waveforms. */
export const RECORDINGS_PREFIX = "recordings/";

/** Below this is everything of a call's journal. */
export const journalPrefix = (callId: CallId): string => `${JOURNALS_PREFIX}${callId}/`;

/** A stretch of a journal that begins with this byte. */
export const segmentKey = (callId: CallId, edition: Edition, offset: number): string =>
  `${journalPrefix(callId)}${edition}/${String(offset).padStart(OFFSET_DIGITS, "0")}`;

/** What says that a journal is complete, and which edition it is. */
export const manifestKey = (callId: CallId): string => `${journalPrefix(callId)}journal.json`;

export const recordingKey = (callId: CallId): string => `${RECORDINGS_PREFIX}${callId}.wav`;

export const waveformKey = (callId: CallId): string => `${RECORDINGS_PREFIX}${callId}.peaks`;

/** The edition and the first byte of a segment with this key; undefined for the key of anything else. */
export function segmentOf(key: string, callId: CallId): { edition: Edition; offset: number } | undefined {
  const [edition = "", offset] = key.slice(journalPrefix(callId).length).split("/");
  return offset !== undefined && isEdition(edition) ? { edition, offset: Number(offset) } : undefined;
}

/** The call whose journal, recording or waveform has this key; undefined for the key of anything else. */
export function callOfKey(key: string): CallId | undefined {
  const [, id] = /^(?:journals\/([^/]+)\/.+|recordings\/([^/]+)\.(?:wav|peaks))$/.exec(key)?.filter(Boolean) ?? [];
  return id === undefined ? undefined : asCallId(id);
}
