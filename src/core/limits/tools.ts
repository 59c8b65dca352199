/** How many times the LLM may request tools within one reply; after that it is offered none. */
export const TOOL_ROUNDS_MAX = 6;

/** Tool calls in one LLM response; further ones are refused, and the LLM gets the refusals as results. */
export const TOOL_CALLS_PER_ROUND_MAX = 8;

/** Arguments of one tool call, as JSON; a call with longer ones is refused. */
export const TOOL_ARGUMENTS_CHARS_MAX = 16 * 1024;

/** Arguments of all tool calls in one LLM response; calls that exceed it are refused. */
export const TOOL_ARGUMENTS_CHARS_PER_REPLY_MAX = 64 * 1024;

/** Tool calls in one LLM response that get a result, at least a refusal; a response with more is stopped. */
export const TOOL_CALLS_PER_REPLY_MAX = 1_000;

/** Nesting of lists and objects in the arguments: deeper values could not be serialized again. */
export const TOOL_ARGUMENTS_PARTS_MAX = 1_000;

/** How much of a tool's result the LLM gets; the rest is cut off. */
export const TOOL_RESULT_CHARS_MAX = 16 * 1024;

/** How long a tool may take from the tool call to its result. */
export const TOOL_TIMEOUT_MS_DEFAULT = 10_000;
export const TOOL_TIMEOUT_MS_MIN = 1_000;
export const TOOL_TIMEOUT_MS_MAX = 30_000;

/** Concurrent tools of one call, including those of interrupted replies; one more fails, and the LLM gets the failure as its result. */
export const TOOLS_RUNNING_MAX = 16;

/** Bytes of the response to an HTTP tool; with more the tool has failed. */
export const TOOL_ANSWER_BYTES_MAX = 64 * 1024;
export const TOOL_ANSWER_HEAD_BYTES_MAX = 16 * 1024;
export const TOOL_NAME_CHARS_MAX = 64;
export const TOOL_DESCRIPTION_CHARS_MAX = 1_024;
export const TOOL_URL_CHARS_MAX = 2_048;
export const TOOL_HEADERS_MAX = 16;
export const TOOL_HEADER_CHARS_MAX = 2_048;

/** The JSON Schema of a tool's arguments: its length as JSON, and its nesting. */
export const TOOL_SCHEMA_CHARS_MAX = 8 * 1024;
export const TOOL_SCHEMA_DEPTH_MAX = 8;
export const SELECTED_TOOLS_MAX = 32;

/** How long checking all schemas of a request may take, including waiting; past it the response is 503. */
export const SCHEMAS_OF_REQUEST_MS_MAX = 10_000;

/** A tool's result is not truncated below this many characters, however long the prompt is. */
export const TOOL_RESULT_CHARS_MIN = 256;

// Child processes that compile and check JSON Schemas of users.

/**
 * CPU time to compile one schema with its patterns when a call or an agent is created; past it the response is 400. An ordinary
 * schema of 8 KiB takes 10 to 115 ms in a new process.
 */
export const SCHEMA_COMPILE_CPU_MS_MAX = 250;

/** CPU time for all schemas of one request; past it the response is 400. */
export const SCHEMAS_OF_REQUEST_CPU_MS_MAX = 2_000;

/** The length of one regular expression in a schema; a longer one is rejected with 400. Compiling it may take quadratic time. */
export const SCHEMA_PATTERN_CHARS_MAX = 512;

/** CPU time to check the arguments of one tool call, including compiling the schema, which takes longer on a busy machine; past it the tool call fails. */
export const ARGUMENTS_CHECK_CPU_MS_MAX = SCHEMA_COMPILE_CPU_MS_MAX + 100;

/** Characters of the reason why arguments do not fit, which goes into the prompt; the rest is cut off. A pattern alone may have 512. */
export const INVALID_ARGUMENTS_REASON_CHARS_MAX = 300;

/** After this many checks of one tool that exceeded the budget, further calls of the tool fail at once. */
export const CHECKS_OVER_BUDGET_MAX = 3;

/** CPU time of the reference LLM to choose the tools of one reply; past it the reply uses none. */
export const TOOL_PLAN_CPU_MS_MAX = 200;

/** Compiled schemas in the cache of a child, the most recently used ones. */
export const COMPILED_SCHEMAS_MAX = 64;
