import { serializedOriginOf } from "../../core/network/origins.ts";

/** A page's origin (RFC 6454): scheme, host and port. */
const EXAMPLE = "http://localhost:5173";

/**
 * Reads a list of exact origins, separated by commas, as browsers send them in the header `Origin`, without duplicates. Problems
 * are added to `problems`; each begins with `variable`.
 */
export function readOrigins(variable: string, given: string, problems: string[]): readonly string[] {
  const origins = given.trim() === "" ? [] : given.split(",").map((origin) => origin.trim());
  for (const origin of origins) {
    const problem = originProblem(origin);
    if (problem !== undefined) problems.push(`${variable} ${problem}`);
  }
  return [...new Set(origins)];
}

function originProblem(given: string): string | undefined {
  if (given === "*") {
    return (
      'must not be "*": every page in a browser could then use an API key that it has obtained; ' +
      `name the origins of your own pages, such as ${EXAMPLE}`
    );
  }
  const origin = serializedOriginOf(given);
  if (origin === given) return undefined;
  // The problem quotes neither a password nor a query.
  const shown = JSON.stringify(given.replace(/^(\w+:\/\/)?.*@/s, "$1…@").replace(/[?#].*$/s, "?…"));
  const right = origin === undefined ? "" : `: write ${origin}`;
  return `must be origins such as ${EXAMPLE}, separated by commas, not ${shown}${right}`;
}
