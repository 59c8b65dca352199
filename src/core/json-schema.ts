import { createContext, Script } from "node:vm";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import {
  TOOL_CHECK_MS_MAX,
  TOOL_CHECK_TIMEOUTS_MAX,
  TOOL_COMPILE_CPU_MS_MAX,
  TOOL_COMPILE_MS_MAX,
  TOOL_SCHEMA_CHARS_MAX,
  TOOL_SCHEMA_DEPTH_MAX,
} from "./limits.ts";

// JSON Schema by ajv, for schemas that strangers wrote: a pattern that backtracks, or references that double with each step,
// would hold the process, so whatever ajv does with one runs against a deadline that V8 enforces.

/** Formats are for the model alone; of what is wrong the first thing is told, which a model can mend. */
function makeAjv(): Ajv2020 {
  const made = new Ajv2020({
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    inlineRefs: false,
    logger: false,
  });
  // The first one takes ajv some 50 ms, which are better spent before there are calls.
  made.compile({ type: "object" });
  return made;
}

let ajv = makeAjv();

/** Tells what is wrong with a value, in words that quote nothing of it; undefined when nothing is. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** What is wrong with a JSON Schema, as a rule that continues a field's name; undefined when nothing is. */
export function schemaProblem(schema: Readonly<Record<string, unknown>>): string | undefined {
  const chars = JSON.stringify(schema).length;
  if (chars > TOOL_SCHEMA_CHARS_MAX)
    return `must take at most ${TOOL_SCHEMA_CHARS_MAX} characters as JSON, not ${chars}`;
  if (levelsOf(schema) > TOOL_SCHEMA_DEPTH_MAX) return `must have at most ${TOOL_SCHEMA_DEPTH_MAX} levels`;
  if (schema.type !== "object") return 'must be a JSON Schema of the type "object"';
  const foreign = foreignKeyword(schema);
  if (foreign !== undefined) return `must not use ${foreign}`;
  const compiled = compile(schema);
  if (typeof compiled === "function") return undefined;
  return compiled === "slow" ? SLOW_SCHEMA : "must be a JSON Schema that can be compiled";
}

/** The rule of `schemaProblem` for schemas of which no more should be tried in a row. */
export const SLOW_SCHEMA = "must be a JSON Schema that is compiled in no time";

/** Undefined when it cannot be compiled, or not in time. */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck | undefined {
  const compiled = compile(schema);
  return typeof compiled === "function" ? compiled : undefined;
}

function compile(schema: Readonly<Record<string, unknown>>): SchemaCheck | "invalid" | "slow" {
  const { $schema: _, ...dialect2020 } = schema;
  const before = process.cpuUsage();
  try {
    const validate = within(TOOL_COMPILE_MS_MAX, () => ajv.compile(dialect2020));
    const { user, system } = process.cpuUsage(before);
    // The deadline goes by the clock, and leaves room for a machine that is busy with other things.
    return user + system > TOOL_COMPILE_CPU_MS_MAX * 1_000 ? "slow" : checkOf(validate);
  } catch (error) {
    if (!isTimeout(error)) return "invalid";
    // It was stopped in the midst of whatever it was at, and no `finally` of its own has run.
    ajv = makeAjv();
    return "slow";
  } finally {
    // Ajv would keep it for good.
    ajv.removeSchema(dialect2020);
  }
}

function checkOf(validate: ValidateFunction): SchemaCheck {
  let timeouts = 0;
  return (value) => {
    // Whoever wrote a schema that takes so long shall not hold the process with it again and again.
    if (timeouts >= TOOL_CHECK_TIMEOUTS_MAX) return TOO_SLOW;
    try {
      return within(TOOL_CHECK_MS_MAX, () => (validate(value) ? undefined : ajv.errorsText(validate.errors, NAMELESS)));
    } catch (error) {
      if (!isTimeout(error) && !isTooDeep(error)) throw error;
      timeouts += 1;
      return TOO_SLOW;
    }
  };
}

const NAMELESS = { dataVar: "" };
/** What a SchemaCheck tells where it did not come to an end. */
export const TOO_SLOW = "they take too long to check";

/** The error comes out of a realm of its own, so it is no instance of ours. */
const isTimeout = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

/** References that lead round in a circle, which ajv follows as far as the stack reaches. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError;

/** Runs `task`; throws when that takes longer than `msMax`, whatever it is at. */
function within<T>(msMax: number, task: () => T): T {
  let result: { value: T } | undefined;
  bounded.task = () => {
    result = { value: task() };
  };
  try {
    runTask.runInContext(bounded, { timeout: msMax });
  } finally {
    bounded.task = undefined;
  }
  if (result === undefined) throw new Error("the task did not run");
  return (result as { value: T }).value;
}

const bounded: { task?: (() => void) | undefined } = createContext({ task: undefined });
const runTask = new Script("task()");

/** A keyword that leads out of the schema, or makes it more than one; keys are looked at wherever they stand. */
function foreignKeyword(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    if (FOREIGN.includes(key)) return key;
    if (key === "$ref" && !(typeof child === "string" && child.startsWith("#"))) return "a $ref to elsewhere";
    const within = foreignKeyword(child);
    if (within !== undefined) return within;
  }
  return undefined;
}

const FOREIGN: readonly string[] = ["$id", "$async", "$dynamicRef", "$recursiveRef", "$vocabulary"];

/** How deep objects and lists stand in each other. Recursion goes no deeper than what was parsed of a request. */
export function levelsOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let levels = 0;
  for (const child of Object.values(value)) levels = Math.max(levels, levelsOf(child));
  return 1 + levels;
}
