import type { Schema } from "../../../client/src/index.ts";

type Request = NonNullable<Schema<"ToolTestResult">["request"]>;

/** A request as one reads it: its line, its headers, and its body, which is laid out where it is JSON. */
export function requestText({ method, url, headers, body }: Request): string {
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return body === null ? head.join("\n") : `${head.join("\n")}\n\n${resultText(body)}`;
}

/** A text, laid out where it is a JSON object or list. */
export function resultText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
