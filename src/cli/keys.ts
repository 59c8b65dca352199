import "../core/node-version.ts";
import { parseArgs } from "node:util";
import { readDataDir } from "../config.ts";
import { systemClock } from "../core/clock.ts";
import { openStores } from "../store/sqlite/stores.ts";
import type { Stores } from "../store/stores.ts";

const USAGE = `API keys, kept in the database of the data directory. The service may run meanwhile.

  npm run keys -- create --name <name>   make a key and print it; it cannot be shown again
  npm run keys -- list                   all keys and their accounts, without their text
  npm run keys -- revoke <id>            refuse a key from now on

  --account <name>                       with create: whose key it is, instead of default; made when there is none
  --data-dir <path>                      instead of DATA_DIR
`;

/** Whose a key is that is made without `--account`. */
const ACCOUNT_DEFAULT = "default";

class UsageError extends Error {}

async function main(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(args);
  const run = commandOf(positionals, values);
  const stores = await openStores(values["data-dir"] ?? readDataDir(), systemClock);
  try {
    await run(stores);
  } finally {
    await stores.close();
  }
}

function readArguments(args: string[]) {
  try {
    const options = { name: { type: "string" }, account: { type: "string" }, "data-dir": { type: "string" } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function commandOf(
  [command, id, ...others]: string[],
  { name, account }: { name?: string | undefined; account?: string | undefined },
): (stores: Stores) => Promise<void> {
  if (command === "create" && id === undefined) {
    const [keyName = "", accountName = ACCOUNT_DEFAULT] = [name?.trim(), account?.trim()];
    if (keyName !== "" && accountName !== "") return (stores) => create(stores, keyName, accountName);
  }
  if (name === undefined && account === undefined && others.length === 0) {
    if (command === "list" && id === undefined) return list;
    if (command === "revoke" && id !== undefined) return (stores) => revoke(stores, id);
  }
  throw new UsageError("that is not how it is called");
}

async function create({ accounts, apiKeys }: Stores, name: string, account: string): Promise<void> {
  const { key, record } = await apiKeys.create({ accountId: await accounts.ensure(account), name });
  // The key alone goes to standard output, so that a script can take it.
  process.stderr.write(`${record.id} was made. Keep the key: it cannot be shown again.\n`);
  process.stdout.write(`${key}\n`);
}

async function list({ accounts, apiKeys }: Stores): Promise<void> {
  const records = await apiKeys.list();
  const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
  for (const key of records) {
    const state = key.revokedAtMs === undefined ? "lives" : `revoked ${isoTime(key.revokedAtMs)}`;
    const columns = [
      key.id,
      `${key.visiblePrefix}…`,
      `made ${isoTime(key.createdAtMs)}`,
      state,
      `of ${JSON.stringify(names.get(key.accountId))}`,
      JSON.stringify(key.name),
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}

async function revoke({ apiKeys }: Stores, id: string): Promise<void> {
  if (!(await apiKeys.revoke(id))) throw new Error(`there is no key ${id}`);
  process.stderr.write(`${id} is refused from now on\n`);
}

const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

try {
  await main(process.argv.slice(2));
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof UsageError ? `${message}\n\n${USAGE}` : `${message}\n`);
  process.exitCode = 1;
}
