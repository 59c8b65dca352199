import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import type { RetainedPart } from "../../core/retention.ts";

/** An ended call of which a part is to be deleted. */
export interface DueCall {
  id: CallId;
  endedAtMs: EpochMs;
}

export interface DueQuery {
  /** The part that the calls still have. */
  part: RetainedPart;
  /** Calls that ended before this time. */
  endedBeforeMs: EpochMs;
  /** Only calls after this one in the list's order. */
  after?: DueCall | undefined;
  /** The maximum number of calls; at least 1. */
  limit: number;
}

/** Which files of a call may be there. */
export interface KeptCall {
  /** Undefined for a call that is not over. */
  endedAtMs: EpochMs | undefined;
  /** Its stream was never connected, as far as the store knows. */
  isExpired: boolean;
  /** Its recording and its waveform were not deleted. */
  keepsRecording: boolean;
  /** Neither its recording nor its transcript was deleted, with each of which goes its journal. */
  keepsJournal: boolean;
  /** Its settings ask for redaction. */
  isRedacted: boolean;
}

/**
 * Deletes parts of ended calls; `CallStore.remove` deletes whole records. Active calls and calls that wait for their
 * stream are never listed. Every operation rejects with `unavailable` when the store cannot answer at present, and may
 * be repeated.
 */
export interface RetentionStore {
  /** The account's calls that match the query, by the time of their end, earliest first. */
  listDue(accountId: AccountId, query: DueQuery): Promise<readonly DueCall[]>;
  /** What is kept of these calls, at most LOCAL_FILES_PER_QUERY; those that are missing have no record. */
  listKept(callIds: readonly CallId[]): Promise<ReadonlyMap<CallId, KeptCall>>;
  /** Deletes the key of a call's journal and recording, if they are encrypted: they cannot be read afterwards. */
  deleteMediaKey(callId: CallId): Promise<void>;
  /** Marks the recording of an ended call as deleted; its record shows the time. */
  markRecordingDeleted(callId: CallId): Promise<void>;
  /** Deletes the turns, the parameters, the prompt and the greeting of an ended call; its record shows the time. */
  deleteTranscript(callId: CallId): Promise<void>;
  /** Returns a limited part of the freed space to the file system. Returns whether there is more. */
  compact(): Promise<boolean>;
  /** Removes deleted data from change logs. Where readers prevent that, the store itself does it later. */
  purgeChangeLog(): Promise<void>;
}
