import type { Schema } from "../../../client/src/index.ts";

export type Scope = Schema<"ApiKey">["scopes"][number];

/** As an object, so that the compiler finds one that is missing when the API has another. */
const MEANINGS: Readonly<Record<Scope, string>> = {
  read: "Reads all but what needs admin.",
  calls: "Creates and ends calls, creates and cancels transcriptions.",
  write:
    "Creates, changes and deletes agents, corpora, webhooks and telephone numbers; deletes calls and transcriptions.",
  admin: "Keys, people, the audit log, carriers, and the secrets of providers and tools.",
};

/** What an API key has when its creator chooses nothing. */
export const DEFAULT_SCOPES: readonly Scope[] = ["read", "calls", "write"];

export const SCOPE_CHOICES = Object.entries(MEANINGS).map(([value, hint]) => ({
  value: value as Scope,
  label: value,
  hint,
}));
