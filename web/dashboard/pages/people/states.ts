import type { Schema } from "../../../client/src/index.ts";

export type Person = Schema<"User">;
export type Role = Person["role"];

/** What each role may do, in one line. */
export const ROLE_MEANINGS: Readonly<Record<Role, string>> = {
  owner: "Everything: also people, keys, carriers and the audit log.",
  editor: "Agents, tools, corpora, numbers, webhooks, calls and transcriptions.",
  viewer: "Sees what an editor sees, and changes nothing.",
};

export const ROLES = Object.keys(ROLE_MEANINGS) as readonly Role[];

/**
 * The person without whom the account would have no owner who can sign in: they can be neither removed nor given another role. Undefined
 * where there are others. `owners` are the owners of the account who have a password, two at least where there are two.
 */
export const lastOwnerOf = (owners: readonly Person[]): string | undefined =>
  owners.length === 1 ? owners[0]?.id : undefined;

/** The problem of a new password that a form sees before it is sent. */
export function passwordProblemOf({ password, again }: { password: string; again: string }): string | undefined {
  return again !== "" && password !== again ? "The two passwords differ." : undefined;
}
