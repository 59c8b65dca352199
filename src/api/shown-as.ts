import type { z } from "zod";

const shown = new WeakMap<z.core.$ZodType, z.ZodType>();

/**
 * Lets the OpenAPI document show `instead` in place of a schema that checks less than the service does in the end, because
 * the rest is checked in another step. Returns the same schema; a description is given to what is made of it.
 */
export function shownAs<Schema extends z.ZodType>(schema: Schema, instead: z.ZodType): Schema {
  shown.set(schema, instead);
  return schema;
}

export const shownFor = (schema: z.core.$ZodType): z.ZodType | undefined => shown.get(schema);
