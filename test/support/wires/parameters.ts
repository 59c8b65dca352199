import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../src/core/limits/calls/calls.ts";
import type { StreamStarted } from "../../../src/wire/wire.ts";

/** What is wrong with the parameters of a start, whatever its peer sent; empty where nothing is. */
export function parameterProblems(parameters: StreamStarted["parameters"]): string[] {
  if (parameters === undefined) return [];
  const { values, droppedCount } = parameters;
  const entries = Object.entries(values);
  const texts = entries.flat();
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const rules: readonly (readonly [string, boolean])[] = [
    ["a count that is none", Number.isSafeInteger(droppedCount) && droppedCount >= 0],
    ["nothing at all", entries.length > 0 || droppedCount > 0],
    ["too many", entries.length <= PARAMETERS_MAX],
    ["too long", bytes <= PARAMETERS_BYTES_MAX],
    ["a value that is no text", texts.every((text) => typeof text === "string")],
    ["a name that is empty or __proto__", entries.every(([name]) => name !== "" && name !== "__proto__")],
    ["half a pair or a control character", !texts.some((text) => /[\p{Cs}\p{Cc}\u2028\u2029]/u.test(text))],
    ["another prototype", Object.getPrototypeOf(values) === Object.prototype],
  ];
  return rules.flatMap(([problem, holds]) => (holds ? [] : [problem]));
}
