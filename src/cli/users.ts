import "../core/runtime/node-version.ts";
import { readServiceUrl, readStorePlace } from "../config/environment.ts";
import { ROLES } from "../core/accounts/roles.ts";
import { systemClock } from "../core/clock.ts";
import { DEFAULT_ACCOUNT_NAME } from "../store/data-dir/first-api-key.ts";
import { openStores } from "../store/open-stores.ts";
import { pathOption, readArguments, runCommand } from "./command.ts";
import { operatorAct } from "./operator.ts";
import { readUsersCommand, USERS_OPTIONS } from "./users/arguments.ts";
import { runUsersCommand } from "./users/run.ts";

const HELP = `Manages the people who sign in, in the database of the service, also while it runs.

  npm run users -- invite --email <email>   invite a person and print the one-time link by which they set a password
  npm run users -- list                     list all people and their accounts
  npm run users -- reset <id or email>      print another one-time link: of the invitation, or to reset the password
  npm run users -- remove <id or email>     remove a person, who is signed out at once

  --name <name>       with invite: what the person is called, default the email
  --role <role>       with invite: one of ${ROLES.join(", ")}, default owner
  --account <name>    with invite: their account, default ${DEFAULT_ACCOUNT_NAME}; created if it does not exist
  --data-dir <path>   the service's data directory, instead of DATA_DIR

The link begins with PUBLIC_API_URL, or with the address of the service on this machine. Every act is in the audit log of the
account, with the name of the user who ran the command.

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, USERS_OPTIONS, { allowPositionals: true });
  const command = readUsersCommand(positionals, values);
  const { dataDir, databaseUrl } = readStorePlace();
  const place = { dataDir: pathOption("data-dir", values["data-dir"]) ?? dataDir, databaseUrl };
  const serviceUrl = readServiceUrl();
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    await runUsersCommand(command, { stores, act: operatorAct(), serviceUrl });
  } finally {
    await stores.close();
  }
  return 0;
}

/** An example for the command in the arguments, at any position. */
const EXAMPLES = new Map([
  ["list", "npm run users -- list"],
  ["reset", "npm run users -- reset kim@example.com"],
  ["remove", "npm run users -- remove kim@example.com"],
]);
const example = (args: readonly string[]): string =>
  args.flatMap((arg) => EXAMPLES.get(arg) ?? [])[0] ?? "npm run users -- invite --email kim@example.com --role owner";

await runCommand({ help: HELP, example, run });
