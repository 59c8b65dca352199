import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { systemClock } from "../../../src/core/clock.ts";
import {
  DEFAULT_ACCOUNT_NAME,
  firstApiKeyPath,
  hasNoApiKey,
  writeFirstApiKey,
} from "../../../src/store/data-dir/first-api-key.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

async function newStores() {
  const dataDir = temporaryDirectory();
  const stores = await openSqliteStores(dataDir, systemClock);
  onTestFinished(() => stores.close());
  return { dataDir, stores };
}

test("only its owner can read the first API key, which is active, has every scope and is of the default account", async () => {
  const { dataDir, stores } = await newStores();
  // The file of another database, readable by all users.
  writeFileSync(firstApiKeyPath(dataDir), "tlk_old\n", { mode: 0o644 });
  const path = await writeFirstApiKey(dataDir, stores);
  expect(path).toBe(join(dataDir, "first-api-key"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const principal = await stores.apiKeys.authenticate(readFileSync(path, "utf8").trim());
  expect(principal?.scopes).toEqual(SCOPES);
  expect(principal?.accountId).toBe(await stores.accounts.ensure(DEFAULT_ACCOUNT_NAME));
});

test("no API key exists until the first is created, and a revoked one counts as created", async () => {
  const { dataDir, stores } = await newStores();
  expect(await hasNoApiKey(stores)).toBe(true);
  await writeFirstApiKey(dataDir, stores);
  const [record] = await stores.apiKeys.listAll();
  if (record !== undefined) await stores.apiKeys.revoke(record.accountId, record.id);
  expect(await hasNoApiKey(stores)).toBe(false);
});

test("an API key that could not be written is deleted", async () => {
  const { dataDir, stores } = await newStores();
  mkdirSync(firstApiKeyPath(dataDir));
  await expect(writeFirstApiKey(dataDir, stores)).rejects.toThrow();
  expect((await stores.apiKeys.listAll()).filter(({ revokedAtMs }) => revokedAtMs === undefined)).toEqual([]);
});
