import { ROLES, type Role } from "../../core/accounts/roles.ts";
import { isEmail, normalizedEmail } from "../../core/text/emails.ts";
import { DEFAULT_ACCOUNT_NAME } from "../../store/data-dir/first-api-key.ts";
import { notACommand, notOneOf, surplusArgument, UsageError } from "../command.ts";

export const USERS_OPTIONS = {
  email: { type: "string" },
  name: { type: "string" },
  role: { type: "string" },
  account: { type: "string" },
  "data-dir": { type: "string" },
} as const;

/** The options that only `invite` takes. */
const OF_INVITE = ["email", "name", "role", "account"] as const;
type Given = { [Name in (typeof OF_INVITE)[number]]?: string | undefined };

/** What a command line asks for. `person` is an id or an email. */
export type UsersCommand =
  | { kind: "invite"; email: string; name: string; role: Role; account: string }
  | { kind: "list" }
  | { kind: "reset" | "remove"; person: string };

/** Reads a command and its options. Throws UsageError with all problems together. */
export function readUsersCommand([command, ...rest]: readonly string[], given: Given): UsersCommand {
  const problems: string[] = [];
  const [person, ...others] = command === "reset" || command === "remove" ? rest : [undefined, ...rest];
  for (const other of others) problems.push(surplusArgument(other ?? "", command));
  for (const option of OF_INVITE) {
    if (given[option] !== undefined && command !== "invite") problems.push(`--${option} is only for invite`);
  }
  const read = commandOf(command, person, given, problems);
  if (read === undefined || problems.length > 0) throw new UsageError(problems);
  return read;
}

function commandOf(
  command: string | undefined,
  person: string | undefined,
  given: Given,
  problems: string[],
): UsersCommand | undefined {
  switch (command) {
    case "invite":
      return inviteCommandOf(given, problems);
    case "list":
      return { kind: command };
    case "reset":
    case "remove":
      if (person === undefined)
        problems.push("the id or the email of the person is missing: npm run users -- list shows it");
      return { kind: command, person: person ?? "" };
    default:
      problems.unshift(notACommand(command, "invite, list, reset or remove"));
      return undefined;
  }
}

function inviteCommandOf(given: Given, problems: string[]): UsersCommand {
  const email = given.email?.trim() ?? "";
  const [name, account, role] = [given.name?.trim() ?? email, given.account?.trim(), given.role?.trim() ?? "owner"];
  if (given.email === undefined) problems.push("--email is missing: the person signs in with it");
  else if (!isEmail(email)) problems.push(`--email must be an email address, not ${JSON.stringify(email)}`);
  if (given.name !== undefined && name === "") problems.push("--name must not be empty");
  if (account === "") problems.push("--account must not be empty");
  if (!isRole(role)) problems.push(notOneOf("--role", ROLES, role));
  return {
    kind: "invite",
    email: normalizedEmail(email),
    name,
    role: isRole(role) ? role : "viewer",
    account: account ?? DEFAULT_ACCOUNT_NAME,
  };
}

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);
