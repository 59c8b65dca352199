// Durable jobs: src/jobs.

/** The payload of a job: ids and options. A larger one is a bug. */
export const JOB_PAYLOAD_BYTES_MAX = 16 * 1024;

/** How long a claim lasts without being extended: a job whose runner has died is taken by another after this. */
export const JOB_LEASE_MS = 10_000;

/** How often a runner extends its claims. */
export const JOB_HEARTBEAT_MS = 2_500;

/** How often a runner looks for jobs that have become due, or whose runner is lost. New jobs of its own process wake it. */
export const JOB_POLL_MS = 500;

/** How often the runner of a job may be lost; the job may be what ends it. A loss is no failed attempt. */
export const JOB_LOSSES_MAX = 20;

/**
 * A job that was lost more often than this is attempted again at a random time within the first of these, which doubles with
 * each further loss up to the second. One of the jobs that were in progress together ends their runners, and it must not take
 * the others with it each time.
 */
export const JOB_LOSSES_TOGETHER_MAX = 2;
export const JOB_SEPARATION_MS_FIRST = 1_000;
export const JOB_SEPARATION_MS_MAX = 600_000;

/** How often the counts of jobs are read for the metrics, and how far they are counted: SQLite blocks the event loop meanwhile. */
export const JOB_STATISTICS_MS = 10_000;
export const JOBS_COUNTED_MAX = 100_000;

/** Jobs that a runner has in progress, and those of one lane. */
export const JOBS_CONCURRENT_MAX = 64;
export const JOBS_PER_LANE_MAX = 8;

/** While so many outcomes are not stored yet, no job is claimed: a store that answers claims and no writes would have all jobs done again and again. */
export const JOBS_UNSETTLED_MAX = 128;

/** While jobs are due, so many slots are filled together. */
export const JOBS_PER_CLAIM_MIN = 8;

/** Jobs that one query claims, and due jobs of full lanes that it skips before it looks at each lane by itself. */
export const JOBS_PER_CLAIM_MAX = 32;
export const JOBS_PASSED_PER_CLAIM_MAX = 64;

/** How often the progress of a job is stored. An attempt that is shorter stores none. */
export const JOB_PROGRESS_MS = 2_000;

/** The text of an error in a job's row. */
export const JOB_ERROR_CHARS_MAX = 500;

/** How long dead jobs stay. */
export const DEAD_JOB_DAYS = 30;

/** Rows that one query deletes or replays. */
export const JOB_ROWS_PER_QUERY = 500;
