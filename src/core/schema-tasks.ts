import type { CompiledSchemas } from "./schema-check.ts";

/** What is asked of the child process: whether a schema can be compiled, or, with a value, whether that fits it. Both are JSON. */
export interface SchemaTask {
  schema: string;
  value?: string;
}

export type SchemaAnswer =
  | { kind: "fits" }
  /** The schema cannot be compiled. */
  | { kind: "invalid" }
  /** What is wrong with the value, in words that quote nothing of it. */
  | { kind: "unfit"; why: string };

export function schemaAnswer({ schema, value }: SchemaTask, schemas: CompiledSchemas): SchemaAnswer {
  const check = schemas.of(schema);
  if (check === undefined) return { kind: "invalid" };
  if (value === undefined) return { kind: "fits" };
  try {
    const why = check(JSON.parse(value));
    return why === undefined ? { kind: "fits" } : { kind: "unfit", why };
  } catch (error) {
    // References that run in a circle, which ajv follows as far as the stack reaches.
    if (error instanceof RangeError) return { kind: "unfit", why: "their schema has references without an end" };
    throw error;
  }
}
