import { isoTime, systemClock } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { ApiKeyId } from "../../core/ids.ts";
import type { ApiKeyRecord } from "../../store/accounts/api-key-store.ts";
import type { Act } from "../../store/accounts/audit-store.ts";
import type { Stores } from "../../store/stores.ts";
import type { ApiKeysCommand } from "./arguments.ts";

/** Carries out a command in these stores, as an act of the operator. Rejects for an API key that does not exist. */
export async function runApiKeysCommand(command: ApiKeysCommand, stores: Stores, act: Act): Promise<void> {
  switch (command.kind) {
    case "create":
      return await create(command, stores, act);
    case "list":
      return await list(stores);
    case "rotate":
      return await rotate(command, stores, act);
    case "revoke":
      return await revoke(command.id, stores, act);
  }
}

async function create(
  { name, account, scopes, expiresAtMs }: ApiKeysCommand & { kind: "create" },
  { accounts, apiKeys }: Stores,
  act: Act,
): Promise<void> {
  const accountId = await accounts.ensure(account, act);
  const { key, record } = await apiKeys.create({ accountId, name, scopes, expiresAtMs }, act);
  process.stderr.write(`${record.id} was created with ${record.scopes.join(", ")}. ${SAVE}\n`);
  print(key);
}

async function rotate({ id, overlapMs }: ApiKeysCommand & { kind: "rotate" }, stores: Stores, act: Act): Promise<void> {
  const { accountId } = await recordOf(id, stores);
  const rotated = await stores.apiKeys.rotate(accountId, id, overlapMs, act);
  if (rotated === undefined || rotated === "revoked") throw new Error(`${id} is revoked`);
  const until = rotated.record.previousUntilMs;
  const previous = until === undefined ? "no longer works" : `works until ${isoTime(until)}`;
  process.stderr.write(`${id} has another text; the previous one ${previous}. ${SAVE}\n`);
  print(rotated.key);
}

async function revoke(id: ApiKeyId, stores: Stores, act: Act): Promise<void> {
  const { accountId } = await recordOf(id, stores);
  await stores.apiKeys.revoke(accountId, id, act);
  process.stderr.write(`${id} was revoked\n`);
}

async function recordOf(id: ApiKeyId, { apiKeys }: Stores): Promise<ApiKeyRecord> {
  const record = (await apiKeys.listAll()).find((apiKey) => apiKey.id === id);
  if (record === undefined) throw new Error(`there is no API key ${id}`);
  return record;
}

async function list({ accounts, apiKeys }: Stores): Promise<void> {
  const names = new Map((await accounts.list()).map(({ id, name }) => [id, name]));
  const nowMs = systemClock.epochMs();
  for (const key of await apiKeys.listAll()) {
    const columns = [
      key.id,
      `${key.visiblePrefix}…`,
      `created ${isoTime(key.createdAtMs)}`,
      stateOf(key, nowMs),
      key.lastUsedAtMs === undefined ? "never used" : `last used ${isoTime(key.lastUsedAtMs)}`,
      key.scopes.join(","),
      `of ${JSON.stringify(names.get(key.accountId))} ${key.accountId}`,
      JSON.stringify(key.name),
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
  }
}

function stateOf({ revokedAtMs, expiresAtMs }: ApiKeyRecord, nowMs: EpochMs): string {
  if (revokedAtMs !== undefined) return `revoked ${isoTime(revokedAtMs)}`;
  if (expiresAtMs === undefined) return "active";
  return `${expiresAtMs <= nowMs ? "expired" : "active until"} ${isoTime(expiresAtMs)}`;
}

const SAVE = "Save the API key: it cannot be shown again.";

/** Only the API key goes to standard output, so that a script can read it. */
const print = (key: string): boolean => process.stdout.write(`${key}\n`);
