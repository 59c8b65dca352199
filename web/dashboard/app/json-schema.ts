type JsonSchema = Readonly<Record<string, unknown>>;

/** An argument of a tool, as people read it. */
export interface Argument {
  name: string;
  /** Such as `string`, `one of a, b` or `any`. */
  type: string;
  isRequired: boolean;
  description: string | undefined;
}

/** The arguments at the top of a JSON Schema of the type `object`; none of what is no such schema. */
export function argumentsOf(schema: JsonSchema): readonly Argument[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, of]) => ({
    name,
    type: isObject(of) ? typeOf(of) : "any",
    isRequired: needed.includes(name),
    description: isObject(of) && typeof of.description === "string" ? of.description : undefined,
  }));
}

function typeOf({ type, enum: values, const: only }: JsonSchema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  if (Array.isArray(type)) return type.join(" or ");
  return typeof type === "string" ? type : "any";
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
  null: null,
};

/** Arguments to begin with: those that a schema requires, with its own examples and defaults where it has some. */
export function exampleArguments(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const { properties } = schema;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    argumentsOf(schema)
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => [name, exampleOf(properties[name])]),
  );
}

function exampleOf(of: unknown): unknown {
  if (!isObject(of)) return "";
  const { default: preset, const: only, enum: values, examples, type } = of;
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  const [first] = [...(Array.isArray(examples) ? examples : []), ...(Array.isArray(values) ? values : [])];
  if (first !== undefined) return first;
  if (type === "object") return exampleArguments(of);
  const name = Array.isArray(type) ? type[0] : type;
  return typeof name === "string" && Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : "";
}

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a text is as a JSON object, or why it is none, as the problem of a field. */
export function jsonObjectOf(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return isObject(value) ? { value: { ...value } } : { problem: "must be a JSON object, such as {}" };
  } catch (error) {
    return { problem: `must be JSON: ${error instanceof Error ? error.message : "it cannot be read"}` };
  }
}
