import { strict as assert } from "node:assert";
import type { HttpTool } from "../../core/calls/spec.ts";
import {
  argumentsIn,
  fillArguments,
  fillSecrets,
  hasDotSegment,
  secretsIn,
  urlTemplateOf,
} from "../../core/tools/http-tool.ts";
import { failed, type ToolOutcome } from "./outcome.ts";

/** What is sent for an HTTP tool. */
export interface ToolRequest {
  method: HttpTool["method"];
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** JSON; undefined for methods without a body. */
  body: string | undefined;
  /** What must not be told to anybody, though the server may say it again. */
  secrets: readonly string[];
}

type Arguments = Readonly<Record<string, unknown>>;

const BODILESS: readonly HttpTool["method"][] = ["GET", "DELETE"];

/**
 * Fills in the arguments of an HTTP tool, which its schema has nothing against, and its secrets. An argument that stands in the
 * URL goes there and nowhere else; the others go into the query of a GET or a DELETE, and into the JSON body of anything else.
 *
 * What the model says stays within the part of a path or a query that is its place: it cannot name a server, climb a path, or
 * add a parameter. Returns what the model is told when an argument does not fit its place, and when its headers hold a secret that
 * `secretFor` does not have for this URL.
 */
export function toolRequestOf(
  tool: HttpTool,
  given: Arguments,
  secretFor: (name: string, url: URL) => string | undefined,
): ToolRequest | ToolOutcome {
  const template = urlTemplateOf(tool.url);
  assert.ok(template !== undefined, "checked when the call was created");
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
  const named = Object.values(tool.headers).flatMap(secretsIn);
  const secrets = new Map(named.map((name) => [name, secretFor(name, url)]));
  // The model is told the same where there is no such secret and where this server may not have it.
  if ([...secrets.values()].includes(undefined)) return failed("secret_refused", "the service cannot send its headers");
  const secretOf = (name: string): string => secrets.get(name) ?? "";
  const headers = Object.entries(tool.headers).map(([name, value]) => [name, fillSecrets(value, secretOf)]);
  return {
    method: tool.method,
    url,
    headers: Object.fromEntries(headers),
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
    secrets: named.map(secretOf),
  };
}

/** An argument that is there, whatever its name: every object has a `toString` that nobody gave it. */
const ownOf = (given: Arguments, name: string): unknown => (Object.hasOwn(given, name) ? given[name] : undefined);

/** Undefined for what is no single value. */
function textOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** Lists and objects go into a query as JSON; what is not there, as nothing. */
const jsonOf = (value: unknown): string => (value === undefined || value === null ? "" : JSON.stringify(value));

/** Half a surrogate pair has no UTF-8, and encodeURIComponent throws for it. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");
