import { changedSettings } from "../../core/accounts/account-settings.ts";
import { isoTime } from "../../core/clock.ts";
import { RETAINED_PARTS, RETENTION_FIELDS } from "../../core/retention.ts";
import type { Account, AccountStore } from "../../store/accounts/account-store.ts";
import type { Act } from "../../store/accounts/audit-store.ts";
import type { AccountsCommand } from "./arguments.ts";

/** Carries out a command in this store, as an act of the operator. Rejects for an account that does not exist. */
export async function runAccountsCommand(command: AccountsCommand, accounts: AccountStore, act: Act): Promise<void> {
  switch (command.kind) {
    case "create": {
      const { name, changes } = command;
      const created = await accounts.create(name, changedSettings({}, changes), act);
      if (created === "name_taken") throw taken(name);
      process.stderr.write(`account ${JSON.stringify(name)} was created\n`);
      return print(created.id);
    }
    case "list":
      for (const account of await accounts.list()) print(lineOf(account));
      return;
    case "show":
      return print(JSON.stringify(shown(await accountNamed(command.account, accounts)), undefined, 2));
    case "update": {
      const { id, name } = await accountNamed(command.account, accounts);
      const updated = await accounts.update(id, { name: command.name, ...command.changes }, act);
      if (updated === "name_taken") throw taken(command.name ?? name);
      process.stderr.write(`account ${id} was changed\n`);
      return;
    }
  }
}

const taken = (name: string): Error => new Error(`there is already an account ${JSON.stringify(name)}`);

async function accountNamed(idOrName: string, accounts: AccountStore): Promise<Account> {
  const all = await accounts.list();
  const found = all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName);
  if (found === undefined) throw new Error(`there is no account ${JSON.stringify(idOrName)}`);
  return found;
}

/** By the names of `GET /account`, without what is as the service has it. */
const shown = ({ id, name, settings, createdAtMs, updatedAtMs }: Account): object => {
  const { retention, ...others } = settings;
  const days = Object.fromEntries(RETAINED_PARTS.map((part) => [RETENTION_FIELDS[part], retention?.[part]]));
  return {
    id,
    name,
    ...others,
    ...(retention !== undefined && { retention: days }),
    createdAt: isoTime(createdAtMs),
    updatedAt: isoTime(updatedAtMs),
  };
};

function lineOf({ id, name, settings, createdAtMs }: Account): string {
  const { concurrentCalls, creationsPerMinute } = settings.limits ?? {};
  const columns = [
    id,
    `created ${isoTime(createdAtMs)}`,
    concurrentCalls === undefined ? "no limit of calls" : `${concurrentCalls} calls at once`,
    creationsPerMinute === undefined ? "no limit of creations" : `${creationsPerMinute} creations a minute`,
    JSON.stringify(name),
  ];
  return columns.join("  ");
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
