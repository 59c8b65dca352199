import { words } from "../../app/format.ts";
import type { AuditEvent } from "./choices.ts";

/** `api_key` as `API key`: a kind of thing in words, at the beginning of a line. */
export function kindText(kind: string): string {
  const text = words(kind).replace(/^api\b/, "API");
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** `api_key.rotated` as `API key rotated`. */
export function actionText(action: string): string {
  const [kind = "", done = ""] = action.split(".");
  return `${kindText(kind)} ${words(done)}`;
}

/** What changed, in one line: `changed: name, scopes`. The log has the names of fields, never what they were. */
export const changeText = (details: AuditEvent["details"]): string =>
  Object.entries(details)
    .map(([name, value]) => `${nameText(name)}: ${valueText(value)}`)
    .join("; ");

/** `overlapSeconds` as `overlap seconds`. */
const nameText = (name: string): string =>
  words(name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));

function valueText(value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(valueText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
