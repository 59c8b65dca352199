/** How often in one reply the model may ask for tools; after that it is offered none. */
export const TOOL_ROUNDS_MAX = 6;

/** Tools it may ask for at once; the rest is refused, and it is told. */
export const TOOL_CALLS_PER_ROUND_MAX = 8;

/** Arguments of one tool call, as JSON; with more the call is refused. */
export const TOOL_ARGUMENTS_CHARS_MAX = 16 * 1024;

/** And of all calls in one answer of the model; those with which it is more are refused. */
export const TOOL_ARGUMENTS_CHARS_PER_ANSWER_MAX = 64 * 1024;

/** Calls in one answer that are told on, to be refused at least; a model that asks for more is stopped. */
export const TOOL_CALLS_PER_ANSWER_MAX = 1_000;

/** Lists and objects in them: what is nested too deep could not be written again. */
export const TOOL_ARGUMENTS_PARTS_MAX = 1_000;

/** What the model is told of a tool's result; the rest is cut off. */
export const TOOL_RESULT_CHARS_MAX = 16 * 1024;

/** How long a tool may take, from the model's call to the result. */
export const TOOL_TIMEOUT_MS_DEFAULT = 10_000;
export const TOOL_TIMEOUT_MS_MIN = 1_000;
export const TOOL_TIMEOUT_MS_MAX = 30_000;

/** Tools of one call that run at once, those of replies that were cut included; one more fails, and the model is told. */
export const TOOLS_RUNNING_MAX = 16;

/** What is read of the answer to an HTTP tool; with more the tool has failed. */
export const TOOL_ANSWER_BYTES_MAX = 64 * 1024;
export const TOOL_ANSWER_HEAD_BYTES_MAX = 16 * 1024;
export const TOOL_NAME_CHARS_MAX = 64;
export const TOOL_DESCRIPTION_CHARS_MAX = 1_024;
export const TOOL_URL_CHARS_MAX = 2_048;
export const TOOL_HEADERS_MAX = 16;
export const TOOL_HEADER_CHARS_MAX = 2_048;

/** The JSON Schema of a tool's arguments: as JSON, and in levels. */
export const TOOL_SCHEMA_CHARS_MAX = 8 * 1024;
export const TOOL_SCHEMA_DEPTH_MAX = 8;
export const SELECTED_TOOLS_MAX = 32;

/** How long all schemas of a request may take to be checked, waiting included; past it, it is 503. */
export const SCHEMAS_OF_REQUEST_MS_MAX = 10_000;

/** A tool's result is not cut below this, in characters, however long the prompt. */
export const TOOL_RESULT_CHARS_MIN = 256;

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

/** Compiled schemas that a child keeps, the last used ones. */
export const COMPILED_SCHEMAS_MAX = 64;
