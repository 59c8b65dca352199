// Descriptors: of what the system lets a process have open at once, strangers take no more than calls leave.
/** For what every process needs beside its connections: programs, the other processes, the store, a file that is read. */
export const DESCRIPTORS_RESERVED = 128;

/** A call is its stream and its journal; a connection to the API, and the recording that is fetched on it. */
export const DESCRIPTORS_PER_CALL = 2;
export const DESCRIPTORS_PER_REQUEST = 2;

// Processes.
export const WORKERS_MAX = 64;

/** From the start of a process until it says that it is ready; past it, it is killed. */
export const PROCESS_START_MS_MAX = 30_000;

/** The control process has so long in addition where the database of an earlier version is brought up to date. */
export const MIGRATION_MS_MAX = 3_600_000;

/** How often a process tells the supervisor that its loop turns. */
export const HEARTBEAT_MS = 250;

/** A worker that was silent for so long is killed and replaced: none of its callers has heard anything meanwhile. */
export const WORKER_STALL_MS_MAX = 2_000;

/** The control process has longer: live calls do not wait for it. */
export const CONTROL_STALL_MS_MAX = 10_000;

/** A process that died is started again after this; after twice as long each time that it was up for less than PROCESS_STABLE_MS. */
export const RESTART_MS_MIN = 100;
export const RESTART_MS_MAX = 5_000;
export const PROCESS_STABLE_MS = 2_000;

/** So long behind a start the next spare process is loaded. */
export const SPARE_START_DELAY_MS = 1_000;

/** What may come behind DRAIN_MS, goodbyes, last records and whatever hangs; then the service has ended. */
export const DRAIN_EXIT_MS_MAX = 5_000;

/** The last part of it is the control process's alone. */
export const DRAIN_RECORDS_MS = 1_000;

// The metrics.
/** A worker that has not told its metrics by then is missing from the scrape. Well below what a scraper waits, 10 s by default. */
export const METRICS_ANSWER_MS_MAX = 1_000;

/** Bounds of what a process may have open. */

/**
 * Descriptors without which the service does not start. Node opens the files of many modules at once while it loads them: with 256 a
 * process fails in the middle of that. With so many a worker has room for 192 calls.
 */
export const DESCRIPTORS_MIN = 512;

/** Bounds of the log. */

/** Lines that wait in one process for a reader of standard output that is slow; past it new lines are dropped and counted. */
export const LOG_PENDING_BYTES_MAX = 1024 * 1024;

/** How often standard output is tried again while lines wait. */
export const LOG_RETRY_MS = 50;

/** How long a process that exits waits for a reader to take its last lines; what is left then is lost. */
export const LOG_EXIT_MS_MAX = 250;

/** Tasks of one account that wait for a child process, and of all accounts; one more is refused and counted. */
export const TASKS_PER_ACCOUNT_MAX = 256;
export const TASKS_MAX = 2_048;

/** How long a task waits for its turn; past it, it is refused. */
export const TASK_WAIT_MS_MAX = 5_000;

/** How long a task runs by the wall clock, where the machine gives its process little of the processor; past it, it is refused. */
export const TASK_RUN_MS_MAX = 2_000;

/** What it costs to start a child; charged to the account whose task ended the one before. */
export const TASK_PROCESS_START_CPU_MS = 170;

/**
 * From one start to the next at least; tasks wait meanwhile. A start copies the page tables of the process that starts it: 2 ms of its
 * loop where that has 50 MB, 21 ms where it has 550 MB, so at most 4.2 % of the loop.
 */
export const TASK_PROCESS_START_INTERVAL_MS = 500;

/** JavaScript heap of a child; with more it is ended and replaced. */
export const TASK_PROCESS_HEAP_MB_MAX = 96;

/** Memory of a child, whatever it is used for; with more it is ended and replaced. It begins with 60 MB. */
export const TASK_PROCESS_RSS_MB_MAX = 256;

/** With more between two tasks it is replaced, so that no task is ended for what others have left. */
export const TASK_PROCESS_REPLACE_RSS_MB = 160;

/** A running task is looked at so often from within its process, which ends itself... */
export const TASK_WATCHDOG_INTERVAL_MS = 20;

/** ...at so much CPU time beyond the budget: its parent, which ends it at the budget, stands still. */
export const TASK_CPU_GRACE_MS = 500;

/** Priority of a child, as nice(1) counts it: it takes no processor from the loop that carries media. */
export const TASK_PROCESS_NICE = 5;
