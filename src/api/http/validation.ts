import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { isObject } from "../../core/json.ts";
import { displayPath, type Path, printable } from "./display-path.ts";
import { ApiError, firstProblems, invalidRequest, type Problem } from "./errors.ts";

/** Of a string that is wrong, this much is shown; in UTF-16 units. */
const VALUE_CHARS_MAX = 40;
/** Copying a property of this name changes what an object is, so it cannot be kept as it came. */
const RESERVED_KEY = "__proto__";

export type { Path };

/** Makes Fastify validate by zod, with every problem told at once as ApiError `invalid_request`. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    const result = schema.safeParse(data, { reportInput: true });
    const problems = firstProblems(problemsIn(data, result, httpPart === "querystring" ? "the query" : THE_BODY));
    return result.success && problems.length === 0 ? { value: result.data } : { error: invalidRequest(problems) };
  };

/**
 * What the schema has against a request whose route has `attachValidation`; with anything in it the request is as it came.
 * Whatever else was thrown says nothing about the request, which must then not be taken for a checked one: it is thrown on.
 */
export function schemaProblems({ validationError }: Pick<FastifyRequest, "validationError">): readonly Problem[] {
  if (validationError === undefined) return [];
  if (validationError instanceof ApiError) return validationError.details;
  throw validationError;
}

const THE_BODY = "the body";

/** `whole` is what messages call the data. */
function* problemsIn(data: unknown, result: z.ZodSafeParseResult<unknown>, whole: string): Generator<Problem> {
  if (!result.success) yield* problemsOf(result.error, [], whole);
  const unsafe: UnsafePart[] = [];
  findUnsafe(data, [], unsafe);
  for (const { path, rule, value } of unsafe) {
    yield value === undefined ? problemWithoutValue(path, rule) : problem(path, rule, value);
  }
}

/**
 * Each problem is made when it is asked for: a body can hold more of them than memory does.
 * `prefix` is where in the body the parsed value stood. The error must come from a parse with `reportInput`.
 */
export function* problemsOf(error: z.ZodError, prefix: Path = [], whole = THE_BODY): Generator<Problem> {
  for (const issue of error.issues) {
    const path = [...prefix, ...issue.path];
    if (issue.code === "unrecognized_keys") for (const key of issue.keys) yield unknownField(path, key, whole);
    // A rule about an object as a whole says itself what it found: it goes without "not an object".
    else if (issue.code === "custom" && typeof issue.input === "object") yield problemWithoutValue(path, issue.message);
    else yield problem(path, issue.message, issue.input);
  }
}

/** `rule` continues the field's name, for example "must be a boolean". */
export function problem(path: Path, rule: string, value: unknown): Problem {
  // Fastify hands on null when there is no body.
  if (value === null && path.length === 0) return problemWithoutValue(path, `${rule}, but is missing or null`);
  return problemWithoutValue(path, `${rule}, ${value === undefined ? "but is missing" : `not ${displayValue(value)}`}`);
}

/** Says what is wrong without what was sent. */
export function problemWithoutValue(path: Path, rule: string): Problem {
  const { pointer, name, isWhole } = displayPath(path);
  return { path: pointer, message: `${isWhole ? "" : "a field inside "}${name || THE_BODY} ${rule}` };
}

function unknownField(path: Path, key: string, whole: string): Problem {
  const { pointer, isWhole } = displayPath([...path, key]);
  const object = displayPath(path);
  const inside = object.isWhole ? "" : "a field inside ";
  const what = isWhole
    ? `no field ${JSON.stringify(printable(key))}`
    : `an unknown field, whose name has ${key.length} characters`;
  return { path: pointer, message: `${inside}${object.name || whole} has ${what}` };
}

/** What the caller sent, as far as it may be repeated: no lists and objects, and of a long string the beginning. */
function displayValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(printable(truncated(value)));
  // What JSON.parse makes of 1e999.
  if (value === Infinity) return `a number above ${Number.MAX_VALUE}`;
  if (value === -Infinity) return `a number below -${Number.MAX_VALUE}`;
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A long string ends in an ellipsis, behind the last grapheme that is there as a whole. */
function truncated(text: string): string {
  if (text.length <= VALUE_CHARS_MAX) return text;
  let end = 0;
  // Of a grapheme that reaches beyond these it is known that it does not fit.
  for (const { index, segment } of graphemes.segment(text.slice(0, 2 * VALUE_CHARS_MAX))) {
    if (index + segment.length > VALUE_CHARS_MAX) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end)}…`;
}

/** What no schema may let through; `value` where the message is to show it. */
interface UnsafePart {
  path: Path;
  rule: string;
  value?: number;
}

/**
 * Adds all unsafe parts of a value, wherever they stand in it, to `found`. The body's depth has been checked. `path` is lent:
 * a path for each value, or a generator, costs some 50 ms for a body full of small values (measured).
 */
function findUnsafe(value: unknown, path: PropertyKey[], found: UnsafePart[]): void {
  if (typeof value === "number" && !Number.isFinite(value)) {
    found.push({ path: [...path], rule: "must be a finite number", value });
  } else if (typeof value === "string" && !isWellFormed(value)) {
    found.push({ path: [...path], rule: "must be well-formed Unicode" });
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index);
      findUnsafe(value[index], path, found);
      path.pop();
    }
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      path.push(key);
      if (key === RESERVED_KEY) found.push({ path: [...path], rule: "is a name that is reserved" });
      else if (!isWellFormed(key)) found.push({ path: [...path], rule: "must have a name in well-formed Unicode" });
      else findUnsafe(value[key], path, found);
      path.pop();
    }
  }
}

/** Half a surrogate pair, which JSON can spell, has no UTF-8: stored and read again it would be something else. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Nothing but white space, controls and marks that nobody sees: there is nothing in it to read or to say. */
export const isBlank = (text: string): boolean => !/[^\s\p{Separator}\p{Control}\p{Format}]/u.test(text);
