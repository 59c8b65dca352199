import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, JobId, NodeName } from "../core/ids.ts";

/** `pending` and `running` jobs are live. A `dead` job has used up its attempts or its time; it stays until it is replayed or deleted. */
export const JOB_STATUSES = ["pending", "running", "dead"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Work that must be done once, whatever happens to the process. */
export interface NewJob {
  /** Names the handler. A runner that does not know it leaves the job to one that does. */
  kind: string;
  /** JSON, of at most JOB_PAYLOAD_BYTES_MAX. Ids, not content: rows with words belong to calls, which retention deletes. */
  payload: object;
  /** The account it works for; undefined for the service's own. */
  accountId?: AccountId | undefined;
  /** Of the jobs of one lane, such as the deliveries to one endpoint, a runner has only a few in progress. The kind by default. */
  lane?: string | undefined;
  /** Of the live jobs of one kind at most one has this key; another is not stored. */
  key?: string | undefined;
  /** When it is due: at once by default. */
  delayMs?: number | undefined;
  /** After this long it is not attempted any more; undefined for no limit. */
  deadlineMs?: number | undefined;
  /** The node of a cluster that does it; any by default, but for MOVABLE_JOB_KINDS and, without a bucket, FILE_JOB_KINDS: the node that stores them. */
  node?: NodeName | undefined;
}

/** A job that a runner has claimed. */
export interface ClaimedJob {
  id: JobId;
  kind: string;
  lane: string;
  accountId?: AccountId;
  payload: unknown;
  /** 1 for the first attempt. An attempt whose runner was lost does not count. */
  attempt: number;
  /** How often its runner was lost. */
  losses: number;
  createdAtMs: EpochMs;
  /** How long until its deadline; absent where it has none. */
  remainingMs?: number;
  /** What the handler reported last, in this attempt or an earlier one. */
  progress?: unknown;
}

/** A job as lists show it. */
export interface JobRecord {
  id: JobId;
  kind: string;
  accountId?: AccountId;
  payload: unknown;
  status: JobStatus;
  /** While it is live: see `NewJob`. */
  key?: string;
  attempts: number;
  createdAtMs: EpochMs;
  /** Why the last attempt failed; without secrets and words of calls. */
  lastError?: string;
  progress?: unknown;
}

/** Which jobs a runner takes. */
export interface JobClaim {
  /** Differs at each start of a runner. */
  runnerId: string;
  /** The kinds that it knows. */
  kinds: readonly string[];
  /** Lanes that have enough jobs in progress. */
  fullLanes: readonly string[];
  /** The maximum number of jobs; at least 1. */
  limit: number;
}

/** What became of an attempt. */
export type JobOutcome =
  | { kind: "done" }
  /** Done, and to be done again after `delayMs`, with all its attempts. */
  | { kind: "again"; delayMs: number }
  /** To be attempted again after `delayMs`. */
  | { kind: "retry"; delayMs: number; error: string }
  | { kind: "dead"; error: string };

export interface JobQuery {
  status?: JobStatus | undefined;
  kind?: string | undefined;
  afterJobId?: JobId | undefined;
  /** At least 1. */
  limit: number;
}

/**
 * Durable jobs. A job is attempted at least once, and more often when its runner is lost: a handler's effects must bear
 * repetition. A claim lasts JOB_LEASE_MS and is extended while the job is in progress; then the job is pending again.
 * Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface JobStore {
  /** Stores a job; undefined when a live one of its kind has its key. */
  enqueue(job: NewJob): Promise<JobId | undefined>;
  /** Called after the commit of every new job that is due at once, by this store. */
  onEnqueued(listener: () => void): void;
  /** Claims jobs that are due, the longest due first. */
  claim(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  /** Extends the claims of a runner. Returns those of `ids` that it no longer has, because they were cancelled or lost. */
  extend(runnerId: string, ids: readonly JobId[]): Promise<readonly JobId[]>;
  /** Stores what became of attempts. Nothing changes for a job that the runner no longer has. */
  settle(runnerId: string, outcomes: ReadonlyMap<JobId, JobOutcome>): Promise<void>;
  /** Stores what a handler has done so far. */
  reportProgress(runnerId: string, id: JobId, progress: unknown): Promise<void>;
  /** Ends the claims of a runner that is gone; their jobs are pending again. */
  release(runnerId: string): Promise<void>;
  /**
   * Deletes a live job; one in progress is aborted when its runner extends its claim. A fact that waits for it, such as
   * a delivery, has failed. Returns whether there was one.
   */
  cancel(id: JobId): Promise<boolean>;
  get(id: JobId): Promise<JobRecord | undefined>;
  /** Jobs, newest first, and whether others follow. */
  list(query: JobQuery): Promise<{ jobs: readonly JobRecord[]; more: boolean }>;
  /** Makes dead jobs pending again, with all their attempts; all of a kind, or those with these ids. Returns how many. */
  replay(which: { kind: string } | { ids: readonly JobId[] }): Promise<number>;
  /** Deletes dead jobs that died before this time, a limited number. Returns how many. */
  deleteDead(diedBeforeMs: EpochMs): Promise<number>;
  /** As `statistics`; of each status at most `countedMax` are counted. */
  load(countedMax: number): Promise<JobLoad>;
  /** How many jobs there are, and for how long the one that is due the longest has waited. Reads all of them. */
  statistics(): Promise<JobStatistics>;
}

export interface JobLoad {
  counts: Readonly<Record<JobStatus, number>>;
  /** The same by kind, of kinds that have jobs. */
  byKind: JobStatistics["counts"];
  /** 0 when none is due. */
  oldestDueMs: number;
}

export interface JobStatistics {
  counts: readonly { kind: string; status: JobStatus; jobs: number }[];
  /** 0 when none is due. */
  oldestDueMs: number;
}
