import type { Variable } from "./definition.ts";
import type { VariableValues } from "./texts.ts";

/** What a person has written for the variables, by their names. */
export type WrittenValues = Readonly<Record<string, string>>;

/** The values of a call, and what is wrong with what was written for some. */
export interface ReadValues {
  values: VariableValues;
  problems: Readonly<Record<string, string>>;
}

/** The values that were written, by the types of the variables; the default where nothing is. */
export function readValues(variables: readonly Variable[], written: WrittenValues): ReadValues {
  const values: Record<string, string | number | boolean> = {};
  const problems: Record<string, string> = {};
  for (const { name, type, default: usual } of variables) {
    const text = written[name] ?? "";
    const value = text === "" ? usual : readValue(type, text);
    if (value === undefined) problems[name] = text === "" ? "needs a value, because it has no default" : RULES[type];
    else values[name] = value;
  }
  return { values, problems };
}

const RULES: Readonly<Record<Variable["type"], string>> = {
  string: "must be a text",
  number: "must be a number",
  boolean: "must be true or false",
};

/** The value that a text stands for; undefined for one of another type. */
export function readValue(type: Variable["type"], text: string): string | number | boolean | undefined {
  if (type === "string") return text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : undefined;
}
