import { VARIABLE_GROUPS } from "../../../src/config/variables/all.ts";
import type { Variable } from "../../../src/core/configuration/variable.ts";
import { inCode, listed, markdownTable } from "./markdown.ts";

function valuesOf({ oneOf, range, orWord, format }: Variable): string {
  if (oneOf !== undefined) return listed(oneOf);
  if (range === undefined) return format ?? "";
  const [min, max] = range;
  return `${orWord === undefined ? "" : `${inCode(orWord)}, or `}${min} to ${max}`;
}

const defaultOf = ({ default: fallback, defaultText }: Variable): string =>
  defaultText ?? (fallback === undefined ? "none" : inCode(fallback));

/** The tables of environment variables, by name. */
export const configurationTables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(VARIABLE_GROUPS).map(([group, variables]) => [
      `${group}-variables`,
      markdownTable(
        ["variable", "default", "values", "meaning"],
        Object.entries(variables).map(([name, variable]) => [
          inCode(name),
          defaultOf(variable),
          valuesOf(variable),
          variable.meaning,
        ]),
      ),
    ]),
  );
