// Durable jobs: src/jobs.

/** The payload of a job: ids and options. */
export const JOB_PAYLOAD_BYTES_MAX = 16 * 1024;

/** How long a claim lasts without being extended: a job whose runner has died is taken by another after this. */
export const JOB_LEASE_MS = 10_000;

/** How often a runner extends its claims. */
export const JOB_HEARTBEAT_MS = 2_500;

/** How often a runner looks for jobs that have become due, or whose runner is lost. New jobs of its own process wake it. */
export const JOB_POLL_MS = 500;

/** How often the runner of a job may be lost; the job may be what ends it. A loss is no failed attempt. */
export const JOB_LOSSES_MAX = 20;

/** How often the counts of jobs are read for the metrics. */
export const JOB_STATISTICS_MS = 10_000;

/** Jobs that a runner has in progress, and those of one lane. */
export const JOBS_CONCURRENT_MAX = 64;
export const JOBS_PER_LANE_MAX = 8;

/** Jobs that one query claims. */
export const JOBS_PER_CLAIM_MAX = 32;

/** The text of an error in a job's row. */
export const JOB_ERROR_CHARS_MAX = 500;

/** How long dead jobs stay. */
export const DEAD_JOB_DAYS = 30;

/** Rows that one query deletes or replays. */
export const JOB_ROWS_PER_QUERY = 500;
