import "../core/node-version.ts";
import { readStorePlace } from "../config/environment.ts";
import { isoTime, systemClock } from "../core/clock.ts";
import { type ApiKeyId, asApiKeyId } from "../core/ids.ts";
import { DEFAULT_ACCOUNT_NAME } from "../store/data-dir/first-api-key.ts";
import { openStores } from "../store/open-stores.ts";
import type { Stores } from "../store/stores.ts";
import { notACommand, pathOption, readArguments, runCommand, surplusArgument, UsageError } from "./command.ts";

const HELP = `Manages the API keys in the database of the data directory, also while the service runs.

  npm run api-keys -- create --name <name>   create an API key and print it; it cannot be shown again
  npm run api-keys -- list                   list all API keys and their accounts, without the keys' text
  npm run api-keys -- revoke <id>            revoke an API key

  --account <name>                           with create: its account, default ${DEFAULT_ACCOUNT_NAME}; created if it does not exist
  --data-dir <path>                          the service's data directory, instead of DATA_DIR

The exit code is 0 on success, 1 on failure, 2 for a usage error.
`;

const OPTIONS = { name: { type: "string" }, account: { type: "string" }, "data-dir": { type: "string" } } as const;

type Work = (stores: Stores) => Promise<void>;

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS, { allowPositionals: true });
  const work = workOf(positionals, values);
  const { dataDir, databaseUrl } = readStorePlace();
  const place = { dataDir: pathOption("data-dir", values["data-dir"]) ?? dataDir, databaseUrl };
  const stores = await openStores(place, systemClock);
  try {
    await work(stores);
  } finally {
    await stores.close();
  }
  return 0;
}

function workOf(
  [command, ...rest]: string[],
  { name, account }: { name?: string | undefined; account?: string | undefined },
): Work {
  const problems: string[] = [];
  const id = command === "revoke" ? rest.shift() : undefined;
  for (const other of rest) problems.push(surplusArgument(other, command));
  if (command !== "create") {
    for (const [option, value] of Object.entries({ name, account })) {
      if (value !== undefined) problems.push(`--${option} is only for create`);
    }
  }
  const work = commandOf(command, { id, name: name?.trim(), account: account?.trim() }, problems);
  if (work === undefined || problems.length > 0) throw new UsageError(problems);
  return work;
}

function commandOf(
  command: string | undefined,
  { id, name, account = DEFAULT_ACCOUNT_NAME }: Record<"id" | "name" | "account", string | undefined>,
  problems: string[],
): Work | undefined {
  switch (command) {
    case "create":
      if (name === undefined) problems.push("--name is missing: it says what the API key is for");
      if (name === "" || account === "") problems.push(`--${name === "" ? "name" : "account"} must not be empty`);
      return (stores) => create(stores, name ?? "", account);
    case "list":
      return list;
    case "revoke":
      if (id === undefined) problems.push("the id of the API key is missing: npm run api-keys -- list shows it");
      return (stores) => revoke(stores, asApiKeyId(id ?? ""));
    default:
      problems.unshift(notACommand(command, "create, list or revoke"));
      return undefined;
  }
}

async function create({ accounts, apiKeys }: Stores, name: string, account: string): Promise<void> {
  const { key, record } = await apiKeys.create({ accountId: await accounts.ensure(account), name });
  // Only the API key goes to standard output, so that a script can read it.
  process.stderr.write(`${record.id} was created. Save the API key: it cannot be shown again.\n`);
  process.stdout.write(`${key}\n`);
}

async function list({ accounts, apiKeys }: Stores): Promise<void> {
  const records = await apiKeys.list();
  const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
  for (const key of records) {
    const state = key.revokedAtMs === undefined ? "active" : `revoked ${isoTime(key.revokedAtMs)}`;
    const columns = [
      key.id,
      `${key.visiblePrefix}…`,
      `created ${isoTime(key.createdAtMs)}`,
      state,
      `of ${JSON.stringify(names.get(key.accountId))} ${key.accountId}`,
      JSON.stringify(key.name),
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}

async function revoke({ apiKeys }: Stores, id: ApiKeyId): Promise<void> {
  if (!(await apiKeys.revoke(id))) throw new Error(`there is no API key ${id}`);
  process.stderr.write(`${id} was revoked\n`);
}

/** An example for the command in the arguments, at any position. */
const EXAMPLES = new Map([
  ["list", "npm run api-keys -- list"],
  ["revoke", "npm run api-keys -- revoke key_0123456789abcdef"],
]);
const example = (args: readonly string[]): string =>
  args.flatMap((arg) => EXAMPLES.get(arg) ?? [])[0] ?? "npm run api-keys -- create --name front-desk";

await runCommand({ help: HELP, example, run });
