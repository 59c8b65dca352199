import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { z } from "zod";
import { isObject } from "../../../core/json.ts";
import { displayPath, type Path, printable } from "../display-path.ts";
import { ApiError, firstProblems, invalidRequest, type Problem } from "../errors.ts";

/** The number of UTF-16 units shown of a wrong string. */
const VALUE_CHARS_MAX = 40;
/** Copying a property with this name changes the object's prototype, so the property cannot be preserved. */
const RESERVED_KEY = "__proto__";

/** Makes Fastify validate with zod; all problems are reported together as ApiError `invalid_request`. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data: unknown) => {
    const result = schema.safeParse(data, { reportInput: true });
    const problems = firstProblems(problemsIn(data, result, httpPart === "querystring" ? "the query" : THE_BODY));
    return result.success && problems.length === 0 ? { value: result.data } : { error: invalidRequest(problems) };
  };

/**
 * The problems that the schema finds in a request whose route has `attachValidation`; when there are any, the request is as
 * received. Any other thrown value says nothing about the request, which then counts as unchecked: it is thrown again.
 */
export function schemaProblems({ validationError }: Pick<FastifyRequest, "validationError">): readonly Problem[] {
  if (validationError === undefined) return [];
  if (validationError instanceof ApiError) return validationError.details;
  throw validationError;
}

const THE_BODY = "the body";

/** `whole` is the name of the data in messages. */
function* problemsIn(data: unknown, result: z.ZodSafeParseResult<unknown>, whole: string): Generator<Problem> {
  if (!result.success) yield* problemsOf(result.error, [], whole);
  const unsafe: UnsafePart[] = [];
  findUnsafe(data, [], unsafe);
  for (const { path, rule, value } of unsafe) {
    yield value === undefined ? problemWithoutValue(path, rule) : problem(path, rule, value);
  }
}

/**
 * Creates each problem on demand: a body can hold more of them than memory does. `prefix` is the path of the parsed value in the
 * body. The error must come from a parse with `reportInput`.
 */
export function* problemsOf(error: z.ZodError, prefix: Path = [], whole = THE_BODY): Generator<Problem> {
  for (const issue of error.issues) {
    const path = [...prefix, ...issue.path];
    if (issue.code === "unrecognized_keys") for (const key of issue.keys) yield unknownField(path, key, whole);
    // A rule about an object as a whole states what it found: "not an object" is not appended.
    else if (issue.code === "custom" && (typeof issue.input === "object" || issue.params?.isSecret === true))
      yield problemWithoutValue(path, issue.message);
    else yield problem(path, issue.message, issue.input);
  }
}

/** `rule` continues the field's name, for example "must be a boolean". */
export function problem(path: Path, rule: string, value: unknown): Problem {
  // Fastify passes null when there is no body.
  if (value === null && path.length === 0) return problemWithoutValue(path, `${rule}, but is missing or null`);
  return problemWithoutValue(path, `${rule}, ${value === undefined ? "but is missing" : `not ${displayValue(value)}`}`);
}

/** A message that does not show the value. */
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

/** The value in a message: lists and objects are not shown, and long strings are truncated. */
function displayValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(printable(truncated(value)));
  // JSON.parse turns 1e999 into Infinity.
  if (value === Infinity) return `a number above ${Number.MAX_VALUE}`;
  if (value === -Infinity) return `a number below -${Number.MAX_VALUE}`;
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A long string ends in an ellipsis after the last grapheme that fits. */
function truncated(text: string): string {
  if (text.length <= VALUE_CHARS_MAX) return text;
  let end = 0;
  // A grapheme that reaches beyond this slice does not fit in any case.
  for (const { index, segment } of graphemes.segment(text.slice(0, 2 * VALUE_CHARS_MAX))) {
    if (index + segment.length > VALUE_CHARS_MAX) break;
    end = index + segment.length;
  }
  return `${text.slice(0, end)}…`;
}

/** A part that no schema may accept; `value` is set when the message shows it. */
interface UnsafePart {
  path: Path;
  rule: string;
  value?: number;
}

/**
 * Adds all unsafe parts of a value to `found`. The body's depth has been checked. `path` is changed in place: a new path for each
 * value, or a generator, costs about 50 ms for a body full of small values (measured).
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

/** An unpaired surrogate, which JSON can express, has no UTF-8 form: it would be something else after being stored and read. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Only white space, controls and invisible marks: there is nothing to read or to speak. */
export const isBlank = (text: string): boolean => !/[^\s\p{Separator}\p{Control}\p{Format}]/u.test(text);
