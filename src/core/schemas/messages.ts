import { INVALID_ARGUMENTS_REASON_CHARS_MAX } from "../limits/agents/tools.ts";
import type { CompiledSchemas } from "./compile.ts";

/** A task of the child process: whether a schema can be compiled, or, with a value, whether the value fits it. Both are JSON. */
export interface SchemaTask {
  schema: string;
  value?: string;
}

export type SchemaAnswer =
  | { kind: "fits" }
  /** The schema cannot be compiled. */
  | { kind: "invalid" }
  /** What is wrong with the value, without quoting it. */
  | { kind: "unfit"; reason: string };

/**
 * Compiles the schema, unless `schemas` has it already, and checks the value, a JSON text, if there is one. Throws when
 * `value` is not JSON.
 */
export function schemaAnswer({ schema, value }: SchemaTask, schemas: CompiledSchemas): SchemaAnswer {
  const check = schemas.of(schema);
  if (check === undefined) return { kind: "invalid" };
  if (value === undefined) return { kind: "fits" };
  try {
    const why = check(JSON.parse(value));
    return why === undefined
      ? { kind: "fits" }
      : { kind: "unfit", reason: why.slice(0, INVALID_ARGUMENTS_REASON_CHARS_MAX) };
  } catch (error) {
    // Circular references, which ajv follows until the stack overflows, or a pattern that is too deep for the stack.
    if (error instanceof RangeError) return { kind: "unfit", reason: "their schema goes deeper than can be checked" };
    throw error;
  }
}
