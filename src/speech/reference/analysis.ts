import { isObject } from "../../core/json.ts";
import type { Message } from "../contracts.ts";

/** The tool by whose arguments an analysis is answered. */
export const ANALYSIS_TOOL_NAME = "record_analysis";

/** How deep a schema is followed. */
const LEVELS_MAX = 8;

/**
 * The reference LLM's analysis of a transcript, by rule: a summary is what was said first and last, a text is the caller's first
 * words, a boolean says whether a word of the member's name was said, and a number counts the lines. It fits every schema without
 * patterns, formats and least lengths.
 */
export function analysisOf(messages: readonly Message[], schema: object): Record<string, unknown> {
  const lines = (messages.findLast(({ role }) => role === "user")?.text ?? "")
    .split("\n")
    .filter((line) => /^(?:caller|agent): /.test(line));
  const value = valueFor(schema, "", { lines, levels: 0 });
  return isObject(value) ? value : {};
}

interface Said {
  readonly lines: readonly string[];
  readonly levels: number;
}

function valueFor(schema: unknown, name: string, said: Said): unknown {
  if (!isObject(schema) || said.levels > LEVELS_MAX) return {};
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return enumValue(schema.enum, said);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return name === "summary" ? summaryOf(said.lines) : firstOf(said.lines);
    case "boolean":
      return wasSaid(name, said.lines);
    case "integer":
    case "number":
      return Math.max(said.lines.length, typeof schema.minimum === "number" ? schema.minimum : 0);
    case "array":
      return [];
    case "null":
      return null;
    default:
      return objectOf(schema, said);
  }
}

function objectOf({ properties }: Record<string, unknown>, said: Said): Record<string, unknown> {
  if (!isObject(properties)) return {};
  const deeper = { ...said, levels: said.levels + 1 };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, name, deeper)] as const),
  );
}

/** The first value that was said, or the last one. */
const enumValue = (values: readonly unknown[], { lines }: Said): unknown =>
  values.find((value) => typeof value === "string" && wasSaid(value, lines)) ?? values.at(-1);

const wasSaid = (name: string, lines: readonly string[]): boolean =>
  lines.some((line) => line.toLowerCase().includes(name.toLowerCase()));

const firstOf = (lines: readonly string[]): string =>
  lines.find((line) => line.startsWith("caller: "))?.slice("caller: ".length) ?? "";

const summaryOf = (lines: readonly string[]): string =>
  [...new Set([lines[0], lines.at(-1)])].filter((line) => line !== undefined).join(" / ") || "Nothing was said.";
