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

/** What the agent says while a tool takes long. */
export const TOOL_WHILE_RUNNING_CHARS_MAX = 200;

/** How often an idempotent tool is sent again when no answer came, within its timeout, and after which time. */
export const TOOL_RETRIES_MAX = 1;
export const TOOL_RETRY_MS = 250;

/** The JSON Schema of a tool's arguments: its length as JSON, and its nesting. */
export const TOOL_SCHEMA_CHARS_MAX = 8 * 1024;
export const TOOL_SCHEMA_DEPTH_MAX = 8;
export const SELECTED_TOOLS_MAX = 32;

/** How long checking all schemas of a request, or of a server's list, may take, including waiting; past it the response is 503. */
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

// Saved tools.

export const TOOLS_PER_ACCOUNT_MAX = 1_000;

/** Runs of one saved tool that are kept; the oldest of more are deleted within the hour. */
export const TOOL_RUNS_KEPT_MAX = 1_000;

/** For how long a test of a saved tool is kept. Runs of calls are kept as long as their call. */
export const TOOL_TEST_RUN_DAYS = 30;

/** Runs of tools of one call that its end stores; those after them are in its events alone. */
export const TOOL_RUNS_PER_CALL_MAX = 200;

/** Of the arguments of a stored run, as JSON, and of its result; the rest is cut off. */
export const TOOL_RUN_TEXT_CHARS_MAX = 2_000;

/** Events `tool.failed` of one call; the last one says how many more tools failed. */
export const TOOL_FAILED_EVENTS_PER_CALL_MAX = 20;

/** Tests of saved tools at a time, of one account and of all; one more is refused with 429 or 503. */
export const TOOL_TESTS_PER_ACCOUNT_MAX = 4;
export const TOOL_TESTS_MAX = 32;

// MCP servers.

/** Names in `allowedTools`. */
export const MCP_ALLOWED_TOOLS_MAX = 100;

/** Characters of the name of a tool in `allowedTools`. */
export const MCP_TOOL_NAME_CHARS_MAX = 128;

/** Tools of one server that calls can have; those after them are omitted. */
export const MCP_TOOLS_MAX = 64;

/** Tools that are read of a server's list, allowed or not, and its pages; the list ends there. */
export const MCP_TOOLS_READ_MAX = 5_000;
export const MCP_LIST_PAGES_MAX = 50;

/** Bytes of all answers with a server's list; with more the list fails. */
export const MCP_LIST_BYTES_MAX = 1024 * 1024;

/** The schemas of all tools of one server, as JSON: they go into every prompt. Tools after those are omitted. */
export const MCP_SCHEMAS_CHARS_MAX = 64 * 1024;

/** Omitted tools of a server that are named. */
export const MCP_OMITTED_TOOLS_NAMED_MAX = 50;

/** Tools of MCP servers in one call, beside its other tools; those after them are omitted. */
export const MCP_TOOLS_PER_CALL_MAX = 64;

/** Servers that requests wait for while they list their tools, of one account and of all; one more is refused with 429 or 503. */
export const MCP_LISTINGS_PER_ACCOUNT_MAX = 4;
export const MCP_LISTINGS_MAX = 32;

/** How long listing the tools of a server may take. */
export const MCP_LIST_MS_MAX = 10_000;

/** A list that is older is refreshed when a call gets it; that call gets the older one. */
export const MCP_LIST_FRESH_MS = 60_000;

/** Bytes of the answers to one tool call, notifications included; with more the tool has failed. */
export const MCP_ANSWER_BYTES_MAX = 128 * 1024;

/** Sessions with servers in one process; one more closes the one that was used least recently. */
export const MCP_SESSIONS_MAX = 1_000;

/** A session that is not used for this long is closed; the next tool call opens another. */
export const MCP_SESSION_IDLE_MS = 300_000;

/** How long the end of a session may take at its server. */
export const MCP_SESSION_END_MS_MAX = 2_000;

/** Requests to MCP servers of one process at a time; one more fails. */
export const MCP_REQUESTS_MAX = 500;

/** How long the process of MCP clients may take to answer that it lives; past it it is replaced. */
export const MCP_PROCESS_SILENT_MS_MAX = 5_000;

/** The heap of the process of MCP clients, MB. */
export const MCP_PROCESS_HEAP_MB_MAX = 256;
