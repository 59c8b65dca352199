import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { canonicalJson } from "../canonical-json.ts";
import { COMPILED_SCHEMAS_MAX } from "../limits/agents/tools.ts";

// JSON Schema by ajv, for schemas of users and values of LLMs. Each operation may take arbitrarily long, so it runs in child
// processes with a budget: see checker.ts.

/** Returns what is wrong with a value, without quoting it; undefined when the value fits. Throws on circular references. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** V8 compiles a regular expression at its first use, separately for one-byte and two-byte texts, and again, optimized, at the second use. */
const SAMPLES = ["xa 1-", "xa 1-", "xaЖ1-", "xaЖ1-"];

/** A regular expression that V8 has compiled, so that its time is part of compiling the schema. */
const compiledPattern = Object.assign(
  (pattern: string, flags: string): RegExp => {
    const expression = new RegExp(pattern, flags);
    for (const sample of SAMPLES) expression.test(sample);
    return expression;
  },
  { code: "new RegExp" },
);

/**
 * Formats are only hints for the LLM. Only the first problem is reported, which an LLM can correct. `ownProperties`: a property such as
 * `toString` exists only when the value itself has it.
 */
const OPTIONS: Options = {
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  ownProperties: true,
  logger: false,
  code: { regExp: compiledPattern },
};

/** Validates against the meta-schema. Creating it takes 50 ms. It keeps all it has compiled, so it compiles nothing else. */
const metaSchema = new Ajv2020(OPTIONS);

/** An ajv for one schema; both are garbage collected together. */
function makeAjv(): Ajv2020 {
  const ajv = new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false });
  for (const keyword of ["const", "enum", "uniqueItems"]) ajv.removeKeyword(keyword);
  // Ajv's own comparison calls `toString` and `valueOf` of its operands, and a value may have properties of these names.
  ajv.addKeyword({
    keyword: "const",
    compile: (constant: unknown) => {
      const wanted = canonicalJson(constant);
      return (value: unknown) => canonicalJson(value) === wanted;
    },
    errors: false,
    error: { message: "must be equal to constant" },
  });
  ajv.addKeyword({
    keyword: "enum",
    schemaType: "array",
    compile: (values: unknown[]) => {
      const wanted = new Set(values.map(canonicalJson));
      return (value: unknown) => wanted.has(canonicalJson(value));
    },
    errors: false,
    error: { message: "must be equal to one of the allowed values" },
  });
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (isWanted: boolean) => (items: unknown[]) =>
      !isWanted || new Set(items.map(canonicalJson)).size === items.length,
    errors: false,
    error: { message: "must NOT have duplicate items" },
  });
  return ajv;
}

const NAMELESS = { dataVar: "" };

/** Undefined for a schema that cannot be compiled. */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck | undefined {
  const { $schema: _, ...dialect2020 } = schema;
  const ajv = makeAjv();
  let validate: ValidateFunction;
  try {
    if (metaSchema.validateSchema(dialect2020) !== true) return undefined;
    validate = ajv.compile(dialect2020);
  } catch {
    return undefined;
  }
  return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, NAMELESS).trim());
}

/** A cache of compiled schemas by their JSON, the most recently used ones. */
export class CompiledSchemas {
  readonly #checks = new Map<string, SchemaCheck | undefined>();

  /** The number of cached schemas. */
  get size(): number {
    return this.#checks.size;
  }

  /** Undefined for a schema that cannot be compiled. */
  of(schemaJson: string): SchemaCheck | undefined {
    const isKnown = this.#checks.has(schemaJson);
    const check = isKnown ? this.#checks.get(schemaJson) : compileSchema(JSON.parse(schemaJson));
    this.#checks.delete(schemaJson);
    this.#checks.set(schemaJson, check);
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > COMPILED_SCHEMAS_MAX && oldest !== undefined) this.#checks.delete(oldest);
    return check;
  }
}
