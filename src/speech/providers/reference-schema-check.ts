import { compileSchema, type SchemaCheck, TOO_SLOW } from "../../core/json-schema.ts";
import type { Parameter } from "./reference-parameters.ts";

// Rules of a schema that only a schema check can tell, so that a value that the tool's own check would refuse is asked for.

/**
 * For one request: strangers write patterns. What is not looked at, also behind a check that took too long, is left to the check
 * before the tool runs.
 */
const CHECKS_MAX = 64;
const checks = new WeakMap<Parameter, SchemaCheck>();
let checksLeft = 0;

/** Begins a request, which may check so many values. */
export function allowChecks(): void {
  checksLeft = CHECKS_MAX;
}

/** Whether `pattern` and `multipleOf` of a parameter allow a value, or all in a list; true where they are not there. */
export function isAllowed(parameter: Parameter, value: unknown): boolean {
  const { pattern, multipleOf } = parameter.schema;
  if (pattern === undefined && multipleOf === undefined) return true;
  return (Array.isArray(value) ? value : [value]).every((one) => {
    if (checksLeft <= 0) return true;
    checksLeft -= 1;
    const wrong = checkOf(parameter)(one);
    if (wrong === TOO_SLOW) checksLeft = 0;
    return wrong === undefined || wrong === TOO_SLOW;
  });
}

function checkOf(parameter: Parameter): SchemaCheck {
  const { pattern, multipleOf } = parameter.schema;
  const rules = { ...(pattern !== undefined && { pattern }), ...(multipleOf !== undefined && { multipleOf }) };
  const check = checks.get(parameter) ?? compileSchema(rules) ?? (() => undefined);
  checks.set(parameter, check);
  return check;
}
