import { DEFAULT_SCOPES, SCOPES, type Scope } from "./scopes.ts";

/** What a person may do in their account, each role with its meaning, in Markdown. */
export const ROLE_MEANINGS = {
  owner: "everything, also people, API keys and the audit log",
  editor: "all but `admin`",
  viewer: "reading, but not what needs `admin`",
} as const;

export type Role = keyof typeof ROLE_MEANINGS;
export const ROLES = Object.keys(ROLE_MEANINGS) as [Role, ...Role[]];

/** The scopes of a person's requests. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  owner: SCOPES,
  editor: DEFAULT_SCOPES,
  viewer: ["read"],
};
