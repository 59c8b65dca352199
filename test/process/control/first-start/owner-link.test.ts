import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";
import { systemAgeClock } from "../../../../src/core/age-clock.ts";
import { systemClock } from "../../../../src/core/clock.ts";
import { offerOwnerLink } from "../../../../src/process/control/first-start/owner-link.ts";
import { BY_SERVICE } from "../../../../src/store/accounts/audit-store.ts";
import { ownerLinkPath } from "../../../../src/store/data-dir/owner-link.ts";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

async function offered(hasTerminal: boolean, dataDir = temporaryDirectory(), writesTo = dataDir) {
  const stores = await openSqliteStores(dataDir, systemClock, { ageClock: systemAgeClock() });
  const { log, lines } = memoryLog();
  const shown: string[] = [];
  await offerOwnerLink({
    stores,
    dataDir: writesTo,
    serviceUrl: "http://127.0.0.1:8080",
    showOnTerminal: hasTerminal ? async (url) => void shown.push(url) : undefined,
    log,
  });
  return { stores, dataDir, lines, shown };
}

test("a terminal is shown the link, and no file and no log line has it", async () => {
  const { stores, dataDir, lines, shown } = await offered(true);
  const [url = ""] = shown;
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/talk#tlo_[\w-]{43}$/);
  expect(existsSync(ownerLinkPath(dataDir))).toBe(false);
  expect(lines.join()).not.toContain("tlo_");
  expect(await stores.ownerLinks.use(url.split("#")[1] ?? "", BY_SERVICE)).toBeDefined();
  await stores.close();
});

test("without a terminal the link is in a file for the owner alone, whose path the log has; another replaces it", async () => {
  const { stores, dataDir, lines } = await offered(false);
  const path = ownerLinkPath(dataDir);
  const first = readFileSync(path, "utf8");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(first).toMatch(/\/talk#tlo_[\w-]{43}\n$/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ path, msg: expect.stringMatching(/^owner link written/) });
  expect(lines.join()).not.toContain("tlo_");
  await stores.close();
  const again = await offered(false, dataDir);
  expect(readFileSync(path, "utf8")).not.toBe(first);
  await again.stores.close();
});

test("a file that cannot be written does not stop the start", async () => {
  const { stores, lines } = await offered(false, temporaryDirectory(), "/dev/null");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    msg: expect.stringMatching(/^owner link could not be made/),
  });
  await stores.close();
});
