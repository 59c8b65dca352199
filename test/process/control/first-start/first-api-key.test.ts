import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { systemAgeClock } from "../../../../src/core/age-clock.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { ensureFirstApiKey } from "../../../../src/process/control/first-start/first-api-key.ts";
import { firstApiKeyPath } from "../../../../src/store/data-dir/first-api-key.ts";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

test("A new service writes its first API key once; in production the log says how to create one", async () => {
  const dataDir = temporaryDirectory();
  const stores = await openSqliteStores(dataDir, systemClock, { ageClock: systemAgeClock() });
  const { log, lines } = memoryLog();
  const path = firstApiKeyPath(dataDir);
  await ensureFirstApiKey({ isProduction: true, dataDir, stores, log });
  expect(existsSync(path)).toBe(false);
  expect(JSON.parse(lines[0] ?? "").msg).toMatch(/^no API key exists: create one with npm run api-keys/);
  await ensureFirstApiKey({ isProduction: false, dataDir, stores, log });
  const written = readFileSync(path, "utf8");
  await ensureFirstApiKey({ isProduction: false, dataDir, stores, log });
  expect(readFileSync(path, "utf8")).toBe(written);
  expect(lines.slice(1).map((line) => JSON.parse(line))).toMatchObject([{ path, msg: "first API key written" }]);
  await stores.close();
});
