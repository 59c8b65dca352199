import type { Schema } from "../../client/src/index.ts";
import { currentSession } from "./session.ts";

export type Role = Schema<"User">["role"];

/** From the one that may do least. */
const ORDER: readonly Role[] = ["viewer", "editor", "owner"];

/**
 * Whether the person who is signed in may do what this role may. The service decides: pages only leave out what it would refuse. An
 * `editor` may create, change, call and end; an `owner` also manages keys, people and the service.
 */
export function mayAct(needed: Role): boolean {
  const session = currentSession();
  return session !== undefined && ORDER.indexOf(session.user.role) >= ORDER.indexOf(needed);
}
