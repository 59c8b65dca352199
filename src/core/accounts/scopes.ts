/** What an API key may do, each scope with its meaning, in Markdown. No scope contains another one. */
export const SCOPE_MEANINGS = {
  read: "reading: every `GET` and `HEAD` but those of `admin`",
  calls: "creating and ending calls, and creating and cancelling transcriptions",
  write:
    "creating, changing and deleting agents, corpora with their documents, webhooks and telephone numbers, and deleting calls and transcriptions",
  admin:
    "API keys, publishable keys, people, the audit log, the account with its API keys of providers, its credentials at carriers and its secrets of tools, and the state of the service",
} as const;

export type Scope = keyof typeof SCOPE_MEANINGS;
export const SCOPES = Object.keys(SCOPE_MEANINGS) as [Scope, ...Scope[]];

/** The scopes of an API key that was created without any, also by earlier versions. */
export const DEFAULT_SCOPES: readonly Scope[] = ["read", "calls", "write"];
