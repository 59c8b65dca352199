import type { OpenAPIV3_1 } from "openapi-types";

type Schemas = Record<string, OpenAPIV3_1.SchemaObject>;

/** What the names of the schemas end in that say what the service is sent; all others say what it answers. */
export const INPUT = "Input";

/**
 * Moves each field of an input that has a default into a named schema, which the field refers to. In an answer a field with a
 * default is always there, in a request it may be left out, and generators of clients cannot tell the two apart:
 * openapi-typescript makes every property required in which it sees `default`. Takes the schemas over.
 */
export function withNamedDefaults(schemas: Schemas): Schemas {
  const named: Schemas = { ...schemas };
  for (const [name, { properties = {} }] of Object.entries(schemas).filter(([key]) => key.endsWith(INPUT))) {
    for (const [field, property] of Object.entries(properties)) {
      if (!("default" in property)) continue;
      const { description, ...rest } = property;
      const key = `${name.slice(0, -INPUT.length)}${field[0]?.toUpperCase()}${field.slice(1)}${INPUT}`;
      named[key] = rest;
      properties[field] = { $ref: `#/components/schemas/${key}`, ...(description !== undefined && { description }) };
    }
  }
  return Object.fromEntries(Object.entries(named).sort(([one], [other]) => one.localeCompare(other)));
}
