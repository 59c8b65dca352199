import { strict as assert } from "node:assert";
import type { HttpTool } from "../../calls/spec.ts";
import { filledHeaders } from "../headers.ts";
import { argumentsIn, fillArguments, hasDotSegment, urlTemplateOf } from "../http-tool.ts";
import { failed, type ToolOutcome } from "../outcome.ts";

/** The request of an HTTP tool. */
export interface ToolRequest {
  method: HttpTool["method"];
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** JSON; undefined for methods without a body. */
  body: string | undefined;
  /** Secrets that must be removed from the answer if the server echoes them. */
  secrets: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

const BODILESS: readonly HttpTool["method"][] = ["GET", "DELETE"];

/**
 * Fills in the arguments of an HTTP tool, which have passed its schema, and its secrets. An argument that occurs in the
 * URL is used only there; the others go into the query of a GET or a DELETE, and into the JSON body of any other
 * request.
 *
 * The LLM's values stay within their place in a path or a query: they cannot name a server, climb a path, or add a
 * parameter. Returns a failed outcome for the LLM when an argument does not fit its place, and when the headers need a
 * secret that `secretFor` does not have for this URL.
 */
export function toolRequestOf(
  tool: HttpTool,
  given: Arguments,
  secretFor: (name: string, url: URL) => string | undefined,
): ToolRequest | ToolOutcome {
  const template = urlTemplateOf(tool.url);
  assert.ok(template !== undefined, "the URL was checked when the call was created");
  for (const name of argumentsIn(template.path)) {
    const text = textOf(ownOf(given, name));
    if (text === undefined || text === "") {
      return failed("arguments", `the argument ${name} must be there, as a text or a number that is not empty`);
    }
  }
  const encoded = (name: string): string =>
    encodeURIComponent(wellFormed(textOf(ownOf(given, name)) ?? jsonOf(ownOf(given, name))));
  const path = fillArguments(template.path, encoded);
  if (hasDotSegment(path)) return failed("arguments", "an argument in the path must not be made of dots");
  const placed = new Set([...argumentsIn(template.path), ...argumentsIn(template.query)]);
  const rest = Object.entries(given).filter(([name]) => !placed.has(name));
  const url = new URL(template.origin + path + fillArguments(template.query, encoded));
  const hasBody = !BODILESS.includes(tool.method);
  if (!hasBody)
    for (const [name, value] of rest) if (value !== null) url.searchParams.append(name, textOf(value) ?? jsonOf(value));
  const filled = filledHeaders(tool.headers, (name) => secretFor(name, url));
  // The LLM gets the same text whether the secret does not exist or this server may not have it.
  if (filled === undefined) return failed("secret_refused", "the service cannot send its headers");
  return {
    method: tool.method,
    url,
    ...filled,
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** An argument that was given, whatever its name: every object inherits a `toString`. */
const ownOf = (given: Arguments, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);

/** Undefined for anything but a single value. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** Lists and objects go into a query as JSON; a missing value, as an empty text. */
const jsonOf = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value));

/** A lone surrogate has no UTF-8 encoding, and encodeURIComponent throws for it. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");
