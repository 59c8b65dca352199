import type { z } from "zod";

const documented = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Makes the OpenAPI document show `instead` for a schema that checks less than the service does, because another step checks
 * the rest. Returns the same schema; add a description to schemas derived from it.
 */
export function documentedAs<Schema extends z.ZodType>(schema: Schema, instead: z.ZodType): Schema {
  documented.set(schema, instead);
  return schema;
}

/** The schema that the OpenAPI document shows instead; undefined where it shows the schema itself. */
export const documentedSchemaOf = (schema: z.core.$ZodType): z.ZodType | undefined => documented.get(schema);
