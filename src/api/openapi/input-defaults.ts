import type { OpenAPIV3_1 } from "openapi-types";

type Schemas = Record<string, OpenAPIV3_1.SchemaObject>;

/** The end of the names of request schemas; all other schemas are those of responses. */
export const INPUT = "Input";

/**
 * Moves each input field with a default into a named schema, to which the field refers. In a response a field with a default is
 * always present, in a request it is optional, and client generators cannot distinguish the two: openapi-typescript makes every
 * property with `default` required. Modifies the schemas.
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
