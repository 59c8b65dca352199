import { compileSchema, type SchemaCheck } from "../../../core/schemas/compile.ts";
import type { Parameter } from "./parameters.ts";

// Rules of a schema that only a schema check can decide. A value that the tool would refuse is not used, and the caller
// is asked for it. A pattern may take very long, so this runs in the child process of the reference LLM, with a budget.

const checks = new WeakMap<Parameter, SchemaCheck>();

/** Whether a parameter's `pattern` and `multipleOf` allow a value, or all values of a list; true without such rules. */
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
