import "../core/runtime/node-version.ts";
import { readStorePlace } from "../config/environment.ts";
import { DEFAULT_SCOPES, SCOPES } from "../core/accounts/scopes.ts";
import { systemClock } from "../core/clock.ts";
import { API_KEY_OVERLAP_S_DEFAULT, API_KEY_OVERLAP_S_MAX } from "../core/limits/accounts/api-keys.ts";
import { DEFAULT_ACCOUNT_NAME } from "../store/data-dir/first-api-key.ts";
import { openStores } from "../store/open-stores.ts";
import { API_KEY_OPTIONS, readApiKeysCommand } from "./api-keys/arguments.ts";
import { runApiKeysCommand } from "./api-keys/run.ts";
import { pathOption, readArguments, runCommand } from "./command.ts";
import { operatorAct } from "./operator.ts";

const HELP = `Manages the API keys in the database of the service, also while it runs.

  npm run api-keys -- create --name <name>   create an API key and print it; it cannot be shown again
  npm run api-keys -- list                   list all API keys and their accounts, without the keys' text
  npm run api-keys -- rotate <id>            give an API key another text and print it; the previous one works for a while
  npm run api-keys -- revoke <id>            revoke an API key; it is refused within a second

  --account <name>      with create: its account, default ${DEFAULT_ACCOUNT_NAME}; created if it does not exist
  --scopes <list>       with create: some of ${SCOPES.join(",")}, separated by commas; default ${DEFAULT_SCOPES.join(",")}
  --expires <time>      with create: when it expires, such as 2027-01-31T00:00:00Z; never by default
  --overlap <seconds>   with rotate: how long the previous text works, default ${API_KEY_OVERLAP_S_DEFAULT}, at most ${API_KEY_OVERLAP_S_MAX}
  --data-dir <path>     the service's data directory, instead of DATA_DIR

Every act is in the audit log of the account, with the name of the user who ran the command.

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, API_KEY_OPTIONS, { allowPositionals: true });
  const command = readApiKeysCommand(positionals, values);
  const { dataDir, databaseUrl } = readStorePlace();
  const place = { dataDir: pathOption("data-dir", values["data-dir"]) ?? dataDir, databaseUrl };
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    await runApiKeysCommand(command, stores, operatorAct());
  } finally {
    await stores.close();
  }
  return 0;
}

/** An example for the command in the arguments, at any position. */
const EXAMPLES = new Map([
  ["list", "npm run api-keys -- list"],
  ["rotate", "npm run api-keys -- rotate key_0123456789abcdef --overlap 3600"],
  ["revoke", "npm run api-keys -- revoke key_0123456789abcdef"],
]);
const example = (args: readonly string[]): string =>
  args.flatMap((arg) => EXAMPLES.get(arg) ?? [])[0] ?? "npm run api-keys -- create --name front-desk";

await runCommand({ help: HELP, example, run });
