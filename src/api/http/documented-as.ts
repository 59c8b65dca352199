import type { z } from "zod";

const documented = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Lets the OpenAPI document show `instead` in place of a schema that checks less than the service does in the end, because
 * the rest is checked in another step. Returns the same schema; a description is given to what is made of it.
 */
export function documentedAs<Schema extends z.ZodType>(schema: Schema, instead: z.ZodType): Schema {
  documented.set(schema, instead);
  return schema;
}

export const documentedSchemaOf = (schema: z.core.$ZodType): z.ZodType | undefined => documented.get(schema);
