import type { RetainedPart } from "../core/retention.ts";

/** An ended call of which a part is to be deleted. */
export interface DueCall {
  id: string;
  /** Milliseconds since the Unix epoch. */
  endedAtMs: number;
}

export interface DueQuery {
  /** The part that the calls still have. */
  what: RetainedPart;
  /** Calls that ended before this time, ms since the Unix epoch. */
  endedBeforeMs: number;
  /** Only calls behind this one in the list's order. */
  after?: DueCall | undefined;
  /** At most so many; at least 1. */
  limit: number;
}

/**
 * Deletes parts of ended calls. Whole records are deleted by `CallStore.remove`. A call that is active, or waits for its stream, is
 * never listed. Every operation rejects with `unavailable` when the store cannot answer just now, and may be repeated.
 */
export interface RetentionStore {
  /** The account's calls that the query asks for, by the time of their end, earliest first. */
  listDue(accountId: string, query: DueQuery): Promise<readonly DueCall[]>;
  /** The recording of an ended call is deleted: its record has none any more, and says since when. */
  markRecordingDeleted(callId: string): Promise<void>;
  /** Deletes the turns of an ended call, and its prompt and greeting. Its record says since when. */
  deleteTranscript(callId: string): Promise<void>;
  /** Gives a bounded part of the room that deletions left back to the file system. Returns whether there is more to give back. */
  compact(): Promise<boolean>;
  /** Removes what change logs still have of what was deleted. What readers prevent is done later, by the store itself. */
  purgeChangeLog(): Promise<void>;
}
