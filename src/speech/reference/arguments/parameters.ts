import { isObject } from "../../../core/json.ts";
import { isContent, stem, tokensOf, wordsOfName } from "../language/words.ts";

type Schema = Readonly<Record<string, unknown>>;

type ValueType = "string" | "number" | "integer" | "boolean" | "array";

/** One argument of a tool that is not an object. */
export interface Parameter {
  /** The names of the objects that contain it, then its own. */
  path: readonly string[];
  type: ValueType;
  /** Its schema; for an array, that of the items. */
  schema: Schema;
  /** The type; for an array, that of the items. */
  itemType: Exclude<ValueType, "array">;
  /** Its object requires it. */
  required: boolean;
  /** How many names of `path` lead to the innermost object that may be absent; 0 if all are required. */
  optionalDepth: number;
  /** What callers call it: stems of the words of its name and its title, without generic words. */
  labels: ReadonlySet<string>;
  /** Stems of its labels and of the words of its description. */
  hints: ReadonlySet<string>;
}

/** Deeper or further properties keep their defaults. */
const DEPTH_MAX = 4;
const PROPERTIES_MAX = 24;
/** How many references are followed to one schema. */
const REFERENCES_MAX = 8;

/** Generic words of a name, which do not distinguish one parameter from another. */
const GENERIC_WORDS = new Set(["number", "count", "of", "the", "num", "no", "n", "amount", "total", "value", "field"]);

/** Parameters by schema: the requests of a call share their schemas. */
const cache = new WeakMap<object, readonly Parameter[]>();

/** The parameters that a tool's JSON Schema describes, in its order; those of a nested object come in its place. */
export function parametersOf(schema: object): readonly Parameter[] {
  const parameters = cache.get(schema) ?? described(schema);
  cache.set(schema, parameters);
  return parameters;
}

function described(schema: object): Parameter[] {
  const root = schema as Schema;
  const found: Parameter[] = [];
  // Counted over all levels: the depth of a schema that refers to itself is bounded, but it may be wide.
  let properties = 0;
  const collect = (object: Schema, path: readonly string[], optionalDepth: number): void => {
    if (path.length >= DEPTH_MAX || !isObject(object.properties)) return;
    const required = Array.isArray(object.required) ? object.required : [];
    for (const [name, property] of Object.entries(object.properties)) {
      properties += 1;
      if (properties > PROPERTIES_MAX) return;
      const inner = resolved(root, property);
      const at = [...path, name];
      const isRequired = required.includes(name);
      if (isObject(inner.properties)) collect(inner, at, isRequired ? optionalDepth : at.length);
      else found.push(parameter(root, inner, at, isRequired, optionalDepth));
    }
  };
  collect(root, [], 0);
  return found;
}

function parameter(
  root: Schema,
  schema: Schema,
  path: readonly string[],
  required: boolean,
  optionalDepth: number,
): Parameter {
  const type = typeOf(schema);
  const items = type === "array" ? resolved(root, schema.items) : schema;
  const itemType = typeOf(items);
  const { title, description } = schema;
  const words = [...wordsOfName(path.at(-1) ?? ""), ...wordsIn(title)];
  const specific = words.filter((word) => !GENERIC_WORDS.has(word));
  const labels = new Set((specific.length > 0 ? specific : words).map(stem));
  const hints = new Set([...labels, ...wordsIn(description).map(stem)]);
  const named = { ...items, ...(type === "array" ? { title, description } : {}) };
  const single = itemType === "array" ? "string" : itemType;
  return { path, type, schema: named, itemType: single, required, optionalDepth, labels, hints };
}

const wordsIn = (text: unknown): string[] =>
  typeof text === "string" ? tokensOf(text).flatMap((token) => (isContent(token) ? [token.lower] : [])) : [];

/** Follows references within the document and the first alternative that is not null. */
function resolved(root: Schema, value: unknown): Schema {
  let schema = value;
  for (let step = 0; step < REFERENCES_MAX && isObject(schema); step += 1) {
    const alternatives: unknown = schema.anyOf ?? schema.oneOf;
    if (typeof schema.$ref === "string") schema = pointedTo(root, schema.$ref);
    else if (Array.isArray(alternatives)) {
      const chosen: unknown = alternatives.find((one) => isObject(one) && one.type !== "null");
      const { anyOf: _any, oneOf: _one, ...rest } = schema;
      schema = isObject(chosen) ? { ...rest, ...chosen } : rest;
    } else return schema;
  }
  return {};
}

function pointedTo(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#/")) return root;
  const keys = reference.slice(2).split("/");
  return keys.reduce<unknown>(
    (value, key) => (isObject(value) ? value[key.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
    root,
  );
}

function typeOf({ type, const: constant, enum: values, items }: Schema): ValueType {
  const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (named === "number" || named === "integer" || named === "boolean" || named === "array") return named;
  const example: unknown = constant ?? (Array.isArray(values) ? values[0] : undefined);
  if (named === undefined && (typeof example === "number" || typeof example === "boolean")) {
    return typeof example === "number" ? "number" : "boolean";
  }
  return named === undefined && isObject(items) ? "array" : "string";
}

/** The value at `path` of some arguments; undefined if there is none. */
export const valueAt = (values: Readonly<Record<string, unknown>>, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined), values);

/** The arguments with `value` at `path`; missing objects are created. */
export function withValue(
  values: Readonly<Record<string, unknown>>,
  [first = "", ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const within = valueAt(values, [first]);
  const inner = rest.length === 0 ? value : withValue(isObject(within) ? within : {}, rest, value);
  // Not with a literal key, because a property may be named __proto__.
  return Object.fromEntries([...Object.entries(values).filter(([name]) => name !== first), [first, inner]]);
}

/** Whether these arguments require the parameter. */
export const isNeeded = ({ required, optionalDepth, path }: Parameter, values: Readonly<Record<string, unknown>>) =>
  required && (optionalDepth === 0 || valueAt(values, path.slice(0, optionalDepth)) !== undefined);
