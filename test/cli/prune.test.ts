import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { epochMs } from "../../src/core/clocks.ts";
import { recordingPath } from "../../src/record/recording/render.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { createCall, endAt } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../support/tokens.ts";

const run = promisify(execFile);

test("ADV-M7: prune --dry-run says what would be deleted and deletes nothing; prune deletes it", async () => {
  const dataDir = temporaryDirectory();
  const clock = new ManualClock(epochMs(Date.UTC(2020, 0, 1)));
  const stores = await openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  const accountId = await stores.accounts.ensure("acme");
  const { id, tokenHash } = await createCall(stores, accountId);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await stores.calls.finish(id, endAt(clock));
  await stores.close();
  const recording = recordingPath(dataDir, id);
  mkdirSync(dirname(recording), { recursive: true });
  writeFileSync(recording, Buffer.alloc(3_000));

  const prune = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, DATA_DIR: dataDir, RETENTION: '{"recordingDays": 30}' };
    return (await run(process.execPath, ["dist/cli/admin.js", "prune", ...args], { env })).stdout;
  };
  expect(await prune("--dry-run")).toBe('account "acme": 1 recording, 3000 bytes of files, would be deleted\n');
  expect(existsSync(recording)).toBe(true);
  expect(await prune()).toBe('account "acme": 1 recording, 3000 bytes of files, deleted\n');
  expect(existsSync(recording)).toBe(false);
  expect(await prune()).toBe("nothing was to be deleted\n");
});

test("ADV-M7: prune without RETENTION deletes nothing and says what to set", async () => {
  const env = { ...process.env, DATA_DIR: temporaryDirectory(), RETENTION: "" };
  const failed = run(process.execPath, ["dist/cli/admin.js", "prune"], { env });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("RETENTION is not set") });
});
