import { userInfo } from "node:os";
import type { Act } from "../store/accounts/audit-store.ts";

/** What a command of the operator does, as the audit log names it: by the user of this machine who ran it. */
export const operatorAct = (): Act => ({ actor: { kind: "operator", id: userName() } });

/** A user of a container may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
