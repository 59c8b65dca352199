import { linkUrl } from "../../api/users/items.ts";
import { isoTime } from "../../core/clock.ts";
import type { Act } from "../../store/accounts/audit-store.ts";
import type { Stores } from "../../store/stores.ts";
import type { NewLink, UserRecord } from "../../store/users/user-store.ts";
import type { UsersCommand } from "./arguments.ts";

/** What a command works with: the stores, the actor of its acts, and the address of links. */
export interface UsersContext {
  stores: Pick<Stores, "accounts" | "users">;
  act: Act;
  /** The address at which people reach the service, without a slash at its end. */
  serviceUrl: string;
}

/** Carries out a command, as an act of the operator. Rejects for a person who does not exist. */
export async function runUsersCommand(command: UsersCommand, context: UsersContext): Promise<void> {
  switch (command.kind) {
    case "invite":
      return await invite(command, context);
    case "list":
      return await list(context);
    case "reset":
      return await reset(command.person, context);
    case "remove":
      return await remove(command.person, context);
  }
}

async function invite(
  { account, email, name, role }: UsersCommand & { kind: "invite" },
  { stores, act, serviceUrl }: UsersContext,
): Promise<void> {
  const accountId = await stores.accounts.ensure(account, act);
  const invited = await stores.users.invite({ accountId, email, name, role }, act);
  if (invited === "exists") throw new Error(`the account has a person with the email ${email}: reset makes a new link`);
  process.stderr.write(`${invited.record.id} was invited as ${role}. ${untilOf(invited.link)}\n`);
  print(invited.link, serviceUrl);
}

async function reset(person: string, { stores, act, serviceUrl }: UsersContext): Promise<void> {
  const { accountId, id } = await recordOf(person, stores);
  const made = await stores.users.createLink(accountId, id, act);
  if (made === undefined) throw new Error(`${id} was removed`);
  process.stderr.write(`${id} has a new link (${made.link.kind}). ${untilOf(made.link)}\n`);
  print(made.link, serviceUrl);
}

async function remove(person: string, { stores, act }: UsersContext): Promise<void> {
  const { accountId, id } = await recordOf(person, stores);
  const result = await stores.users.remove(accountId, id, act);
  if (result === "last_owner") throw new Error("the account would be without an owner: invite another one first");
  process.stderr.write(`${id} was removed\n`);
}

/** The person with this id, or with this email if one account alone has it. */
async function recordOf(person: string, { users }: UsersContext["stores"]): Promise<UserRecord> {
  const found = (await users.listAll()).filter(({ id, email }) => id === person || email === person.toLowerCase());
  const [only, ...others] = found;
  if (only === undefined) throw new Error(`there is no person ${person}`);
  if (others.length > 0)
    throw new Error(`${person} is in several accounts: name the id, which npm run users -- list shows`);
  return only;
}

async function list({ stores }: UsersContext): Promise<void> {
  const names = new Map((await stores.accounts.list()).map(({ id, name }) => [id, name]));
  for (const user of await stores.users.listAll()) {
    const columns = [
      user.id,
      user.role,
      user.status,
      `invited ${isoTime(user.createdAtMs)}`,
      user.lastSignInAtMs === undefined ? "never signed in" : `last signed in ${isoTime(user.lastSignInAtMs)}`,
      `of ${JSON.stringify(names.get(user.accountId))} ${user.accountId}`,
      user.email,
      JSON.stringify(user.name),
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}

const untilOf = ({ expiresAtMs }: NewLink): string =>
  `The link works once, until ${isoTime(expiresAtMs)}, and cannot be shown again.`;

/** Only the link goes to standard output, so that a script can read it. */
const print = ({ token }: NewLink, serviceUrl: string): boolean =>
  process.stdout.write(`${linkUrl(serviceUrl, token)}\n`);
