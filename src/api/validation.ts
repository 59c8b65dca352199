import type { FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { invalidRequest, type Problem } from "./errors.ts";

/** Of a body that is wrong throughout, this many problems are told, and how many more there are. */
const PROBLEMS_MAX = 100;
/** Of a string that is wrong, this much is quoted. */
const QUOTED_CHARS_MAX = 40;
/** Names with a meaning of their own in JavaScript: copying one can change what an object is. No honest body has any. */
const RESERVED_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

export type Path = readonly PropertyKey[];

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Makes Fastify validate by zod, with every problem told at once as ApiError `invalid_request`. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    const result = schema.safeParse(data, { reportInput: true });
    const problems = result.success ? [] : problemsOf(result.error);
    const known = new Set(problems.map((problem) => problem.path));
    for (const problem of unsafeParts(data)) if (!known.has(problem.path)) problems.push(problem);
    return problems.length === 0 ? { value: result.data } : { error: invalidRequest(capped(problems)) };
  };

/** `prefix` is where in the body the parsed value stood. The error must come from a parse with `reportInput`. */
export function problemsOf(error: z.ZodError, prefix: Path = []): Problem[] {
  const problems = error.issues.flatMap((issue): Problem[] => {
    const path = [...prefix, ...issue.path];
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownField(path, key));
    // A rule between fields is broken by an object as a whole: it goes without "not an object".
    if (issue.code === "custom" && typeof issue.input === "object") return [broken(path, issue.message)];
    return [problem(path, issue.message, issue.input)];
  });
  // A number that is neither whole nor within bounds breaks two rules of one sentence.
  const byPath = new Map(problems.map((each) => [`${each.path} ${each.message}`, each]));
  return [...byPath.values()];
}

/** `rule` continues the field's name, for example "must be a boolean". */
export function problem(path: Path, rule: string, value: unknown): Problem {
  return broken(path, `${rule}, ${value === undefined ? "but is missing" : `not ${shown(value)}`}`);
}

const broken = (path: Path, rule: string): Problem => ({ path: pointer(path), message: `${nameOf(path)} ${rule}` });

const nameOf = (path: Path): string => (path.length === 0 ? "the body" : path.map(String).join("."));

/** RFC 6901. */
export const pointer = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function unknownField(path: Path, key: string): Problem {
  return { path: pointer([...path, key]), message: `${nameOf(path)} has no field ${shown(key)}` };
}

/** What the caller sent, as far as it may be repeated: no lists and objects, and of a long string the beginning. */
function shown(value: unknown): string {
  if (typeof value === "string") {
    const quoted = value.length <= QUOTED_CHARS_MAX ? value : `${value.slice(0, QUOTED_CHARS_MAX)}…`;
    return JSON.stringify(quoted);
  }
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value);
}

/** What no schema may let through, wherever in the body it stands. The body's depth has been checked. */
function* unsafeParts(value: unknown, path: Path = []): Generator<Problem> {
  if (typeof value === "number" && !Number.isFinite(value)) {
    yield problem(path, "must be a number of at most 1.7976931348623157e308", value);
  } else if (typeof value === "string" && !isWellFormed(value)) {
    yield broken(path, "must be well-formed Unicode");
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unsafeParts(item, [...path, index]);
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (RESERVED_KEYS.includes(key) || !isWellFormed(key)) yield unknownField(path, key);
      else yield* unsafeParts(child, [...path, key]);
    }
  }
}

/** Half a surrogate pair, which JSON can spell, has no UTF-8: stored and read again it would be something else. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

function capped(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= PROBLEMS_MAX) return problems;
  const more = problems.length - PROBLEMS_MAX;
  return [...problems.slice(0, PROBLEMS_MAX), { path: "", message: `${more} more problems of the same request` }];
}
