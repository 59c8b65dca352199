/** Bounds of the processes that work with JSON Schemas of users, each with its policy; how large a schema may be stands in `limits.ts`. */

/**
 * CPU time to compile one schema with its patterns when a call or an agent is created; past it the answer is 400. An ordinary one of
 * 8 KiB takes 10 to 115 ms in a process that is new.
 */
export const SCHEMA_COMPILE_CPU_MS_MAX = 250;
/** And for all schemas of one request; past it the answer is 400. */
export const SCHEMAS_OF_REQUEST_CPU_MS_MAX = 2_000;
/** One regular expression in a schema; a longer one is 400. What it costs to compile may grow with the square of it. */
export const SCHEMA_PATTERN_CHARS_MAX = 512;
/** CPU time to check the arguments of one tool call, compiling the schema included, for which a busy machine may need longer; past it the tool call fails. */
export const ARGUMENTS_CHECK_CPU_MS_MAX = SCHEMA_COMPILE_CPU_MS_MAX + 100;
/** Of the reason why arguments do not fit, which the LLM is given and pays for; the rest is cut. A pattern alone may have 512. */
export const INVALID_ARGUMENTS_REASON_CHARS_MAX = 300;
/** After so many checks of one tool that were over it, the call checks that tool no more: it fails at once. */
export const CHECKS_OVER_BUDGET_MAX = 3;
/** CPU time of the reference LLM to choose the tools of one reply; past it the reply uses none. */
export const TOOL_PLAN_CPU_MS_MAX = 200;

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
/** Compiled schemas that a child keeps, the last used ones. */
export const COMPILED_SCHEMAS_MAX = 64;
