// File descriptors. Unauthenticated connections may use only the descriptors that calls do not need.
/** Reserved in every process for child processes, IPC, the store and open files. */
export const DESCRIPTORS_RESERVED = 128;

/** A call needs its stream and its journal. A request needs its connection and the recording that it downloads. */
export const DESCRIPTORS_PER_CALL = 2;
/** A stream that is relayed to another node needs its connection and that to the node. */
export const DESCRIPTORS_PER_RELAY = 2;
export const DESCRIPTORS_PER_REQUEST = 2;

// Processes.
export const WORKERS_MAX = 64;

/** How long a process may take from its assignment until it is ready; then it is killed. */
export const PROCESS_START_MS_MAX = 30_000;

/** How much longer the control process may take when it migrates the database of an earlier version. */
export const MIGRATION_MS_MAX = 3_600_000;

/** How often a process sends a heartbeat to the supervisor from its event loop. */
export const HEARTBEAT_MS = 250;

/** A worker without a heartbeat for this long is killed and replaced: its callers have received no audio meanwhile. */
export const WORKER_STALL_MS_MAX = 2_000;

/** The control process may be silent for longer: live calls do not wait for it. */
export const CONTROL_STALL_MS_MAX = 10_000;

/** The speech process may be silent for longer, too: it only forwards audio, and its jobs are retried when it is replaced. */
export const SPEECH_STALL_MS_MAX = 5_000;

/** The same holds for the retrieval process, whose questions take some ms each: they are sent again when it is replaced. */
export const RETRIEVAL_STALL_MS_MAX = 5_000;

/** The delay before a process that died is restarted. It doubles each time that the process was up for less than PROCESS_STABLE_MS. */
export const RESTART_MS_MIN = 100;
export const RESTART_MS_MAX = 5_000;
export const PROCESS_STABLE_MS = 2_000;

/** How long after a start the next spare process is loaded. */
export const SPARE_START_DELAY_MS = 1_000;

/** How long goodbyes, last records and hanging processes may take after DRAIN_MS; then the service has stopped. */
export const DRAIN_EXIT_MS_MAX = 5_000;

/** The last part of DRAIN_EXIT_MS_MAX is reserved for the control process. */
export const DRAIN_RECORDS_MS = 1_000;

// Metrics.
/** A worker that has not sent its metrics by then is missing from the scrape. Well below the timeout of a scraper, 10 s by default. */
export const METRICS_ANSWER_MS_MAX = 1_000;

/**
 * The service does not start with fewer descriptors. Node opens many module files at once while it loads them: with 512
 * descriptors a process fails during that now and then. With this many a worker can carry 448 calls.
 */
export const DESCRIPTORS_MIN = 1_024;

// The log.

/** Lines that a process buffers for a slow reader of standard output; past it new lines are dropped and counted. */
export const LOG_PENDING_BYTES_MAX = 1024 * 1024;

/** How often writing to standard output is retried while lines are buffered. */
export const LOG_RETRY_MS = 50;

/** How long an exiting process waits for a reader of its last lines; the rest is lost. */
export const LOG_EXIT_MS_MAX = 250;

// Child processes with a CPU budget.
/** Tasks of one account, and of all accounts, that wait for a child process; one more is refused and counted. */
export const TASKS_PER_ACCOUNT_MAX = 256;
export const TASKS_MAX = 2_048;

/** How long a task may wait for its turn; then it is refused. */
export const TASK_WAIT_MS_MAX = 5_000;

/** How long a task may run by the wall clock, for machines that give its process little CPU time; then it is refused. */
export const TASK_RUN_MS_MAX = 2_000;

/** The CPU time of starting a child; charged to the account whose task ended the previous one. */
export const TASK_PROCESS_START_CPU_MS = 170;

/**
 * The least time between two starts; tasks wait meanwhile. A start copies the page tables of the starting process, which takes 2 ms
 * of its event loop with 50 MB of memory and 21 ms with 550 MB, so at most 4.2 % of the event loop.
 */
export const TASK_PROCESS_START_INTERVAL_MS = 500;

/** JavaScript heap of a child; with more it is killed and replaced. */
export const TASK_PROCESS_HEAP_MB_MAX = 96;

/** All memory of a child; with more it is killed and replaced. A new child has 60 MB. */
export const TASK_PROCESS_RSS_MB_MAX = 256;

/** A child with more memory than this between two tasks is replaced, so that no task fails for memory that others have used. */
export const TASK_PROCESS_REPLACE_RSS_MB = 160;

/** How often a watchdog thread within the child checks the running task. */
export const TASK_WATCHDOG_INTERVAL_MS = 20;

/** CPU time beyond the budget at which the watchdog ends the child: its parent, which ends it at the budget, is blocked. */
export const TASK_CPU_GRACE_MS = 500;

/** The nice(1) value of a child: it must not take CPU time from the event loop that carries media. */
export const TASK_PROCESS_NICE = 5;

/** The nice(1) value of the control process's main thread: below the media workers. */
export const CONTROL_NICE = 10;
