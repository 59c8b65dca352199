/** Bounds of the threads that work with JSON Schemas of users, each with its policy; how large a schema may be stands in `limits.ts`. */

/** CPU time to compile one schema when a call or an agent is created; past it the answer is 400. An honest one of 8 KiB takes 10 ms. */
export const SCHEMA_COMPILE_CPU_MS_MAX = 50;
/** And for all schemas of one request; past it the answer is 400. */
export const SCHEMAS_OF_REQUEST_CPU_MS_MAX = 500;
/** CPU time to check the arguments of one tool call, compiling the schema included, for which a busy machine may need longer; past it the tool call fails. */
export const ARGUMENTS_CHECK_CPU_MS_MAX = 3 * SCHEMA_COMPILE_CPU_MS_MAX;
/** After so many checks of one tool that were over it, the call checks that tool no more: it fails at once. */
export const CHECKS_OVER_BUDGET_MAX = 3;
/** CPU time of the reference LLM to choose the tools of one reply; past it the reply uses none. */
export const TOOL_PLAN_CPU_MS_MAX = 200;

/** Tasks of one account that wait for a thread, and of all accounts; one more is refused and counted. */
export const THREAD_TASKS_PER_ACCOUNT_MAX = 256;
export const THREAD_TASKS_MAX = 2_048;
/** How long a task waits for its turn; past it, it is refused. */
export const THREAD_WAIT_MS_MAX = 5_000;
/** How long a task runs by the wall clock, where the machine gives its thread little of the processor; past it, it is refused. */
export const THREAD_RUN_MS_MAX = 2_000;
/** What a new thread costs its process; charged to the account whose task ended the one before. */
export const THREAD_START_CPU_MS = 150;
/** JavaScript heap of a thread; with more it is ended and replaced. */
export const THREAD_HEAP_MB_MAX = 96;
/** Priority of a thread, as nice(1) counts it: it takes no processor from the loop that carries media. */
export const THREAD_NICE = 5;
/** Compiled schemas that a thread keeps, the last used ones. */
export const COMPILED_SCHEMAS_MAX = 64;
