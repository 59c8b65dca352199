import { compileSchema, type SchemaCheck } from "../../../core/schemas/compile.ts";
import type { Parameter } from "./parameters.ts";

// Rules of a schema that only a schema check can decide, so that a value that the tool's own check would refuse is asked for. A pattern
// may take for ever: this runs in the child process of the reference LLM, within its budget.

const checks = new WeakMap<Parameter, SchemaCheck>();

/** Whether `pattern` and `multipleOf` of a parameter allow a value, or all in a list; true where they are not there. */
export function isAllowed(parameter: Parameter, value: unknown): boolean {
  const { pattern, multipleOf } = parameter.schema;
  if (pattern === undefined && multipleOf === undefined) return true;
  return (Array.isArray(value) ? value : [value]).every((one) => checkOf(parameter)(one) === undefined);
}

function checkOf(parameter: Parameter): SchemaCheck {
  const { pattern, multipleOf } = parameter.schema;
  const rules = { ...(pattern !== undefined && { pattern }), ...(multipleOf !== undefined && { multipleOf }) };
  const check = checks.get(parameter) ?? compileSchema(rules) ?? (() => undefined);
  checks.set(parameter, check);
  return check;
}
