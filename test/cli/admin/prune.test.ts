import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { prune } from "../../../src/cli/admin/prune.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { createCall, endAt } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

test("prune says how many calls it has found, and then how many it has deleted", async () => {
  const dataDir = temporaryDirectory();
  const clock = new ManualClock(epochMs(Date.UTC(2020, 0, 1)));
  const stores = await openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  const accountId = await stores.accounts.ensure("first");
  for (let n = 0; n < 3; n++) {
    const { id, tokenHash } = await createCall(stores, accountId);
    await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    await stores.calls.finish(id, endAt(clock));
    mkdirSync(dirname(recordingPath(dataDir, id)), { recursive: true });
    writeFileSync(recordingPath(dataDir, id), "audio");
  }
  await stores.close();
  vi.stubEnv("RETENTION", '{"recordingDays": 30}');
  try {
    for (const [dryRun, verb] of [
      [true, "found"],
      [false, "deleted"],
    ] as const) {
      const output = recordedOutput();
      await prune({ dataDir, databaseUrl: undefined }, dryRun, output);
      expect(output.progressed).toEqual(
        [1, 2, 3].map((calls) => `${verb} 0 records, ${calls} recordings, 0 transcripts`),
      );
      expect(output.said).toHaveLength(1);
    }
  } finally {
    vi.unstubAllEnvs();
  }
});
