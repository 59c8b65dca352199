import type { Kysely } from "kysely";
import type { CallRecord, CallSettings } from "../../../calls/call-store.ts";
import type { Tables } from "../../tables.ts";

/** The columns of a call that is over without the values of its variables, which are redacted; undefined where they are not. */
export function withoutRedactedValues(
  settings: string,
): { settings: string; words: null; variables: null; phone_headers: null } | undefined {
  const { redactedValues, ...kept }: CallSettings = JSON.parse(settings);
  if (redactedValues === undefined) return undefined;
  // The prompt has the values, too, and variables may be those of a telephone call's headers.
  return { settings: JSON.stringify(kept), words: null, variables: null, phone_headers: null };
}

/** The same for a call that was never live. Returns whether it had such values. */
export async function forgetRedactedValues(
  tx: Kysely<Tables>,
  { id, settings }: Pick<CallRecord, "id" | "settings">,
): Promise<boolean> {
  if (settings.redactedValues === undefined) return false;
  const { tools: _, analysis: __, ...columns } = settings;
  const kept = withoutRedactedValues(JSON.stringify(columns));
  if (kept !== undefined) await tx.updateTable("calls").set(kept).where("id", "=", id).execute();
  return kept !== undefined;
}
