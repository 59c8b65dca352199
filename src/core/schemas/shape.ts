import { SCHEMA_PATTERN_CHARS_MAX, TOOL_SCHEMA_CHARS_MAX, TOOL_SCHEMA_DEPTH_MAX } from "../limits/agents/tools.ts";

/**
 * What is wrong with the shape of a JSON Schema, as a text that continues a field's name; undefined when nothing is. The schema
 * checker finds out whether it can be compiled. `json` is the same schema as JSON.
 */
export function schemaProblem(schema: Readonly<Record<string, unknown>>, json: string): string | undefined {
  const chars = json.length;
  if (chars > TOOL_SCHEMA_CHARS_MAX)
    return `must take at most ${TOOL_SCHEMA_CHARS_MAX} characters as JSON, not ${chars}`;
  if (depthOf(schema) > TOOL_SCHEMA_DEPTH_MAX) return `must have at most ${TOOL_SCHEMA_DEPTH_MAX} levels`;
  if (schema.type !== "object") return 'must be a JSON Schema of the type "object"';
  const foreign = findForbiddenKeyword(schema);
  if (foreign !== undefined) return `must not use ${foreign}`;
  const long = findLongPattern(schema, "");
  if (long === undefined) return undefined;
  return `must have patterns of at most ${SCHEMA_PATTERN_CHARS_MAX} characters, not ${long.chars} as in ${long.at}`;
}

/** How many characters of a place in a schema a response quotes. */
const LOCATION_CHARS_MAX = 100;

/** The place of a regular expression that is too long. Keys are checked at every level, as above. */
function findLongPattern(value: unknown, at: string): { at: string; chars: number } | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const childAt = `${at}/${key}`;
    for (const pattern of patternsOf(key, child)) {
      if (pattern.length > SCHEMA_PATTERN_CHARS_MAX)
        return { at: childAt.slice(0, LOCATION_CHARS_MAX), chars: pattern.length };
    }
    const within = findLongPattern(child, childAt);
    if (within !== undefined) return within;
  }
  return undefined;
}

function patternsOf(key: string, value: unknown): readonly string[] {
  if (key === "pattern" && typeof value === "string") return [value];
  return key === "patternProperties" && typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** A keyword that refers to another schema, or that defines one; keys are checked at every level. */
function findForbiddenKeyword(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    if (FORBIDDEN_KEYWORDS.includes(key)) return key;
    if (key === "$ref" && !(typeof child === "string" && child.startsWith("#"))) return "a $ref to elsewhere";
    const within = findForbiddenKeyword(child);
    if (within !== undefined) return within;
  }
  return undefined;
}

const FORBIDDEN_KEYWORDS: readonly string[] = ["$id", "$async", "$dynamicRef", "$recursiveRef", "$vocabulary"];

/** The nesting of objects and lists. The recursion is bounded by the depth of the parsed request. */
export function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let levels = 0;
  for (const child of Object.values(value)) levels = Math.max(levels, depthOf(child));
  return 1 + levels;
}
